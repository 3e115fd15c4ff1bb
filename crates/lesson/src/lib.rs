//! A lesson as the page has it; with the feature `compile`, also how one comes from Markdown.
//!
//! A lesson is written in `web/lessons`, compiled when the page is built, and fetched when somebody
//! opens it. The page links the types alone.

#[cfg(feature = "compile")]
pub mod action;
#[cfg(feature = "compile")]
pub mod claim;
#[cfg(feature = "compile")]
pub mod compile;
pub mod condition;
pub mod subject;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use condition::{Condition, Op};

/// The languages that each lesson is written in, the first of which also has the machine's parts.
pub const LANGUAGES: [&str; 2] = ["en", "zh-CN"];

/// The folder of a built page that holds the lessons, a folder of its own for each language.
pub const FOLDER: &str = "lessons";

/// The file in a language's folder that lists its lessons.
pub const INDEX: &str = "index.bin";

/// Changes with the shape of what is packed: a page reads no file that it would misunderstand.
const FORMAT: u16 = 1;

/// The lessons of one language, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// One entry a lesson.
    pub lessons: Vec<Entry>,
}

/// What is known of a lesson before it is opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place among the lessons, from 1.
    pub number: u16,
    /// Its name in addresses.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What the learner will be able to do.
    pub goal: String,
    /// How long it takes.
    pub minutes: u16,
    /// Its file, beside the index.
    pub file: String,
    /// The names of its steps in addresses.
    pub steps: Vec<String>,
}

/// A lesson in one language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Its name in addresses.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What the learner will be able to do.
    pub goal: String,
    /// What stands before the first step.
    pub intro: Vec<Block>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// One step: a little text, one action, a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name in addresses.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Its text.
    pub body: Vec<Block>,
    /// For who is stuck; may be empty.
    pub hint: Vec<Block>,
    /// The address of the page that the step begins from.
    pub open: Option<String>,
    /// The controls that the step is about.
    pub show: Vec<String>,
    /// What must hold for the step to be done.
    pub check: Vec<Condition>,
    /// The question of the step.
    pub ask: Option<Ask>,
}

/// A block of text as HTML, cut where the learner's own numbers stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The text around the numbers: one piece more than there are numbers.
    pub pieces: Vec<String>,
    /// The numbers, in order.
    pub live: Vec<Live>,
}

/// A number that the learner's own run gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// What is measured.
    pub subject: String,
    /// How it is written.
    pub format: Format,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// As it is.
    Plain,
    /// A whole number, in groups of three digits.
    Count,
    /// Bytes, in the unit that suits them.
    Bytes,
    /// A share of one, as a percentage.
    Percent,
    /// So many decimals.
    Decimals(u8),
}

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// A number, to be found by running.
    Number {
        /// What is asked for.
        subject: String,
        /// Whether it is that of one rank, where the subject is that of all.
        per_rank: bool,
        /// What it is counted in.
        unit: Unit,
        /// How far off an answer may be, in that unit.
        within: f64,
    },
    /// One of a few.
    Choice {
        /// Each with its name and its text.
        options: Vec<(String, Block)>,
        /// Which is right.
        right: usize,
    },
}

/// What an answer is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Pieces.
    #[default]
    One,
    /// Hundredths.
    Percent,
    /// Bytes.
    Byte,
    /// Thousands of bytes.
    Kilobyte,
    /// 1024 bytes.
    Kibibyte,
    /// Millions of bytes.
    Megabyte,
    /// 1024 x 1024 bytes.
    Mebibyte,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Self; 7] = [
        Self::One,
        Self::Percent,
        Self::Byte,
        Self::Kilobyte,
        Self::Kibibyte,
        Self::Megabyte,
        Self::Mebibyte,
    ];

    /// How it is written; nothing for pieces.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::One => "",
            Self::Percent => "%",
            Self::Byte => "B",
            Self::Kilobyte => "KB",
            Self::Kibibyte => "KiB",
            Self::Megabyte => "MB",
            Self::Mebibyte => "MiB",
        }
    }

    /// How much it is.
    pub fn size(self) -> f64 {
        match self {
            Self::One | Self::Byte => 1.0,
            Self::Percent => 0.01,
            Self::Kilobyte => 1e3,
            Self::Kibibyte => 1024.0,
            Self::Megabyte => 1e6,
            Self::Mebibyte => 1024.0 * 1024.0,
        }
    }
}

/// What a file of the built page holds.
pub fn pack<T: Serialize>(value: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_stdvec(&(FORMAT, value))
}

/// Reads such a file; nothing if it is another build's, or none at all.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (format, rest) = postcard::take_from_bytes::<u16>(bytes).ok()?;
    (format == FORMAT).then(|| postcard::from_bytes(rest).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_read_again() {
        let entry = Entry {
            number: 1,
            id: "why".into(),
            title: "Why".into(),
            goal: "To know".into(),
            minutes: 7,
            file: "why.0.bin".into(),
            steps: vec!["one".into()],
        };
        let index = Index { lessons: vec![entry] };
        let bytes = pack(&index).expect("it is packed");
        assert_eq!(unpack(&bytes), Some(index));
        assert_eq!(unpack::<Index>(b"<!doctype html>"), None);
        let mut other = bytes;
        other[0] += 1;
        assert_eq!(unpack::<Index>(&other), None);
    }
}
