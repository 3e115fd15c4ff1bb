//! The settings of a run as the page offers them: key, label, hint and what may be entered.

use std::borrow::Cow;

use crate::t;

/// One setting; its key is the field's name in `RunConfig` and in the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Ranks that share each sequence.
    Cp,
    /// Replicas of that group.
    Dp,
    /// How attention is shared.
    Strategy,
    /// U of U x R.
    UlyssesDegree,
    /// Which positions each rank holds.
    Layout,
    /// Which data.
    Task,
    /// Tokens in a sequence.
    SeqLen,
    /// Packed documents.
    Documents,
    /// Sliding window.
    Window,
    /// Sequences a step.
    Batch,
    /// Micro-batches.
    GradAccum,
    /// Layers.
    Layers,
    /// Width.
    DModel,
    /// Query heads.
    Heads,
    /// Key/value heads.
    KvHeads,
    /// Steps in all.
    Steps,
    /// Peak learning rate.
    Lr,
    /// Warm-up.
    WarmupSteps,
    /// Update rule.
    Optimizer,
    /// AdamW's decay.
    WeightDecay,
    /// Gradient clipping.
    GradClip,
    /// Evaluation interval.
    EvalEvery,
    /// Evaluation size.
    EvalBatches,
    /// Seed.
    Seed,
    /// What is wrong on purpose.
    Fault,
    /// How fast the run may go.
    Speed,
    /// The loss that is low enough.
    StopLoss,
    /// The time that is enough.
    StopSeconds,
    /// The latency that is modelled.
    LinkLatency,
    /// The bandwidth that is modelled.
    LinkBandwidth,
    /// The rank that is modelled slow.
    SlowRank,
    /// How slow.
    SlowFactor,
}

/// What may be entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// One of a few names.
    Choice(&'static [&'static str]),
    /// A whole number offered as a few choices; the address may hold any in range.
    Few(&'static [&'static str], u64, u64),
    /// A whole number; an empty value is allowed where a word of the catalogue says what it means.
    Whole(u64, u64, Option<&'static str>),
    /// A number.
    Real(f64, f64),
    /// A number, or nothing.
    MaybeReal(f64, f64),
    /// Lengths of packed documents, `x4` for four equal ones, empty for one.
    Documents,
}

/// The most workers that one page starts.
pub const MAX_WORLD: u64 = plan::runtime::MAX_WORKERS as u64;

/// The most steps of a run in the page.
pub const MAX_STEPS: u32 = 10_000;

const RANKS: &[&str] = &["1", "2", "3", "4", "5", "6", "7", "8"];
const STRATEGIES: &[&str] = &["ring", "all-gather", "ulysses", "usp"];
const LAYOUTS: &[&str] = &["contiguous", "zigzag", "striped"];
const TASKS: &[&str] = &["text", "recall", "copy"];
const OPTIMIZERS: &[&str] = &["adamw", "sgd"];
/// Steps a second at most.
const SPEEDS: &[&str] = &["", "10", "3", "1", "0.2"];
/// Microseconds.
const LATENCIES: &[&str] = &["", "0", "10", "100", "1000", "10000"];
/// Bytes a second.
const BANDWIDTHS: &[&str] = &["", "1e11", "1e10", "1e9", "1e8"];
const EACH_RANK: &[&str] = &["", "0", "1", "2", "3", "4", "5", "6", "7"];
const FACTORS: &[&str] = &["1.5", "2", "4"];
const FAULTS: &[&str] = &[
    "",
    "no-exchange",
    "shift-after-sharding",
    "mean-of-means",
    "local-positions",
    "cp-not-configured",
    "cp-before-group",
    "cp-version",
    "cp-assumed",
];
const DEGREES: &[&str] = &["", "1", "2", "4", "8"];

impl Field {
    /// Every field, in the order of the address.
    pub const ALL: [Self; 32] = [
        Self::Task,
        Self::Cp,
        Self::Dp,
        Self::Strategy,
        Self::UlyssesDegree,
        Self::Layout,
        Self::SeqLen,
        Self::Documents,
        Self::Window,
        Self::Batch,
        Self::GradAccum,
        Self::Layers,
        Self::DModel,
        Self::Heads,
        Self::KvHeads,
        Self::Steps,
        Self::Lr,
        Self::WarmupSteps,
        Self::Optimizer,
        Self::WeightDecay,
        Self::GradClip,
        Self::EvalEvery,
        Self::EvalBatches,
        Self::Seed,
        Self::Fault,
        Self::Speed,
        Self::StopLoss,
        Self::StopSeconds,
        Self::LinkLatency,
        Self::LinkBandwidth,
        Self::SlowRank,
        Self::SlowFactor,
    ];

