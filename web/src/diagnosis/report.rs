//! A diagnosis as the page draws it: its texts are told already, in the language that was asked for.

use plan::{Refusal, RunConfig};
use serde::{Deserialize, Serialize};

use crate::app::doctor::entered::Entered;

/// More findings are counted, not sent: each is a card, and a file of nothing but unknown keys has
/// thousands.
pub const SHOWN: usize = 100;

/// The axes of accelerate's mesh, the last of which varies fastest.
pub const AXES: [&str; 5] = ["dp_replicate", "dp_shard", "cp", "sp", "tp"];

/// The groups that span several of them.
pub const FLATTENED: [&str; 3] = ["dp", "dp_shard_cp", "dp_cp"];

/// What came of what is entered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// Nothing is entered but notes.
    Nothing,
    /// Something cannot be read; the rest is not judged by itself.
    Refused(Vec<Refusal>),
    /// A diagnosis.
    Diagnosed(Box<Report>),
}

/// A diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How it stands.
    pub verdict: Verdict,
    /// The same as a sentence.
    pub sentence: String,
    /// How long the diagnosis took, in milliseconds.
    pub took_ms: f64,
    /// The error that was given, as a note; then what was found, in the order in which a run meets
    /// it, at most [`SHOWN`].
    pub findings: Vec<Finding>,
    /// How many there are in all.
    pub found: Found,
    /// What was taken for granted; empty if nothing was.
    pub assumed: String,
    /// The run as it would work, where something can be corrected.
    pub corrected: Option<Corrected>,
    /// What will become of the CP context.
    pub fate: String,
    /// Where the run stops first, if it does.
    pub stops: Option<String>,
    /// The mesh that results, where enough is known.
    pub mesh: Option<Mesh>,
    /// The same mesh in the playground.
    pub playground: Option<Playground>,
    /// The checklists.
    pub stories: Vec<Story>,
}

/// How a diagnosis stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Nothing speaks against the run.
    Ok,
    /// It may go wrong.
    Warning,
    /// It will.
    Error,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// Good to know.
    Info,
    /// It may go wrong.
    Warning,
    /// It will.
    Error,
}

/// How many findings there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
}

impl Found {
    /// Together.
    pub fn all(self) -> usize {
        self.errors + self.warnings + self.notes
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// When it shows.
    pub stage: String,
    /// Line and column in the configuration.
    pub place: Option<(usize, usize)>,
    /// What the user will see.
    pub message: String,
    /// Why.
    pub why: String,
    /// What to change.
    pub fix: String,
    /// The first version that behaves so.
    pub since: Option<String>,
    /// The first version that does not.
    pub fixed_in: Option<String>,
    /// Where this is public.
    pub reference: Option<String>,
    /// The reference's address.
    pub link: Option<String>,
}

/// The run as it would work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Corrected {
    /// The configuration file.
    pub config: Option<String>,
    /// The line for the launcher.
    pub launch: Option<String>,
    /// The variables.
    pub environment: Vec<(String, String)>,
    /// Packages to install, as pip takes them.
    pub install: Vec<String>,
    /// What to change in the script by hand.
    pub script: Vec<String>,
    /// The same, to be entered in place of what is.
    pub entered: Entered,
}

/// The mesh that results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mesh {
    /// Sizes above 1, in the mesh's order.
    pub axes: Vec<(String, u64)>,
    /// Ranks in all.
    pub world_size: u64,
    /// Every size, place by place as in [`AXES`]; `None` where the ranks cannot be listed.
    pub sizes: Option<[usize; 5]>,
    /// Groups by name with the axes that they span.
    pub kinds: Vec<(String, Vec<usize>)>,
    /// What else there is to say, as a sentence.
    pub note: Option<String>,
}

/// A run for the playground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Playground {
    /// The run.
    pub run: RunConfig,
    /// What differs from the run that was diagnosed.
    pub notes: Vec<String>,
}

/// One story's checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// Its name.
    pub id: String,
    /// What people report.
    pub title: String,
    /// What to look at, in order.
    pub steps: Vec<Step>,
}

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The question.
    pub question: String,
    /// How it stands.
    pub state: State,
    /// What is known.
    pub answer: String,
}

/// How a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// It is in order.
    Fine,
    /// It may be at fault.
    Doubtful,
    /// It is at fault.
    Broken,
    /// It was not said.
    Unknown,
    /// It does not matter for this run.
    Beside,
}
