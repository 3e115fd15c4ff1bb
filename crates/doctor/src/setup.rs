//! Everything that was given, lowered once into what it means.

mod asked;
mod gpus;
mod parallelism;
mod resolve;

use plan::{Message, message};

use crate::facts::Facts;
use crate::flags::Line;
use crate::input::{Input, Machine};
use crate::version::Version;

pub use gpus::Hidden;
pub use parallelism::{Axis, Ignored, Parallelism, Sizes};
pub(crate) use resolve::accelerate_version;
use resolve::resolve;

/// What was given, and what it means.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Whether a configuration file was given.
    pub source: Source,
    /// The line given to the launcher.
    pub line: Line,
    /// What starts the script.
    pub starter: Starter,
    /// What kind of run it becomes.
    pub kind: Kind,
    /// Who asks for the CPU, if anyone.
    pub cpu: Option<CpuWish>,
    /// Processes in all, where it is known.
    pub processes: Option<u64>,
    /// The sizes that are asked for.
    pub asked: Sizes,
    /// Whether the launcher sets the variables of the sizes itself.
    pub handed_on: bool,
    /// Whether every size and number of processes could be read.
    pub legible: Legible,
    /// Whether anyone acts on them.
    pub parallelism: Parallelism,
    /// How keys and values travel, as given.
    pub strategy: Option<String>,
    /// Mixed precision, as given.
    pub precision: Option<String>,
    /// accelerate's version, or the one that is assumed.
    pub accelerate: Version,
    /// torch's version, where it is known.
    pub torch: Option<Version>,
    /// TRL's version, where it is known.
    pub trl: Option<Version>,
    /// What is known of the script.
    pub facts: Facts,
    /// GPUs that the processes can see.
    pub gpus: GpuCount,
    /// Who hides some of them.
    pub hidden: Option<Hidden>,
    /// The list that the launcher is given, unless it is `all`.
    pub gpu_ids: Option<String>,
    /// Machines, and the place of this one among them.
    pub machines: Machines,
    /// The machine.
    pub machine: Option<Machine>,
    /// Whether a launcher has set the variables of a process group.
    pub group: GroupVariables,
    /// Whether CP without FSDP is let through.
    pub standalone: bool,
    /// Whether mpirun starts the processes.
    pub mpirun: bool,
    /// What was taken for granted.
    pub assumed: Vec<Message>,
}

/// Whether every size and number of processes could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legible {
    /// Each that was given.
    Yes,
    /// One at least was given and is no number; what depends on it is not judged.
    No,
}

/// Machines, as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machines {
    /// How many.
    pub count: u64,
    /// Which of them this is, counted from 0.
    pub rank: Option<u64>,
    /// Whether the address of the first was given.
    pub address: bool,
}

/// Where most of the settings come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A configuration file that could be read.
    Config,
    /// A configuration file for SageMaker.
    SageMaker,
    /// A configuration file that could not be read.
    Unreadable,
    /// Flags or variables alone.
    NoConfig,
}

/// What starts the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    /// `accelerate launch`.
    Launch,
    /// `accelerate launch` by all signs, but on Colab it may be the notebook's launcher.
    PerhapsNotebook,
    /// `notebook_launcher`.
    Notebook,
    /// `torchrun`.
    Torchrun,
    /// `python`, by itself or under MPI.
    Python,
}

/// What kind of run it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One process.
    Single,
    /// Several processes on CPUs.
    MultiCpu,
    /// One process an accelerator, each with a whole copy.
    MultiDevice,
    /// FSDP, first or second version.
    Fsdp(FsdpVersion),
    /// DeepSpeed.
    Deepspeed,
    /// Megatron-LM.
    Megatron,
    /// XLA.
    Xla,
}

/// FSDP's two implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FsdpVersion {
    /// The first, which is the default.
    One,
    /// The second, on which CP builds.
    Two,
}

/// Who asks for the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuWish {
    /// `--cpu`.
    Flag,
    /// `use_cpu: true`.
    Config,
    /// `ACCELERATE_USE_CPU` or `ACCELERATE_TORCH_DEVICE`.
    Environment,
    /// The kind of run is a CPU's.
    Kind,
}

/// GPUs that the processes can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuCount {
    /// The machine was not said.
    Unsaid,
    /// So many in all.
    Known(u64),
}

/// Whether a launcher has set the variables of a process group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupVariables {
    /// None.
    Absent,
    /// A world size from MPI, which sets no `LOCAL_RANK`.
    Mpi,
    /// `LOCAL_RANK` or a world size, from torchrun.
    Present,
}

impl Setup {
    /// Lowers `input`; `config` is its configuration as read.
    pub fn new(input: &Input, config: &crate::read::Config, line: Line) -> Self {
        resolve(input, config, line)
    }

    /// Whether CP is on: asked for, heard, and known to the version.
    pub fn cp_on(&self) -> bool {
        self.parallelism == Parallelism::On && self.asked.cp > 1
    }

    /// Whether the run is known to have no GPU: by its own wish or the machine's lack.
    pub fn on_cpu(&self) -> bool {
        self.cpu.is_some() || self.gpus == GpuCount::Known(0)
    }

    /// Whether `accelerate launch` starts the script.
    pub fn launched(&self) -> bool {
        matches!(self.starter, Starter::Launch | Starter::PerhapsNotebook)
    }

    /// Whether the machine is known to have no GPU.
    pub fn no_gpu(&self) -> bool {
        self.gpus == GpuCount::Known(0)
    }
}

impl Kind {
    /// Whether accelerate makes a process group over accelerators for it.
    pub fn over_devices(self) -> bool {
        match self {
            Self::MultiDevice | Self::Fsdp(_) | Self::Deepspeed | Self::Megatron => true,
            Self::Single | Self::MultiCpu | Self::Xla => false,
        }
    }

    /// Its name for people.
    pub fn title(self) -> Message {
        match self {
            Self::Single => message!("a single process"),
            Self::MultiCpu => "MULTI_CPU".into(),
            Self::MultiDevice => message!("plain data parallelism (MULTI_GPU)"),
            Self::Fsdp(FsdpVersion::One) => "FSDP 1".into(),
            Self::Fsdp(FsdpVersion::Two) => "FSDP 2".into(),
            Self::Deepspeed => "DeepSpeed".into(),
            Self::Megatron => "Megatron-LM".into(),
            Self::Xla => "XLA".into(),
        }
    }
}
