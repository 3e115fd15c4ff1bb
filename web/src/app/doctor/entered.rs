//! What is entered for the doctor, as it stands in the page.

use std::rc::Rc;

use plan::runtime::Preset;
use plan::{Refusal, message};
use serde::{Deserialize, Serialize};

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
    /// The text of an error.
    Error,
}

impl Part {
    /// Every input.
    pub const ALL: [Self; 7] = [
        Self::Config,
        Self::Launch,
        Self::Settings,
        Self::Accelerate,
        Self::Torch,
        Self::Trl,
        Self::Error,
    ];

    /// Its name in refusals, and in ids of the page.
    pub fn key(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Launch => "launch",
            Self::Settings => "settings",
            Self::Accelerate => "accelerate",
            Self::Torch => "torch",
            Self::Trl => "trl",
            Self::Error => "error",
        }
    }
}

/// Everything that is entered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Sent", from = "Sent")]
pub struct Entered {
    texts: [Rc<str>; 7],
    /// The machine; `None` is not said.
    pub machine: Option<Preset>,
}

/// The same on its way to the doctor and back.
#[derive(Serialize, Deserialize)]
struct Sent {
    texts: [String; 7],
    machine: Option<String>,
}

impl From<Entered> for Sent {
    fn from(Entered { texts, machine }: Entered) -> Self {
        let machine = machine.map(|preset| preset.name().to_owned());
        Self { texts: texts.map(|text| text.to_string()), machine }
    }
}

impl From<Sent> for Entered {
    fn from(Sent { texts, machine }: Sent) -> Self {
        Self { texts: texts.map(Into::into), machine: machine.and_then(|n| Preset::named(&n)) }
    }
}

impl Entered {
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

    /// Whether nothing is entered.
    pub fn is_empty(&self) -> bool {
        self.machine.is_none() && self.texts.iter().all(|text| text.trim().is_empty())
    }

    /// What is longer than the doctor is given, refused text by text.
    pub fn refusals(&self) -> Vec<Refusal> {
        Part::ALL.into_iter().filter_map(|part| self.too_long(part)).collect()
    }

    /// The same without what is too long.
    pub fn short(&self) -> Self {
        let long = Part::ALL.into_iter().filter(|&part| self.too_long(part).is_some());
        long.fold(self.clone(), |entered, part| entered.with(part, String::new()))
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
        let reason = message!("it does not look like text from line {line} on", line);
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
    Refusal::new(
        field,
        value,
        reason,
        message!("give the file that accelerate config wrote, or the end of an error"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_nothing() {
        assert!(Entered::default().is_empty());
        assert!(Entered::default().with(Part::Config, " \n").is_empty());
        assert!(!Entered::default().on(Preset::H100Node).is_empty());
        assert!(!Entered::default().with(Part::Torch, "2").is_empty());
    }

    #[test]
    fn a_text_that_is_too_long_goes_nowhere() {
        let long = "a: 1\n".repeat(2_000_000);
        let refusals = Entered::default().with(Part::Config, long).refusals();
        assert_eq!((refusals.len(), &refusals[0].field[..]), (1, "config"));
        assert_eq!(refusals[0].value, "10.0 MB");
        assert!(Entered::default().with(Part::Config, "a".repeat(MAX_BYTES)).refusals().is_empty());
    }

    #[test]
    fn what_is_sent_arrives() {
        let entered = Entered::default().with(Part::Launch, "--cpu").on(Preset::Mac);
        let bytes = postcard::to_stdvec(&entered).expect("it can be sent");
        assert_eq!(postcard::from_bytes::<Entered>(&bytes).expect("it arrives"), entered);
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
