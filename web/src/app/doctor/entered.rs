//! What is entered for the doctor, as it stands in the page, and what it means.

use std::collections::BTreeMap;
use std::rc::Rc;

use ::doctor::{Fact, Input, Machine, split_line, unclosed};
use plan::runtime::{Build, Gpus, Launch, Place, Preset, Probe};
use plan::{Refusal, message};

use crate::app::format;

/// The longest text that the page takes; a configuration has some 2 KB.
pub const MAX_BYTES: usize = 1 << 16;

/// One input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The configuration.
    Config,
    /// The line after `accelerate launch`.
    Launch,
    /// Variables and facts, one a line.
    Settings,
    /// accelerate's version.
    Accelerate,
    /// torch's version.
    Torch,
    /// TRL's version.
    Trl,
}

impl Part {
    /// Every input.
    pub const ALL: [Self; 6] =
        [Self::Config, Self::Launch, Self::Settings, Self::Accelerate, Self::Torch, Self::Trl];

    /// Its name in refusals, and in ids of the page.
    pub fn key(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Launch => "launch",
            Self::Settings => "settings",
            Self::Accelerate => "accelerate",
            Self::Torch => "torch",
            Self::Trl => "trl",
        }
    }
}

/// Everything that is entered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entered {
    texts: [Rc<str>; 6],
    /// The machine; `None` is not said.
    pub machine: Option<Preset>,
}

impl Entered {
    /// What stands for `input` in the page.
    pub fn of(input: &Input) -> Self {
        let version = |given: &Option<String>| given.clone().unwrap_or_default();
        let launch = input.launch.as_ref().map(|words| ::doctor::join_line(words));
        let settings = input.settings.iter().map(|(name, value)| format!("{name}={value}\n"));
        let mut entered = Self {
            machine: input.machine.as_ref().map(|machine| machine.preset),
            ..Self::default()
        };
        entered.set(Part::Config, input.config.clone().unwrap_or_default());
        entered.set(Part::Launch, launch.unwrap_or_default());
        entered.set(Part::Settings, settings.collect());
        entered.set(Part::Accelerate, version(&input.accelerate));
        entered.set(Part::Torch, version(&input.torch));
        entered.set(Part::Trl, version(&input.trl));
        entered
    }

    /// What stands in an input.
    pub fn get(&self, part: Part) -> &Rc<str> {
        &self.texts[part as usize]
    }

    /// Enters a text.
    pub fn set(&mut self, part: Part, text: String) {
        self.texts[part as usize] = text.into();
    }

    /// The same with another text in one input.
    pub fn with(mut self, part: Part, text: impl Into<String>) -> Self {
        self.set(part, text.into());
        self
    }

    /// The same on a machine.
    pub fn on(mut self, machine: Preset) -> Self {
        self.machine = Some(machine);
        self
    }

    /// What it means; `None` where nothing is entered, or everything that cannot be read.
    pub fn input(&self) -> Result<Option<Input>, Vec<Refusal>> {
        let mut refusals: Vec<Refusal> =
            Part::ALL.into_iter().filter_map(|part| self.too_long(part)).collect();
        refusals.extend(self.open_quote());
        let Settings { values: settings, repeated } = settings(self.get(Part::Settings))
            .unwrap_or_else(|refusal| {
                refusals.push(refusal);
                Settings::default()
            });
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let text = |part: Part| {
            let text = self.get(part);
            (!text.trim().is_empty()).then(|| text.to_string())
        };
        let version = |part| text(part).map(|version| version.trim().to_owned());
        let input = Input {
            config: text(Part::Config),
            launch: text(Part::Launch).map(|line| split_line(&line)),
            settings,
            repeated,
            accelerate: version(Part::Accelerate),
            torch: version(Part::Torch),
            trl: version(Part::Trl),
            machine: self.machine.map(machine),
        };
        Ok((input != Input::default()).then_some(input))
    }

    fn open_quote(&self) -> Option<Refusal> {
        let quote = unclosed(self.get(Part::Launch))?;
        let reason =
            message!("this quote is opened and not closed, so a shell would wait for more");
        Some(Refusal::new(Part::Launch.key(), quote, reason, message!("close it, or take it out")))
    }

    fn too_long(&self, part: Part) -> Option<Refusal> {
        let len = self.get(part).len();
        (len > MAX_BYTES).then(|| too_long(part.key(), format::bytes(len as u64)))
    }
}

/// The text of a file that was opened.
pub fn text_of(name: &str, bytes: Vec<u8>) -> Result<String, Refusal> {
    if bytes.len() > MAX_BYTES {
        return Err(file_too_long(name, bytes.len()));
    }
    let no_text = |at: &[u8]| {
        let line = 1 + at.iter().filter(|&&byte| byte == b'\n').count();
        let reason = message!("it is no UTF-8 text from line {line} on", line);
        let works = message!("open the file that accelerate config wrote");
        Refusal::new(Part::Config.key(), name, reason, works)
    };
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        let first = std::str::from_utf8(&bytes).map_or_else(|e| e.valid_up_to().min(at), |_| at);
        return Err(no_text(&bytes[..first]));
    }
    String::from_utf8(bytes)
        .map_err(|error| no_text(&error.as_bytes()[..error.utf8_error().valid_up_to()]))
}

