//! The decision tree itself: at each step the branches that there are, in the order in which they
//! are looked at. What is drawn and what is decided come from the same names.

use serde::{Deserialize, Serialize};

use super::profile::Step;

/// How a branch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a result; the next step follows.
    GoesOn,
    /// With a refusal.
    Refuses,
}

macro_rules! branches {
    ($($(#[$doc:meta])* $branch:ident = $step:ident, $end:ident, $when:literal => $then:literal;)*) => {
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
            pub fn when(self) -> &'static str {
                match self { $(Self::$branch => $when,)* }
            }

            /// What it leads to, in a word or two.
            pub fn then(self) -> &'static str {
                match self { $(Self::$branch => $then,)* }
            }
        }
    };
}

branches! {
    /// `force_cpu` wins over everything.
    ForcedCpu = Device, GoesOn, "force_cpu is set" => "cpu";
    /// The CPU was asked for.
    AskedCpu = Device, GoesOn, "device = cpu" => "cpu";
    /// There is a GPU that can be used.
    Gpu = Device, GoesOn, "a GPU can be used" => "cuda";
    /// There is none and none was asked for.
    NoGpu = Device, GoesOn, "none, and device = auto" => "cpu";
    /// A GPU was asked for and there is none.
    GpuRefused = Device, Refuses, "none, and device = cuda" => "refused";

    /// Nothing that needs a GPU is wanted.
    NothingWanted = Features, GoesOn, "nothing needs a GPU" => "go on";
    /// Something is, and there is one.
    FeaturesOnGpu = Features, GoesOn, "wanted, on a GPU" => "go on";
    /// Something is, and there is none.
    FeaturesRefused = Features, Refuses, "wanted, on the CPU" => "refused";

    /// A page was asked for what only programs have.
    NotInAPage = Backend, Refuses, "page: another is asked for" => "refused";
    /// A browser without module workers or SIMD.
    NoWorkers = Backend, Refuses, "page: no workers, no SIMD" => "refused";
    /// A page.
    Workers = Backend, GoesOn, "page" => "workers";
    /// A program was asked for what only pages have.
    OnlyInAPage = Backend, Refuses, "workers outside a page" => "refused";
    /// NCCL cannot be had.
    NoNccl = Backend, Refuses, "nccl without GPU or build" => "refused";
    /// NCCL, asked for or one rank a GPU.
    Nccl = Backend, GoesOn, "a GPU for each rank" => "nccl";
    /// MPI cannot be had.
    NoMpi = Backend, Refuses, "mpi, but nobody started it" => "refused";
    /// MPI started the processes.
    Mpi = Backend, GoesOn, "MPI started the processes" => "mpi";
    /// Several processes without a way to talk.
    Alone = Backend, Refuses, "processes that cannot talk" => "refused";
    /// One process.
    Threads = Backend, GoesOn, "one process" => "threads";

    /// No run has so many ranks.
    NoSuchSize = WorldSize, Refuses, "not from 1 to 1,024" => "refused";
    /// Another number than MPI has started.
    AnotherSize = WorldSize, Refuses, "not what MPI started" => "refused";
    /// As many as MPI has started.
    Launched = WorldSize, GoesOn, "MPI started them" => "as many";
    /// More ranks than GPUs under NCCL.
    MoreThanGpus = WorldSize, Refuses, "nccl: more than GPUs" => "refused";
    /// One rank a GPU.
    OneAGpu = WorldSize, GoesOn, "nccl: one a GPU" => "as many";
    /// More workers than the page has room for.
    NoRoom = WorldSize, Refuses, "page: no room for so many" => "refused";
    /// Ranks share the cores.
    ShareCores = WorldSize, GoesOn, "ranks share the cores" => "as asked";
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
    pub fn question(self) -> &'static str {
        match self {
            Self::Device => "Which device?",
            Self::Features => "Can it do what is wanted?",
            Self::Backend => "How do the ranks talk?",
            Self::WorldSize => "How many ranks?",
        }
    }
}
