//! The diagnosis as a whole.

use plan::{Message, message};
use serde::Serialize;

use crate::correct::Corrected;
use crate::finding::{Finding, Id, Severity, Stage};
use crate::mesh::Mesh;
use crate::playground::Playground;
use crate::setup::{Legible, Parallelism, Setup};
use crate::story::Story;
use crate::symptom::Symptom;

/// The diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// How it stands.
    pub verdict: Verdict,
    /// The error that was given, and what is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Symptom>,
    /// The mesh that results, where enough is known.
    pub mesh: Option<Mesh>,
    /// What will become of the CP context.
    pub context: Context,
    /// What was found, in the order in which a run meets it.
    pub findings: Vec<Finding>,
    /// What was taken for granted.
    pub assumed: Vec<Message>,
    /// The run as it would work, where something can be corrected.
    pub corrected: Option<Corrected>,
    /// The two stories' checklists.
    pub stories: Vec<Story>,
    /// The mesh scaled down for the playground.
    pub playground: Option<Playground>,
}

impl Report {
    /// How it stands, as a sentence. Of an error whose cause was not found, that is about the error.
    pub fn title(&self) -> Message {
        let found = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        match &self.error {
            Some(error) if !found => error.title(),
            _ => self.verdict.title(),
        }
    }
}

/// How a diagnosis stands: as its worst finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing speaks against it.
    Ok,
    /// It may go wrong.
    Warning,
    /// It will.
    Error,
}

impl Verdict {
    /// The verdict on some findings, and on the error in which the run ended.
    pub(crate) fn of(findings: &[Finding], error: Option<&Symptom>) -> Self {
        let ended = error.map(|error| match error.is_known() {
            true => Severity::Error,
            false => Severity::Warning,
        });
        match findings.iter().map(|finding| finding.severity).chain(ended).max() {
            None | Some(Severity::Info) => Self::Ok,
            Some(Severity::Warning) => Self::Warning,
            Some(Severity::Error) => Self::Error,
        }
    }
}

/// What will become of the CP context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Context {
    /// Its fate.
    pub fate: Fate,
    /// Where the run stops first, if it does.
    pub stops: Option<Stage>,
}

/// The fate of the CP context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// What was given could not be read.
    Unknown,
    /// Nothing was given but an error.
    Unsaid,
    /// Nobody asks for one.
    NotAsked,
    /// It is asked for and nobody listens.
    Ignored,
    /// The run stops before it would be built.
    NotReached,
    /// `prepare` passes it over.
    NeverBuilt,
    /// It is entered before it is built.
    EnteredTooEarly,
    /// It is built.
    Built,
}

impl Fate {
    /// The fate in words.
    pub fn title(self) -> Message {
        match self {
            Self::Unknown => message!("not known, as what was given cannot be read"),
            Self::Unsaid => message!("not known, as no configuration was given"),
            Self::NotAsked => message!("not asked for"),
            Self::Ignored => message!("asked for, and nobody listens"),
            Self::NotReached => message!("the run stops before it would be built"),
            Self::NeverBuilt => message!("prepare() passes it over"),
            Self::EnteredTooEarly => message!("entered before it is built"),
            Self::Built => message!("built in prepare()"),
        }
    }
}

impl Verdict {
    /// The verdict as a sentence.
    pub fn title(self) -> Message {
        match self {
            Self::Ok => message!("Nothing speaks against this run."),
            Self::Warning => message!("This run may go wrong."),
            Self::Error => message!("This run will go wrong."),
        }
    }
}

impl Context {
    /// The context's fate under these findings.
    pub(crate) fn of(setup: &Setup, findings: &[Finding]) -> Self {
        let stops = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.stage)
            .filter(|&stage| stage != Stage::Silent)
            .min();
        let found = |id| findings.iter().any(|finding| finding.id == id);
        let early = stops.is_some_and(|stage| stage < Stage::FirstStep);
        let illegible = setup.legible == Legible::No && setup.asked.cp <= 1;
        let fate = if found(Id::BadYaml) || illegible {
            Fate::Unknown
        } else if setup.asked.cp <= 1 {
            Fate::NotAsked
        } else if matches!(setup.parallelism, Parallelism::Ignored(_)) {
            Fate::Ignored
        } else if early {
            Fate::NotReached
        } else if found(Id::CpContextNeverBuilt) {
            Fate::NeverBuilt
        } else if found(Id::CpContextBeforePrepare) {
            Fate::EnteredTooEarly
        } else {
            Fate::Built
        };
        Self { fate, stops }
    }
}
