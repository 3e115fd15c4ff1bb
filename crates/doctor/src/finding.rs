//! What the doctor finds: its name, how bad it is, when it shows, and what is known about it.

use plan::{Message, message};
use serde::{Serialize, Serializer};

use crate::correct::Edit;
use crate::yaml::Place;

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Its name.
    pub id: Id,
    /// How bad it is.
    pub severity: Severity,
    /// When it shows.
    pub stage: Stage,
    /// What the user will see.
    pub message: Message,
    /// Why.
    pub why: Message,
    /// What to change.
    pub fix: Message,
    /// The first version that behaves so.
    pub since: Option<&'static str>,
    /// The first version that does not.
    pub fixed_in: Option<&'static str>,
    /// Where this is public.
    pub reference: Option<&'static str>,
    /// Where in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What to change, for the corrected configuration.
    #[serde(skip)]
    pub edits: Vec<Edit>,
}

impl Finding {
    /// A finding with what the catalogue knows of it.
    pub fn new(id: Id, severity: Severity, stage: Stage) -> Self {
        let (since, fixed_in, reference) = id.history();
        Self {
            id,
            severity,
            stage,
            message: Message::default(),
            why: Message::default(),
            fix: Message::default(),
            since,
            fixed_in,
            reference,
            place: None,
            edits: vec![],
        }
    }

    /// What the user will see, why, and what to change.
    pub fn says(mut self, message: Message, why: Message, fix: Message) -> Self {
        self.message = message;
        self.why = why;
        self.fix = fix;
        self
    }

    /// Another reference than the catalogue's.
    pub fn refers_to(mut self, reference: Option<&'static str>) -> Self {
        self.reference = reference;
        self
    }

    /// Other versions than the catalogue's.
    pub fn between(mut self, since: &'static str, fixed_in: Option<&'static str>) -> Self {
        self.since = Some(since);
        self.fixed_in = fixed_in;
        self
    }

    /// The reference's address, where it is one of a public repository.
    ///
    /// `owner/name#3856` is an issue or a pull request, `owner/name src/state.py` a file.
    pub fn link(&self) -> Option<String> {
        let reference = self.reference?;
        let at = |repository: &str, rest: String| {
            repository.contains('/').then(|| format!("https://github.com/{repository}/{rest}"))
        };
        match (reference.split_once('#'), reference.split_once(' ')) {
            (Some((repository, number)), _) => at(repository, format!("issues/{number}")),
            (None, Some((repository, file))) => at(repository, format!("blob/main/{file}")),
            (None, None) => None,
        }
    }

    /// Where in the configuration.
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// What to change, for the corrected configuration.
    pub fn corrected_by(mut self, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.edits.extend(edits);
        self
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know; nothing is wrong.
    Info,
    /// It may go wrong, depending on what cannot be seen from here.
    Warning,
    /// The run stops, or trains something else than was asked for.
    Error,
}

/// When a finding shows, in the order of a run's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The configuration is read.
    Read,
    /// `accelerate launch` or `notebook_launcher` starts the processes.
    Launch,
    /// `Accelerator()` is built.
    Accelerator,
    /// `accelerator.prepare()`.
    Prepare,
    /// The first forward and backward.
    FirstStep,
    /// Never: the run goes on and nobody is told.
    Silent,
}

impl Stage {
    /// The stage in words.
    pub fn title(self) -> Message {
        match self {
            Self::Read => message!("when the configuration is read"),
            Self::Launch => message!("at launch"),
            Self::Accelerator => message!("in Accelerator()"),
            Self::Prepare => message!("in prepare()"),
            Self::FirstStep => message!("at the first step"),
            Self::Silent => message!("without an error message"),
        }
    }
}

/// Version since, version fixed in, public reference.
type History = (Option<&'static str>, Option<&'static str>, Option<&'static str>);

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $since:expr, $fixed:expr, $reference:expr;)*) => {
        /// The name of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Id { $($(#[$doc])* $id,)* }

        impl Id {
            /// Every name.
            pub const ALL: &[Self] = &[$(Self::$id,)*];

            /// The name as it is printed.
            pub fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }

            fn history(self) -> History {
                match self { $(Self::$id => ($since, $fixed, $reference),)* }
            }
        }
    };
}

const CP_PR: Option<&str> = Some("huggingface/accelerate#3700");
/// Where accelerate reads variables and takes its devices.
pub(crate) const STATE: Option<&str> = Some("huggingface/accelerate src/accelerate/state.py");
const CONFIG: Option<&str> = Some("huggingface/accelerate src/accelerate/parallelism_config.py");
/// The launcher.
pub(crate) const LAUNCH: Option<&str> =
    Some("huggingface/accelerate src/accelerate/commands/launch.py");
const FILE: Option<&str> =
    Some("huggingface/accelerate src/accelerate/commands/config/config_args.py");
const NOTEBOOK: Option<&str> = Some("huggingface/accelerate src/accelerate/launchers.py");
const GUIDE: Option<&str> =
    Some("huggingface/accelerate docs/source/concept_guides/context_parallelism.md");

