//! What the configuration does not hold: how the script was started and what it trains on.

use std::collections::BTreeMap;

/// A fact about the training script. On the command line it is set by name, like a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// `accelerate`, `notebook`, `torchrun` or `python`.
    Launcher,
    /// `num_processes` as given to `notebook_launcher`.
    Processes,
    /// Tokens in a sequence.
    SeqLen,
    /// The multiple that the collator pads to.
    PadToMultipleOf,
    /// Whether documents are packed into one sequence.
    Packing,
    /// The width of a sliding or chunked attention, or a truth value.
    SlidingWindow,
    /// `causal`, or anything that a causal mask does not say.
    AttentionMask,
    /// `left` or `right`.
    PaddingSide,
    /// `mean` or `sum`: what each rank's loss is before ranks are combined.
    Loss,
    /// `equal` or `unequal`: valid tokens on the shards of a sequence.
    ValidTokens,
    /// `after-prepare` or `before-prepare`: when the context is entered.
    Context,
    /// The attention that the model uses.
    Attention,
    /// The backend of the process group that the script asks for.
    DdpBackend,
}

/// A fact and the names under which it may be given; the first is its own.
const NAMES: &[(Fact, &[&str])] = &[
    (Fact::Launcher, &["launcher"]),
    (Fact::Processes, &["num_processes"]),
    (Fact::SeqLen, &["seq_len", "seq_length", "sequence_length", "max_length", "max_seq_length"]),
    (Fact::PadToMultipleOf, &["pad_to_multiple_of"]),
    (Fact::Packing, &["packing"]),
    (Fact::SlidingWindow, &["sliding_window", "window", "attention_chunk_size"]),
    (Fact::AttentionMask, &["attention_mask", "mask"]),
    (Fact::PaddingSide, &["padding_side"]),
    (Fact::Loss, &["loss", "loss_reduction"]),
    (Fact::ValidTokens, &["valid_tokens"]),
    (Fact::Context, &["context", "cp_context"]),
    (Fact::Attention, &["attn_implementation"]),
    (Fact::DdpBackend, &["ddp_backend"]),
];

impl Fact {
    /// Its own name.
    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(fact, _)| *fact == self);
        found.and_then(|(_, names)| names.first()).copied().unwrap_or_default()
    }

    /// The fact of that name, in upper or lower case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('-', "_");
        NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(fact, _)| *fact)
    }

    /// Every fact with its names.
    pub fn all() -> impl Iterator<Item = (Self, &'static [&'static str])> {
        NAMES.iter().copied()
    }
}

/// What is known of the script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(BTreeMap<Fact, String>);

impl Facts {
    /// Facts from settings, and behind those from the script's own arguments.
    pub fn new(settings: &BTreeMap<String, String>, script: &[String]) -> Self {
        let mut facts = BTreeMap::new();
        for (name, value) in crate::script::arguments(script) {
            if let Some(fact) = Fact::named(&name) {
                facts.insert(fact, value);
            } else if ["assistant_only_loss", "completion_only_loss"].contains(&name.as_str())
                && truth(&value) == Some(true)
            {
                facts.insert(Fact::ValidTokens, "unequal".to_owned());
            }
        }
        for (name, value) in settings {
            if let Some(fact) = Fact::named(name) {
                facts.insert(fact, value.trim().to_owned());
            }
        }
        Self(facts)
    }

    /// The fact as given.
    pub fn get(&self, fact: Fact) -> Option<&str> {
        self.0.get(&fact).map(String::as_str)
    }

    /// Whether the fact is given and holds: a width, or a word for true.
    pub fn holds(&self, fact: Fact) -> bool {
        let wide = self.number(fact).is_some_and(|width| width > 0);
        wide || self.get(fact).and_then(truth) == Some(true)
    }

    /// The fact as a number.
    pub fn number(&self, fact: Fact) -> Option<u64> {
        self.get(fact)?.parse().ok()
    }
}

/// Truth values as shells and Python write them.
pub fn truth(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" | "y" | "t" => Some(true),
        "false" | "0" | "no" | "off" | "n" | "f" | "none" | "null" | "" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_from_settings_before_arguments() {
        let script: Vec<String> = ["sft.py", "--packing", "--max_length", "100", "--loss=mean"]
            .map(String::from)
            .to_vec();
        let settings = BTreeMap::from([("SEQ_LEN".to_owned(), "128".to_owned())]);
        let facts = Facts::new(&settings, &script);
        assert!(facts.holds(Fact::Packing));
        assert_eq!(facts.number(Fact::SeqLen), Some(128));
        assert_eq!(facts.get(Fact::Loss), Some("mean"));
        assert!(!facts.holds(Fact::SlidingWindow));
    }
}
