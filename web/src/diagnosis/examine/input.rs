//! What is entered, read as the doctor's input, and the reverse.

use std::collections::BTreeMap;

use doctor::{Fact, Input, Machine, is_error, join_line, split_line, unclosed};
use plan::runtime::{Build, Gpus, Launch, Place, Preset, Probe};
use plan::{Refusal, message};

use crate::app::doctor::entered::{Entered, Part};

/// What is entered means this; `None` where nothing is entered, or everything that cannot be read.
pub fn read(entered: &Entered) -> Result<Option<Input>, Vec<Refusal>> {
    let mut refusals = entered.refusals();
    // An error that was pasted into the launch line has quotes of its own.
    let misplaced = is_error(entered.get(Part::Launch));
    refusals.extend(open_quote(entered).filter(|_| !misplaced));
    let Settings { values: settings, repeated } = settings(entered.get(Part::Settings))
        .unwrap_or_else(|refusal| {
            refusals.push(refusal);
            Settings::default()
        });
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let text = |part: Part| {
        let text = entered.get(part);
        (!text.trim().is_empty()).then(|| text.to_string())
    };
    let error = [text(Part::Launch).filter(|_| misplaced), text(Part::Error)];
    let error: Vec<String> = error.into_iter().flatten().collect();
    let version = |part| text(part).map(|version| version.trim().to_owned());
    let input = Input {
        config: text(Part::Config),
        launch: text(Part::Launch).filter(|_| !misplaced).map(|line| split_line(&line)),
        settings,
        repeated,
        error: (!error.is_empty()).then(|| error.join("\n")),
        accelerate: version(Part::Accelerate),
        torch: version(Part::Torch),
        trl: version(Part::Trl),
        machine: entered.machine.map(machine),
    };
    Ok((input != Input::default()).then_some(input))
}

/// What stands for `input` in the page.
pub fn write(input: &Input) -> Entered {
    let version = |given: &Option<String>| given.clone().unwrap_or_default();
    let launch = input.launch.as_ref().map(|words| join_line(words));
    let settings = input.settings.iter().map(|(name, value)| format!("{name}={value}\n"));
    let mut entered = match &input.machine {
        Some(machine) => Entered::default().on(machine.preset),
        None => Entered::default(),
    };
    entered.set(Part::Error, input.error.clone().unwrap_or_default());
    entered.set(Part::Config, input.config.clone().unwrap_or_default());
    entered.set(Part::Launch, launch.unwrap_or_default());
    entered.set(Part::Settings, settings.collect());
    entered.set(Part::Accelerate, version(&input.accelerate));
    entered.set(Part::Torch, version(&input.torch));
    entered.set(Part::Trl, version(&input.trl));
    entered
}

fn open_quote(entered: &Entered) -> Option<Refusal> {
    let quote = unclosed(entered.get(Part::Launch))?;
    let reason = message!("this quote is opened and not closed, so a shell would wait for more");
    Some(Refusal::new(Part::Launch.key(), quote, reason, message!("close it, or take it out")))
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
        assert_eq!(read(&Entered::default()), Ok(None));
        let notes =
            Entered::default().with(Part::Config, " \n").with(Part::Settings, "# WORLD_SIZE\n");
        assert_eq!(read(&notes), Ok(None));
    }

    #[test]
    fn what_is_entered_comes_back() {
        let entered = Entered::default()
            .with(Part::Launch, "accelerate launch --num_processes 8 'my train.py'")
            .with(Part::Settings, "# here\nexport WORLD_SIZE=\"8\"\n\nMAX_LENGTH = 100")
            .with(Part::Torch, " 2.7.1 ")
            .on(Preset::H100Node);
        let input = read(&entered).expect("it reads").expect("it is something");
        assert_eq!(input.settings.get("WORLD_SIZE").map(String::as_str), Some("8"));
        assert_eq!(input.settings.get("seq_len").map(String::as_str), Some("100"));
        assert_eq!(input.torch.as_deref(), Some("2.7.1"));
        let again = read(&write(&input)).expect("it reads").expect("it is something");
        assert_eq!(again, input);
    }

    #[test]
    fn an_error_in_the_launch_line_is_an_error() {
        let text = "KeyError: 'it's'\n";
        let entered = Entered::default().with(Part::Launch, text).with(Part::Error, "bye");
        let input = read(&entered).expect("its quotes are its own").expect("it is something");
        assert_eq!((input.error.as_deref(), input.launch), (Some("KeyError: 'it's'\n\nbye"), None));
    }

    #[test]
    fn the_last_of_several_values_counts() {
        let entered = Entered::default().with(Part::Settings, "A=1\nexport A=2\nB=3\n");
        let input = read(&entered).expect("it reads").expect("it is something");
        assert_eq!(input.settings.get("A").map(String::as_str), Some("2"));
        assert_eq!(input.repeated, ["A"]);
    }

    #[test]
    fn what_cannot_be_read_is_refused_beside_its_field() {
        for bad in ["WORLD_SIZE", "=8", "A B=1"] {
            let refusals = read(&Entered::default().with(Part::Settings, bad)).expect_err(bad);
            assert_eq!(refusals[0].field, "settings");
            assert!(refusals[0].reason.contains("line 1"));
        }
        let refusals =
            read(&Entered::default().with(Part::Launch, "--a 'b")).expect_err("it is open");
        assert_eq!(refusals[0].field, "launch");
        assert_eq!(refusals[0].value, "'");
        let long = "a: 1\n".repeat(2_000_000);
        let refusals = read(&Entered::default().with(Part::Config, long)).expect_err("10 MB");
        assert_eq!(refusals[0].value, "10.0 MB");
    }
}
