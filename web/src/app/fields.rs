//! The settings of a run as the page offers them: key, label, hint and what may be entered.

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
    /// How fast the run may go.
    Speed,
    /// The loss that is low enough.
    StopLoss,
    /// The time that is enough.
    StopSeconds,
}

/// A value and the label that a select shows for it.
pub type Choice = (&'static str, &'static str);

/// What may be entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// One of a few names.
    Choice(&'static [Choice]),
    /// A whole number offered as a few choices; the address may hold any in range.
    Few(&'static [Choice], u64, u64),
    /// A whole number; an empty value is allowed where the text says what it means.
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

const RANKS: &[Choice] = &[("1", "1"), ("2", "2"), ("4", "4"), ("8", "8")];
const STRATEGIES: &[Choice] =
    &[("ring", "Ring"), ("all-gather", "All-gather"), ("ulysses", "Ulysses"), ("usp", "USP")];
const LAYOUTS: &[Choice] =
    &[("contiguous", "Contiguous"), ("zigzag", "Zigzag"), ("striped", "Striped")];
const TASKS: &[Choice] = &[("text", "Text"), ("recall", "Recall"), ("copy", "Copy")];
const OPTIMIZERS: &[Choice] = &[("adamw", "AdamW"), ("sgd", "SGD")];
/// Steps a second at most.
const SPEEDS: &[Choice] = &[
    ("", "full"),
    ("10", "10 steps/s"),
    ("3", "3 steps/s"),
    ("1", "1 step/s"),
    ("0.2", "1 step in 5 s"),
];
const DEGREES: &[Choice] = &[("", "automatic"), ("1", "1"), ("2", "2"), ("4", "4"), ("8", "8")];

impl Field {
    /// Every field, in the order of the address.
    pub const ALL: [Self; 27] = [
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
        Self::Speed,
        Self::StopLoss,
        Self::StopSeconds,
    ];

    /// The name in `RunConfig`, in refusals and in the address.
    pub fn key(self) -> &'static str {
        self.texts().0
    }

    /// The label beside the control.
    pub fn label(self) -> &'static str {
        self.texts().1
    }

    /// What it means, in a few words.
    pub fn hint(self) -> &'static str {
        self.texts().2
    }

    /// The field that a refusal or an address names.
    pub fn by_key(key: &str) -> Option<Self> {
        // Too many workers in all is told beside the number of ranks.
        let key = if key == "world_size" { "cp" } else { key };
        Self::ALL.into_iter().find(|field| field.key() == key)
    }

    /// Whether it only says how a run is watched and when it pauses, so that changing it leaves the
    /// run as it is.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::Speed | Self::StopLoss | Self::StopSeconds)
    }

    /// What may be entered; the limits are the page's own, far below what a machine could do.
    pub fn kind(self) -> Kind {
        match self {
            Self::Cp | Self::Dp => Kind::Few(RANKS, 1, MAX_WORLD),
            Self::Strategy => Kind::Choice(STRATEGIES),
            Self::UlyssesDegree => Kind::Choice(DEGREES),
            Self::Layout => Kind::Choice(LAYOUTS),
            Self::Task => Kind::Choice(TASKS),
            Self::Optimizer => Kind::Choice(OPTIMIZERS),
            Self::Documents => Kind::Documents,
            Self::SeqLen => Kind::Whole(1, 4096, None),
            Self::Window => Kind::Whole(1, 4096, Some("everything")),
            Self::Batch | Self::GradAccum => Kind::Whole(1, 8, None),
            Self::Layers => Kind::Whole(1, 8, None),
            Self::DModel => Kind::Whole(2, 256, None),
            Self::Heads => Kind::Whole(1, 32, None),
            Self::KvHeads => Kind::Whole(1, 32, Some("all")),
            Self::Steps => Kind::Whole(1, 10_000, None),
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
        }
    }

    fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Cp => ("cp", "Ranks", "share each sequence (cp)"),
            Self::Dp => ("dp", "Replicas (dp)", "each on its own sequences"),
            Self::Strategy => ("strategy", "Strategy", "how attention is shared"),
            Self::UlyssesDegree => ("ulysses_degree", "Ulysses degree", "U of U × R"),
            Self::Layout => ("layout", "Layout", "who holds which positions"),
            Self::Task => ("task", "Task", "what is to be learnt"),
            Self::SeqLen => ("seq_len", "Sequence length", "tokens; each is a byte"),
            Self::Documents => ("documents", "Documents", "never see each other"),
            Self::Window => ("window", "Window", "tokens a query looks back"),
            Self::Batch => ("batch", "Batch", "sequences a step"),
            Self::GradAccum => ("grad_accum", "Micro-batches", "that a batch is split into"),
            Self::Layers => ("layers", "Layers", "of the transformer"),
            Self::DModel => ("d_model", "Width", "d_model"),
            Self::Heads => ("heads", "Heads", "query heads"),
            Self::KvHeads => ("kv_heads", "KV heads", "fewer is grouped-query"),
            Self::Steps => ("steps", "Steps", "after which it ends"),
            Self::Lr => ("lr", "Learning rate", "at its peak"),
            Self::WarmupSteps => ("warmup_steps", "Warm-up steps", "while the rate rises"),
            Self::Optimizer => ("optimizer", "Optimizer", "of the parameters"),
            Self::WeightDecay => ("weight_decay", "Weight decay", "AdamW only"),
            Self::GradClip => ("grad_clip", "Gradient clip", "largest global norm; 0 is off"),
            Self::EvalEvery => ("eval_every", "Evaluate every", "steps; 0 is never"),
            Self::EvalBatches => ("eval_batches", "Evaluation batches", "in one evaluation"),
            Self::Seed => ("seed", "Seed", "parameters and data"),
            Self::Speed => ("speed", "Speed", "to watch"),
            Self::StopLoss => ("stop_loss", "Stop at loss", "or lower"),
            Self::StopSeconds => ("stop_seconds", "Stop after", "seconds of training"),
        }
    }
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
            Kind::Choice(choices) => choices.iter().any(|(value, _)| *value == name),
            _ => false,
        };
        assert!(plan::StrategyKind::ALL.iter().all(|s| offers(Field::Strategy, s.name())));
        assert!(plan::Layout::ALL.iter().all(|l| offers(Field::Layout, l.name())));
        assert!(plan::Task::ALL.iter().all(|t| offers(Field::Task, t.name())));
    }

    #[test]
    fn keys_become_labels() {
        let text = "try strategy ring, or usp with ulysses_degree 2";
        assert_eq!(in_words(text), "try strategy ring, or usp with “Ulysses degree” 2");
    }
}