ids! {
    /// The text is no YAML.
    BadYaml = "bad-yaml", None, None, None;
    /// A key or flag that accelerate does not know.
    UnknownKey = "unknown-key", None, None, FILE;
    /// A key that occurs twice.
    DuplicateKey = "duplicate-key", None, None, FILE;
    /// A key that accelerate insists on.
    MissingKey = "missing-key", None, None, FILE;
    /// A value that cannot be.
    BadValue = "bad-value", None, None, FILE;
    /// A version that is not known here.
    UnknownVersion = "unknown-version", None, None, None;
    /// A part that was not read or is beyond the doctor.
    NotUnderstood = "not-understood", None, None, None;
    /// A text that stands in another's place.
    MisplacedText = "misplaced-text", None, None, None;
    /// Flags that exclude each other.
    FlagsContradict = "flags-contradict", None, None, LAUNCH;
    /// Processes, machines and their ranks that do not fit together.
    MachinesDoNotFit = "machines-do-not-fit", None, None, LAUNCH;
    /// accelerate has no CP yet.
    NoCpInVersion = "no-cp-in-version", None, Some("1.10.0"), CP_PR;
    /// CP is asked for where nobody listens.
    CpFlagIgnored = "cp-flag-ignored", Some("1.10.0"), None, LAUNCH;
    /// The CPU and FSDP at once.
    CpuWithFsdp = "cpu-with-fsdp", None, None, LAUNCH;
    /// CP on a CPU.
    CpOnCpu = "cp-on-cpu", Some("1.10.0"), None, STATE;
    /// The launcher asks nvidia-smi, which is not there.
    NvidiaSmiMissing = "nvidia-smi-missing", None, Some("1.13.0"), Some("huggingface/accelerate#3871");
    /// The number of processes is not looked at.
    ProcessesIgnored = "processes-ignored", None, None, NOTEBOOK;
    /// Ranks that each believe they are alone.
    RanksAlone = "ranks-alone", Some("1.13.0"), None, STATE;
    /// GPUs that nobody looks at.
    GpusPassedOver = "gpus-passed-over", None, Some("1.13.0"), STATE;
    /// NCCL without CUDA.
    NcclWithoutCuda = "nccl-without-cuda", None, None, STATE;
    /// More processes than GPUs.
    MoreRanksThanGpus = "more-ranks-than-gpus", None, None, STATE;
    /// Something that needs a GPU where there is none.
    GpuOnlyFeature = "gpu-only-feature", None, None, STATE;
    /// torch is older than CP.
    TorchTooOld = "torch-too-old", Some("1.10.0"), None, CP_PR;
    /// What `alltoall` means, or a name that is none.
    StrategyName = "strategy-name", Some("1.10.0"), None, GUIDE;
    /// CP and SP at once.
    CpAndSp = "cp-and-sp", Some("1.13.0"), None, CONFIG;
    /// CP with replicas that shard nothing.
    CpWithPureDp = "cp-with-pure-dp", Some("1.10.0"), None, CONFIG;
    /// CP without FSDP2.
    CpNeedsFsdp2 = "cp-needs-fsdp2", Some("1.10.0"), None, STATE;
    /// The sizes do not multiply to the number of processes.
    SizesDoNotMultiply = "sizes-do-not-multiply", Some("1.10.0"), None, CONFIG;
    /// FSDP2 with nothing to shard over.
    NothingToShard = "nothing-to-shard", Some("1.10.0"), None, CONFIG;
    /// A sliding window under CP.
    WindowWithCp = "window-with-cp", Some("1.10.0"), Some("1.15.0"), Some("huggingface/accelerate#4177");
    /// An attention that CP does not reach.
    AttentionNotSdpa = "attention-not-sdpa", Some("1.10.0"), None, Some("huggingface/transformers#40205");
    /// The context is never built.
    CpContextNeverBuilt = "cp-context-never-built", Some("1.12.0"), Some("1.13.0"), Some("huggingface/accelerate#3856");
    /// The context is entered before it is built.
    CpContextBeforePrepare = "cp-context-before-prepare", Some("1.10.0"), None, GUIDE;
    /// A length that the ring cannot share out.
    LengthNotDivisible = "length-not-divisible", Some("1.10.0"), None, GUIDE;
    /// Packing under CP.
    PackingWithCp = "packing-with-cp", Some("1.10.0"), None, Some("huggingface/trl#6843");
    /// A mask that is dropped.
    MaskDropped = "mask-dropped", Some("1.10.0"), None, CP_PR;
    /// A mean of means.
    LossUnequalShards = "loss-unequal-shards", Some("1.10.0"), None, GUIDE;
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_somewhere() {
        let link = |id| Finding::new(id, Severity::Info, Stage::Read).link();
        let issue = "https://github.com/huggingface/accelerate/issues/3856";
        assert_eq!(link(Id::CpContextNeverBuilt).as_deref(), Some(issue));
        let file = "https://github.com/huggingface/accelerate/blob/main/src/accelerate/state.py";
        assert_eq!(link(Id::RanksAlone).as_deref(), Some(file));
        for &id in Id::ALL {
            let finding = Finding::new(id, Severity::Info, Stage::Read);
            assert_eq!(finding.reference.is_some(), finding.link().is_some(), "{id}");
        }
    }
}