    /// The name in `RunConfig`, in refusals, in the address and in the catalogues.
    pub fn key(self) -> &'static str {
        match self {
            Self::Cp => "cp",
            Self::Dp => "dp",
            Self::Strategy => "strategy",
            Self::UlyssesDegree => "ulysses_degree",
            Self::Layout => "layout",
            Self::Task => "task",
            Self::SeqLen => "seq_len",
            Self::Documents => "documents",
            Self::Window => "window",
            Self::Batch => "batch",
            Self::GradAccum => "grad_accum",
            Self::Layers => "layers",
            Self::DModel => "d_model",
            Self::Heads => "heads",
            Self::KvHeads => "kv_heads",
            Self::Steps => "steps",
            Self::Lr => "lr",
            Self::WarmupSteps => "warmup_steps",
            Self::Optimizer => "optimizer",
            Self::WeightDecay => "weight_decay",
            Self::GradClip => "grad_clip",
            Self::EvalEvery => "eval_every",
            Self::EvalBatches => "eval_batches",
            Self::Seed => "seed",
            Self::Fault => "fault",
            Self::Speed => "speed",
            Self::StopLoss => "stop_loss",
            Self::StopSeconds => "stop_seconds",
            Self::LinkLatency => "link_latency_us",
            Self::LinkBandwidth => "link_bandwidth",
            Self::SlowRank => "slow_rank",
            Self::SlowFactor => "slow_factor",
        }
    }

    /// The label beside the control.
    pub fn label(self) -> Cow<'static, str> {
        t!(format!("fields.{}.label", self.key()))
    }

    /// What it means, in a few words.
    pub fn hint(self) -> Cow<'static, str> {
        t!(format!("fields.{}.hint", self.key()))
    }

    /// What a select shows for a value that it offers; numbers are the same in every language.
    pub fn option(self, value: &'static str) -> Cow<'static, str> {
        match value {
            "" if self == Self::Speed => t!("choices.full"),
            "" if matches!(self, Self::SlowRank | Self::Fault) => t!("choices.no_rank"),
            "" if self.is_what_if() => t!("choices.as_measured"),
            factor if self == Self::SlowFactor => format!("×{factor}").into(),
            link if matches!(self, Self::LinkLatency | Self::LinkBandwidth) => of_link(link),
            "" => t!("choices.automatic"),
            speed if self == Self::Speed => t!("choices.speed", steps = speed),
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => number.into(),
            name => t!(format!("choices.{}.{name}", self.key())),
        }
    }

    /// A value in the words that stand on the control; what is typed stands for itself.
    pub fn shown(self, value: &str) -> Cow<'static, str> {
        let offered = match self.kind() {
            Kind::Choice(all) | Kind::Few(all, ..) => all.iter().find(|&&offered| offered == value),
            Kind::Documents => return documents(value),
            _ if value.is_empty() => return self.placeholder().unwrap_or_default(),
            _ => None,
        };
        offered.map_or_else(|| value.to_owned().into(), |offered| self.option(offered))
    }

    /// What an empty value means, where it is a number that may be left out.
    pub fn placeholder(self) -> Option<Cow<'static, str>> {
        match self.kind() {
            Kind::Whole(_, _, Some(word)) => Some(t!(format!("choices.empty.{word}"))),
            Kind::MaybeReal(..) => Some(t!("choices.never")),
            _ => None,
        }
    }

    /// The field that a refusal or an address names.
    pub fn by_key(key: &str) -> Option<Self> {
        // Too many workers in all is told beside the number of ranks.
        let key = if key == "world_size" { "cp" } else { key };
        Self::ALL.into_iter().find(|field| field.key() == key)
    }

    /// Whether it only says how a run is watched, when it pauses or what is modelled beside it, so
    /// that changing it leaves the run as it is.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::Speed | Self::StopLoss | Self::StopSeconds) || self.is_what_if()
    }

    /// Whether it is about what is modelled and not measured.
    pub fn is_what_if(self) -> bool {
        WHAT_IF.contains(&self)
    }

    /// What may be entered; the limits are the page's own, far below what a machine could do.
    pub fn kind(self) -> Kind {
        match self {
            Self::Cp | Self::Dp => Kind::Few(RANKS, 1, MAX_WORLD),
            Self::Strategy => Kind::Choice(STRATEGIES),
            Self::UlyssesDegree => Kind::Choice(DEGREES),
            Self::Layout => Kind::Choice(LAYOUTS),
            Self::Task => Kind::Choice(TASKS),
            Self::Fault => Kind::Choice(FAULTS),
            Self::Optimizer => Kind::Choice(OPTIMIZERS),
            Self::Documents => Kind::Documents,
            Self::SeqLen => Kind::Whole(1, 4096, None),
            Self::Window => Kind::Whole(1, 4096, Some("everything")),
            Self::Batch | Self::GradAccum => Kind::Whole(1, 8, None),
            Self::Layers => Kind::Whole(1, 8, None),
            Self::DModel => Kind::Whole(2, 256, None),
            Self::Heads => Kind::Whole(1, 32, None),
            Self::KvHeads => Kind::Whole(1, 32, Some("all")),
            Self::Steps => Kind::Whole(1, MAX_STEPS as u64, None),
            Self::WarmupSteps => Kind::Whole(0, 10_000, None),
            Self::EvalEvery => Kind::Whole(0, 10_000, None),
            Self::EvalBatches => Kind::Whole(1, 64, None),
            Self::Lr => Kind::Real(0.0, 100.0),
            Self::WeightDecay => Kind::Real(0.0, 10.0),
            Self::GradClip => Kind::Real(0.0, 1e9),
            // Every double holds these seeds exactly, and so does every other tool.
            Self::Seed => Kind::Whole(0, (1 << 53) - 1, None),
            Self::Speed => Kind::Choice(SPEEDS),
            Self::StopLoss => Kind::MaybeReal(0.0, 1e9),
            Self::StopSeconds => Kind::MaybeReal(0.1, 1e6),
            Self::LinkLatency => Kind::Choice(LATENCIES),
            Self::LinkBandwidth => Kind::Choice(BANDWIDTHS),
            Self::SlowRank => Kind::Choice(EACH_RANK),
            Self::SlowFactor => Kind::Choice(FACTORS),
        }
    }
}