/// Refuses a file of `len` bytes.
pub fn file_too_long(name: &str, len: usize) -> Refusal {
    too_long(Part::Config.key(), format!("{name} ({})", format::bytes(len as u64)))
}

fn too_long(field: &str, value: String) -> Refusal {
    let most = format::bytes(MAX_BYTES as u64);
    let reason = message!("at most {most} are taken here, and a configuration has some 2 KB", most);
    Refusal::new(field, value, reason, message!("give the file that accelerate config wrote"))
}

/// A preset's machine; the doctor's machines are never the browser.
fn machine(preset: Preset) -> Machine {
    let unknown = Probe {
        place: Place::Native,
        build: Build::PLAIN,
        gpus: Gpus::NoDriver,
        launch: Launch::Alone,
        cores: 1,
        memory: None,
    };
    Machine { preset, probe: preset.probe(&unknown) }
}

/// Settings by name, and the names that were given more than once.
#[derive(Default)]
struct Settings {
    values: BTreeMap<String, String>,
    repeated: Vec<String>,
}

/// `NAME=VALUE` a line; empty lines and those that begin with # say nothing.
fn settings(text: &str) -> Result<Settings, Refusal> {
    let mut settings = Settings::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bare = ["export ", "%env ", "set "].iter().find_map(|p| line.strip_prefix(p));
        let Some((name, value)) = bare.unwrap_or(line).trim().split_once('=') else {
            return Err(no_setting(number, line));
        };
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(no_setting(number, line));
        }
        // The facts have names of their own, in lower case; a variable keeps its case.
        let name = Fact::named(name).map_or_else(|| name.to_owned(), |fact| fact.name().to_owned());
        let value = unquoted(value.trim()).to_owned();
        if settings.values.insert(name.clone(), value).is_some()
            && !settings.repeated.contains(&name)
        {
            settings.repeated.push(name);
        }
    }
    Ok(settings)
}

fn no_setting(number: usize, line: &str) -> Refusal {
    let shown: String = line.chars().take(40).collect();
    Refusal::new(
        Part::Settings.key(),
        shown,
        message!("line {number} is no NAME=VALUE", number = number + 1),
        message!("write for example WORLD_SIZE=8 or seq_len=4096"),
    )
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_input() {
        assert_eq!(Entered::default().input(), Ok(None));
        assert_eq!(Entered::default().with(Part::Config, " \n").input(), Ok(None));
    }

    #[test]
    fn what_is_entered_comes_back() {
        let entered = Entered::default()
            .with(Part::Launch, "accelerate launch --num_processes 8 'my train.py'")
            .with(Part::Settings, "# here\nexport WORLD_SIZE=\"8\"\n\nMAX_LENGTH = 100")
            .with(Part::Torch, " 2.7.1 ")
            .on(Preset::H100Node);
        let input = entered.input().expect("it reads").expect("it is something");
        assert_eq!(input.settings.get("WORLD_SIZE").map(String::as_str), Some("8"));
        assert_eq!(input.settings.get("seq_len").map(String::as_str), Some("100"));
        assert_eq!(input.torch.as_deref(), Some("2.7.1"));
        let again = Entered::of(&input).input().expect("it reads").expect("it is something");
        assert_eq!(again, input);
    }

    #[test]
    fn the_last_of_several_values_counts() {
        let entered = Entered::default().with(Part::Settings, "A=1\nexport A=2\nB=3\n");
        let input = entered.input().expect("it reads").expect("it is something");
        assert_eq!(input.settings.get("A").map(String::as_str), Some("2"));
        assert_eq!(input.repeated, ["A"]);
    }

    #[test]
    fn what_cannot_be_read_is_refused_beside_its_field() {
        for bad in ["WORLD_SIZE", "=8", "A B=1"] {
            let refusals = Entered::default().with(Part::Settings, bad).input().expect_err(bad);
            assert_eq!(refusals[0].field, "settings");
            assert!(refusals[0].reason.contains("line 1"));
        }
        let refusals =
            Entered::default().with(Part::Launch, "--a 'b").input().expect_err("it is open");
        assert_eq!(refusals[0].field, "launch");
        assert_eq!(refusals[0].value, "'");
        let long = "a: 1\n".repeat(2_000_000);
        let refusals = Entered::default().with(Part::Config, long).input().expect_err("10 MB");
        assert_eq!(refusals[0].value, "10.0 MB");
    }

    #[test]
    fn a_file_is_text_or_refused_with_the_line() {
        assert_eq!(text_of("a.yaml", b"a: 1\n".to_vec()), Ok("a: 1\n".to_owned()));
        for bytes in [b"a\nb\n\0c".to_vec(), b"a\nb\n\xff".to_vec()] {
            assert!(text_of("x", bytes).expect_err("no text").reason.contains("line 3"));
        }
        assert!(text_of("x", vec![b'a'; 10_000_000]).expect_err("long").value.contains("10.0 MB"));
    }
}
