//! What will run, and the trail of decisions that led there.

use serde::{Deserialize, Serialize};

use super::branch::Branch;
use crate::{Message, Refusal, WorldSize, message};

/// What will run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeProfile {
    /// Where tensors live.
    pub device: Device,
    /// How ranks talk.
    pub backend: Backend,
    /// Whether the CPU is used, and at whose wish.
    pub cpu_mode: CpuMode,
    /// Ranks.
    pub world_size: WorldSize,
}

/// Where tensors live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Device {
    /// The CPU.
    Cpu,
    /// CUDA devices.
    Cuda,
}

/// How ranks talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Threads of one process.
    Threads,
    /// Web workers of one page.
    Workers,
    /// Processes started by MPI.
    Mpi,
    /// NCCL, one rank a GPU.
    Nccl,
}

impl Backend {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Workers => "workers",
            Self::Mpi => "mpi",
            Self::Nccl => "nccl",
        }
    }
}

/// Whether the CPU is used, and at whose wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CpuMode {
    /// It is not: the device is a GPU.
    Off,
    /// `force_cpu`.
    Forced,
    /// `device = cpu`.
    Chosen,
    /// There is nothing else.
    Fallback,
}

/// A step on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Which device.
    #[default]
    Device,
    /// Whether the device can do what is wanted.
    Features,
    /// Which backend.
    Backend,
    /// How many ranks.
    WorldSize,
}

/// How a decision stands to what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// As asked, or nothing was asked.
    Taken,
    /// Something was asked that `force_cpu` outranks.
    Overruled,
    /// It cannot be had.
    Refused,
}

/// One decision and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The step it belongs to.
    pub step: Step,
    /// How it stands to what was asked.
    pub standing: Standing,
    /// What was decided.
    pub choice: String,
    /// Why.
    pub reason: Message,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// This will run.
    Runs(RuntimeProfile),
    /// It cannot be had.
    Refused(Refusal),
}

/// The outcome and how it came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detection {
    /// Every decision, in order.
    pub trail: Vec<Decision>,
    /// The way through the tree: one branch a step, as far as it came.
    pub path: Vec<Branch>,
    /// What came of it.
    pub outcome: Outcome,
}

impl Detection {
    /// The profile, or the refusal as an error.
    pub fn profile(&self) -> Result<RuntimeProfile, Refusal> {
        match &self.outcome {
            Outcome::Runs(profile) => Ok(*profile),
            Outcome::Refused(refusal) => Err(refusal.clone()),
        }
    }
}

/// Collects decisions on the way.
#[derive(Default)]
pub(super) struct Trail {
    step: Step,
    decisions: Vec<Decision>,
    path: Vec<Branch>,
}

impl Trail {
    pub(super) fn enter(&mut self, step: Step) {
        self.step = step;
    }

    /// Names the branch that is taken at this step.
    pub(super) fn at(&mut self, branch: Branch) {
        self.path.push(branch);
    }

    pub(super) fn took(&mut self, choice: impl Into<String>, reason: Message) {
        self.push(Standing::Taken, choice.into(), reason);
    }

    pub(super) fn overruled(&mut self, choice: impl Into<String>, reason: Message) {
        self.push(Standing::Overruled, choice.into(), reason);
    }

    pub(super) fn refused(&mut self, refusal: &Refusal) {
        let choice = format!("{} = {}", refusal.field, refusal.value);
        let Refusal { reason, works, .. } = refusal;
        self.push(Standing::Refused, choice, message!("{reason}; {works}", reason, works));
    }

    pub(super) fn into_parts(self) -> (Vec<Decision>, Vec<Branch>) {
        (self.decisions, self.path)
    }

    fn push(&mut self, standing: Standing, choice: String, reason: Message) {
        self.decisions.push(Decision { step: self.step, standing, choice, reason });
    }
}
