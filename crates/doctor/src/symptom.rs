//! An error as somebody pasted it: what it is known by, and what leads to it.

mod known;
mod text;

use plan::{Message, message};
use serde::Serialize;

use crate::facts::{Fact, Facts};
use crate::finding::{Finding, Id};
use crate::input::Input;
use crate::text::cut;
use crate::version::{BROKEN, FIRST_WITH_CP, REPAIRED, Version};
use known::{Known, Topic};

pub use text::{names_error, versions};

/// The longest line of an error that is shown.
const MOST: usize = 200;

/// An error, and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symptom {
    /// The line that says it; empty where the text holds none.
    pub line: String,
    /// What leads to it, likeliest first; none where it is not known here.
    pub causes: Vec<Cause>,
    /// What to do next.
    pub advice: Message,
    /// The checklist about it, by its name among the stories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<&'static str>,
    /// The lesson about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<&'static str>,
}

/// One cause of an error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// The finding that ends in this error.
    pub id: Id,
    /// What is so where this is the cause.
    pub sign: Message,
    /// Whether it is.
    pub standing: Standing,
}

/// How a cause stands after what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It was found: this is the error.
    Found,
    /// It may be.
    Open,
    /// What was given speaks against it.
    RuledOut,
}

impl Standing {
    /// It in words, behind a cause.
    pub fn title(self) -> Message {
        match self {
            Self::Found => message!("This was found in what you gave."),
            Self::Open => Message::default(),
            Self::RuledOut => message!("What you gave rules this out."),
        }
    }
}

impl Symptom {
    /// What is known of the error in `input`, if there is one, beside what was found.
    pub(crate) fn of(input: &Input, findings: &[Finding]) -> Option<Self> {
        let (line, known) = text::recognise(input.error.as_deref()?);
        let line = cut(line, MOST);
        let Some(Known { ids, topic, .. }) = known else {
            let advice = unknown(line.is_empty());
            return Some(Self { line, causes: vec![], advice, story: None, lesson: None });
        };
        let cause = |&id: &Id| {
            let found = findings.iter().any(|finding| finding.id == id);
            let standing = match (found, is_ruled_out(id, input)) {
                (true, _) => Standing::Found,
                (false, true) => Standing::RuledOut,
                (false, false) => Standing::Open,
            };
            Cause { id, sign: known::sign(id), standing }
        };
        let causes: Vec<Cause> = ids.iter().map(cause).collect();
        let (story, lesson) = match topic {
            Topic::Context => (Some("lost-context"), Some("no-context")),
            Topic::NoGpu => (Some("no-gpu"), Some("no-gpu")),
            Topic::Pointer | Topic::Other => (None, None),
        };
        let advice = match topic {
            Topic::Pointer => message!(
                "This line says that a process failed, and not why. The reason stands in the first \
                 traceback above it, perhaps of another rank: paste that."
            ),
            Topic::Context | Topic::NoGpu | Topic::Other => advice(&causes),
        };
        Some(Self { line, causes, advice, story, lesson })
    }

    /// Whether anything is known to lead to it.
    pub fn is_known(&self) -> bool {
        !self.causes.is_empty()
    }

    /// Whether this finding is the error.
    pub fn is(&self, finding: &Finding) -> bool {
        self.causes.iter().any(|cause| cause.id == finding.id)
    }

    /// It as one sentence.
    pub fn title(&self) -> Message {
        if self.is_known() {
            message!("This error is known: see what leads to it.")
        } else if self.line.is_empty() {
            message!("This text names no error.")
        } else {
            message!("This error is not known here.")
        }
    }
}

fn unknown(is_empty: bool) -> Message {
    if is_empty {
        message!("Paste the error from Traceback on, down to the last line, which names it.")
    } else {
        message!(
            "Give the configuration, the launch line and the versions as well: what is wrong in \
             them is found without the error. Where more stands above this line, paste that too: \
             the first error is often the cause of the last."
        )
    }
}

fn advice(causes: &[Cause]) -> Message {
    let of = |standing| causes.iter().filter(move |cause| cause.standing == standing);
    if let Some(cause) = of(Standing::Found).next() {
        return message!("The finding {id} says what to change.", id = cause.id.name());
    }
    match (of(Standing::Open).count(), of(Standing::Open).next()) {
        (0, _) | (_, None) => message!(
            "Everything that is known to lead here is ruled out by what you gave. Check that it is \
             what this run had: pip show accelerate."
        ),
        (1, Some(cause)) if causes.len() > 1 => message!(
            "That leaves {id}. Give the configuration and the launch line to see what to change.",
            id = cause.id.name()
        ),
        (1, Some(_)) => message!(
            "Give the configuration, the launch line and the versions to see what to change."
        ),
        (_, Some(_)) => message!(
            "Give the configuration, the launch line and the versions to tell them apart; how the \
             script was started and when it enters the context are facts of their own."
        ),
    }
}

/// Whether a version or a fact that was given speaks against a cause.
fn is_ruled_out(id: Id, input: &Input) -> bool {
    let version = input.accelerate.as_deref().and_then(Version::parse);
    let outside = |since: Option<Version>, until: Option<Version>| {
        version.is_some_and(|version| {
            since.is_some_and(|since| !version.has(since))
                || until.is_some_and(|until| version.has(until))
        })
    };
    match id {
        Id::NoCpInVersion => outside(None, Some(FIRST_WITH_CP)),
        Id::CpContextNeverBuilt => outside(Some(BROKEN), Some(REPAIRED)),
        Id::NvidiaSmiMissing => outside(None, Some(REPAIRED)),
        Id::CpContextBeforePrepare => {
            let facts = Facts::new(&input.settings, &[]);
            facts.get(Fact::Context) == Some("after-prepare") || outside(Some(FIRST_WITH_CP), None)
        }
        _ => false,
    }
}