/// The settings of what is modelled.
pub const WHAT_IF: [Field; 4] =
    [Field::LinkLatency, Field::LinkBandwidth, Field::SlowRank, Field::SlowFactor];

/// The lengths of documents in words: one, so many equal ones, or each.
pub fn documents(value: &str) -> Cow<'static, str> {
    match value.strip_prefix('x') {
        Some(number) => t!("choices.documents.equal", number = number),
        None if value.is_empty() => t!("choices.documents.one"),
        None => value.to_owned().into(),
    }
}

/// A link's latency or bandwidth, with the kind of link that is somewhat like it.
fn of_link(value: &'static str) -> Cow<'static, str> {
    let (number, kind) = match value {
        "10" => ("10 µs", "InfiniBand"),
        "100" => ("100 µs", "10 GbE"),
        "1000" => return "1 ms".into(),
        "10000" => ("10 ms", "WAN"),
        "1e11" => ("100 GB/s", "NVLink"),
        "1e10" => ("10 GB/s", "InfiniBand"),
        "1e9" => ("1 GB/s", "10 GbE"),
        "1e8" => ("100 MB/s", "WAN"),
        other => return other.into(),
    };
    t!("choices.for_example", value = number, kind = kind)
}

/// `text` with the keys that only the address and the command line use turned into labels.
pub fn in_words(text: &str) -> String {
    let keys = Field::ALL.into_iter().filter(|field| field.key().contains('_'));
    keys.fold(text.to_owned(), |text, field| {
        text.replace(field.key(), &format!("“{}”", field.label()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_distinct_and_found_again() {
        for field in Field::ALL {
            assert_eq!(Field::by_key(field.key()), Some(field));
        }
        assert_eq!(Field::by_key("world_size"), Some(Field::Cp));
        assert_eq!(Field::by_key("text"), None);
    }

    #[test]
    fn every_name_of_the_plan_is_on_offer() {
        let offers = |field: Field, name: &str| match field.kind() {
            Kind::Choice(choices) => choices.contains(&name),
            _ => false,
        };
        assert!(plan::StrategyKind::ALL.iter().all(|s| offers(Field::Strategy, s.name())));
        assert!(plan::Layout::ALL.iter().all(|l| offers(Field::Layout, l.name())));
        assert!(plan::Task::ALL.iter().all(|t| offers(Field::Task, t.name())));
        assert!(plan::Fault::ALL.iter().all(|f| offers(Field::Fault, f.name())));
    }

    #[test]
    fn keys_become_labels() {
        let text = "try strategy ring, or usp with ulysses_degree 2";
        assert_eq!(in_words(text), "try strategy ring, or usp with “Ulysses degree” 2");
    }

    #[test]
    fn what_is_offered_has_words() {
        assert_eq!(Field::Strategy.option("all-gather"), "All-gather");
        assert_eq!(Field::UlyssesDegree.option(""), "automatic");
        assert_eq!(Field::Cp.option("8"), "8");
        assert_eq!(Field::Layout.shown("contiguous"), "Contiguous");
        assert_eq!(Field::Fault.shown(""), "none");
        assert_eq!(Field::Window.shown("64"), "64");
        assert_eq!(Field::KvHeads.placeholder().as_deref(), Some("all"));
        for field in Field::ALL {
            let (Kind::Choice(values) | Kind::Few(values, ..)) = field.kind() else { continue };
            for value in values {
                assert!(!field.option(value).starts_with("choices."), "{field:?} {value}");
            }
        }
    }
}
