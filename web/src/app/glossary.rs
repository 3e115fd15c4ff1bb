//! What the page's words mean: a term for every control and every number.

use std::borrow::Cow;

use crate::t;

use crate::app::fields::Field;

/// A word of the page that needs an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A setting.
    Field(Field),
    /// A number or a thing on show.
    Shown(Shown),
}

macro_rules! shown {
    ($($(#[$doc:meta])* $name:ident $key:literal;)*) => {
        /// A number or a thing that the page shows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Shown {
            $($(#[$doc])* $name,)*
        }

        impl Shown {
            /// Every one, in the order of the glossary.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            fn key(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)*
                }
            }
        }
    };
}

shown! {
    /// What is minimised.
    Loss "loss";
    /// One update of the parameters.
    Step "step";
    /// Speed.
    TokensPerSecond "tokens_per_second";
    /// Length of the gradient.
    GradNorm "grad_norm";
    /// Loss on batches that are not trained on.
    Evaluation "evaluation";
    /// The run of one rank alone.
    OneRank "one_rank";
    /// How far the two runs' losses are apart.
    Difference "difference";
    /// A worker with its share.
    Rank "rank";
    /// A slice of the sequence's keys and values.
    Block "block";
    /// One computation between two hops.
    RingStep "ring_step";
    /// Queries of one rank against keys of one block.
    Tile "tile";
    /// A tile in which every query sees every key.
    Full "full";
    /// A tile of which a part is masked.
    Part "part";
    /// A tile that nobody computes.
    Skipped "skipped";
    /// A query and a key that it sees.
    Pairs "pairs";
    /// Mean work by largest work.
    Efficiency "efficiency";
    /// Tokens that only fill up.
    Padding "padding";
    /// Which tokens a rank holds.
    Positions "positions";
    /// What was sent, counted.
    Messages "messages";
    /// Bytes of them.
    Bytes "bytes";
    /// What the plan says.
    Predicted "predicted";
    /// What the ranks did.
    Measured "measured";
    /// Whether the two are equal.
    Verdict "verdict";
    /// The sum over all ranks.
    AllReduce "all_reduce";
    /// Time in which a rank has nothing to compute.
    Waiting "waiting";
    /// Time of a step, by kind.
    StepTime "step_time";
    /// Memory by the plan.
    MemoryPlanned "memory_planned";
    /// Memory of the worker.
    MemoryHeld "memory_held";
    /// A message there and back.
    RoundTrip "round_trip";
    /// How fine the clock is.
    Clock "clock";
}

impl Term {
    /// Every term, settings first.
    pub fn all() -> impl Iterator<Item = Self> {
        let fields = Field::ALL.into_iter().map(Self::Field);
        fields.chain(Shown::ALL.iter().copied().map(Self::Shown))
    }

    /// Its name in ids and catalogues.
    pub fn key(self) -> String {
        match self {
            Self::Field(field) => format!("field_{}", field.key()),
            Self::Shown(shown) => shown.key().to_owned(),
        }
    }

    /// The term of that name.
    pub fn named(key: &str) -> Option<Self> {
        Self::all().find(|term| term.key() == key)
    }

    /// The id of the element that holds its explanation.
    pub fn id(self) -> String {
        format!("term-{}", self.key())
    }

    /// What it is called.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Field(field) => field.label(),
            Self::Shown(shown) => t!(format!("glossary.names.{}", shown.key())),
        }
    }

    /// What it means, in a sentence or two.
    pub fn text(self) -> Cow<'static, str> {
        t!(format!("glossary.texts.{}", self.key()))
    }
}

impl From<Field> for Term {
    fn from(field: Field) -> Self {
        Self::Field(field)
    }
}

impl From<Shown> for Term {
    fn from(shown: Shown) -> Self {
        Self::Shown(shown)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::app::language::Language;
    use crate::app::language::say_in;

    #[test]
    fn every_control_and_number_is_explained_in_every_language() {
        let mut keys = BTreeSet::new();
        for term in Term::all() {
            assert!(keys.insert(term.key()), "{term:?} is there twice");
            assert_eq!(Term::named(&term.key()), Some(term));
            for language in Language::ALL {
                let key = format!("glossary.texts.{}", term.key());
                let text = say_in(language.code(), &key, &[]);
                assert!(!text.is_empty() && !text.contains(&key), "{language:?}: {key}");
                // What is read in a box beside a number must be short.
                assert!(text.chars().count() <= 320, "{language:?}: {key} is too long");
            }
        }
        assert_eq!(Term::named("nothing"), None);
    }
}
