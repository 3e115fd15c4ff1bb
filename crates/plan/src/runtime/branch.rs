//! The decision tree itself: at each step the branches that there are, in the order in which they
//! are looked at. What is drawn and what is decided come from the same names.

use serde::{Deserialize, Serialize};

use super::profile::Step;
use crate::{Message, message};

/// How a branch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a result; the next step follows.
    GoesOn,
    /// With a refusal.
    Refuses,
}

macro_rules! branches {
    ($($(#[$doc:meta])* $branch:ident = $step:ident, $end:ident, $when:expr => $then:expr;)*) => {
        /// One branch of the tree.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Branch { $($(#[$doc])* $branch,)* }

        impl Branch {
            /// Every branch, step by step.
            pub const ALL: &[Self] = &[$(Self::$branch,)*];

            /// The step at which it is looked at.
            pub fn step(self) -> Step {
                match self { $(Self::$branch => Step::$step,)* }
            }

            /// How it ends.
            pub fn end(self) -> End {
                match self { $(Self::$branch => End::$end,)* }
            }

            /// When it is taken, in a few words.
            pub fn when(self) -> Message {
                match self { $(Self::$branch => $when.into(),)* }
            }

            /// What it leads to, in a word or two.
            pub fn then(self) -> Message {
                match self { $(Self::$branch => $then.into(),)* }
            }
        }
    };
}

branches! {
    /// `force_cpu` wins over everything.
    ForcedCpu = Device, GoesOn, message!("force_cpu is set") => "cpu";
    /// The CPU was asked for.
    AskedCpu = Device, GoesOn, "device = cpu" => "cpu";
    /// There is a GPU that can be used.
    Gpu = Device, GoesOn, message!("a GPU can be used") => "cuda";
    /// There is none and none was asked for.
    NoGpu = Device, GoesOn, message!("none, and device = auto") => "cpu";
    /// A GPU was asked for and there is none.
    GpuRefused = Device, Refuses, message!("none, and device = cuda") => message!("refused");

    /// Nothing that needs a GPU is wanted.
    NothingWanted = Features, GoesOn, message!("nothing needs a GPU") => message!("go on");
    /// Something is, and there is one.
    FeaturesOnGpu = Features, GoesOn, message!("wanted, on a GPU") => message!("go on");
    /// Something is, and there is none.
    FeaturesRefused = Features, Refuses, message!("wanted, on the CPU") => message!("refused");

    /// A page was asked for what only programs have.
    NotInAPage = Backend, Refuses, message!("page: another is asked for") => message!("refused");
    /// A browser without module workers or SIMD.
    NoWorkers = Backend, Refuses, message!("page: no workers, no SIMD") => message!("refused");
    /// A page.
    Workers = Backend, GoesOn, message!("page") => "workers";
    /// A program was asked for what only pages have.
    OnlyInAPage = Backend, Refuses, message!("workers outside a page") => message!("refused");
    /// NCCL cannot be had.
    NoNccl = Backend, Refuses, message!("nccl without GPU or build") => message!("refused");
    /// NCCL, asked for or one rank a GPU.
    Nccl = Backend, GoesOn, message!("a GPU for each rank") => "nccl";
    /// MPI cannot be had.
    NoMpi = Backend, Refuses, message!("mpi, but nobody started it") => message!("refused");
    /// MPI started the processes.
    Mpi = Backend, GoesOn, message!("MPI started the processes") => "mpi";
    /// Several processes without a way to talk.
    Alone = Backend, Refuses, message!("processes that cannot talk") => message!("refused");
    /// One process.
    Threads = Backend, GoesOn, message!("one process") => "threads";

    /// No run has so many ranks.
    NoSuchSize = WorldSize, Refuses, message!("not from 1 to 1,024") => message!("refused");
    /// Another number than MPI has started.
    AnotherSize = WorldSize, Refuses, message!("not what MPI started") => message!("refused");
    /// As many as MPI has started.
    Launched = WorldSize, GoesOn, message!("MPI started them") => message!("as many");
    /// More ranks than GPUs under NCCL.
    MoreThanGpus = WorldSize, Refuses, message!("nccl: more than GPUs") => message!("refused");
    /// One rank a GPU.
    OneAGpu = WorldSize, GoesOn, message!("nccl: one a GPU") => message!("as many");
    /// More workers than the page has room for.
    NoRoom = WorldSize, Refuses, message!("page: no room for so many") => message!("refused");
    /// Ranks share the cores.
    ShareCores = WorldSize, GoesOn, message!("ranks share the cores") => message!("as asked");
}

impl Branch {
    /// The branches of a step, in the order in which they are looked at.
    pub fn at(step: Step) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |branch| branch.step() == step)
    }
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Self; 4] = [Self::Device, Self::Features, Self::Backend, Self::WorldSize];

    /// What is asked at this step.
    pub fn question(self) -> Message {
        match self {
            Self::Device => message!("Which device?"),
            Self::Features => message!("Can it do what is wanted?"),
            Self::Backend => message!("How do the ranks talk?"),
            Self::WorldSize => message!("How many ranks?"),
        }
    }
}
