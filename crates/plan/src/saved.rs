//! What a checkpoint says of itself: how far its run was, and which network it fits.

use std::fmt;
use std::str::FromStr;

use crate::{Optimizer, RunConfig, RunPlan};

/// The name of the entry in a safetensors file's metadata that holds [`Saved`] as text.
pub const ENTRY: &str = "ringside";

/// What the names of tensors begin with that are the optimizer's and no parameters.
pub const OF_OPTIMIZER: &str = "adamw.";

/// A checkpoint's own words. Tensors of one shape may still belong to another network, for example
/// one with other heads, so all of it must be equal for a run to take the checkpoint up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Steps that its run had done.
    pub steps_done: u32,
    /// Layers.
    pub layers: usize,
    /// Width.
    pub d_model: usize,
    /// Query heads.
    pub heads: usize,
    /// Key/value heads.
    pub kv_heads: usize,
    /// Whose state it holds.
    pub optimizer: Optimizer,
}

impl Saved {
    /// What a checkpoint of `config`'s run says after `steps_done` steps.
    pub fn of(config: &RunConfig, steps_done: u32) -> Self {
        Self {
            steps_done,
            layers: config.layers,
            d_model: config.d_model,
            heads: config.heads,
            kv_heads: config.kv_heads(),
            optimizer: config.optimizer,
        }
    }

    /// Whether a run of `config` can take it up.
    pub fn fits(&self, config: &RunConfig) -> bool {
        *self == Self::of(config, self.steps_done)
    }

    /// Trainable numbers of the network; `None` if there can be none such.
    pub fn parameters(&self) -> Option<usize> {
        let Self { layers, d_model, heads, .. } = *self;
        let kv_heads = Some(self.kv_heads);
        let config = RunConfig { cp: 1, layers, d_model, heads, kv_heads, ..RunConfig::default() };
        Some(RunPlan::new(config).ok()?.model().parameters())
    }

    /// The network alone, in words.
    pub fn network(&self) -> String {
        format!(
            "layers={} d_model={} heads={} kv_heads={} optimizer={}",
            self.layers,
            self.d_model,
            self.heads,
            self.kv_heads,
            self.optimizer.name()
        )
    }
}

/// Among the little-endian f32 numbers of `bytes`: the place of the first that is NaN or infinite,
/// and how many are; `None` where all are finite.
pub fn not_finite(bytes: &[u8]) -> Option<(usize, usize)> {
    let numbers = bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
    let mut places = numbers.enumerate().filter(|(_, number)| !number.is_finite());
    let (first, _) = places.next()?;
    Some((first, 1 + places.count()))
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "steps_done={}; {}", self.steps_done, self.network())
    }
}

/// A text that is not what a checkpoint says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not steps_done=NUMBER; and the network")]
pub struct NotSaved;

impl FromStr for Saved {
    type Err = NotSaved;

    fn from_str(text: &str) -> Result<Self, NotSaved> {
        let mut words = text.split([';', ' ']).filter(|word| !word.is_empty());
        let mut value = |key: &str| {
            let (name, value) = words.next()?.split_once('=')?;
            (name == key).then_some(value)
        };
        fn number<T: FromStr>(value: Option<&str>) -> Result<T, NotSaved> {
            value.and_then(|value| value.parse().ok()).ok_or(NotSaved)
        }
        let saved = Self {
            steps_done: number(value("steps_done"))?,
            layers: number(value("layers"))?,
            d_model: number(value("d_model"))?,
            heads: number(value("heads"))?,
            kv_heads: number(value("kv_heads"))?,
            optimizer: {
                let name = value("optimizer").ok_or(NotSaved)?;
                let all = [Optimizer::Adamw, Optimizer::Sgd];
                all.into_iter().find(|each| each.name() == name).ok_or(NotSaved)?
            },
        };
        // Nothing may follow, and nothing be written in another way.
        (saved.to_string() == text).then_some(saved).ok_or(NotSaved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_it_says() {
        let saved = Saved::of(&RunConfig::default(), 40);
        let text = "steps_done=40; layers=2 d_model=64 heads=4 kv_heads=4 optimizer=adamw";
        assert_eq!(saved.to_string(), text);
        assert_eq!(text.parse(), Ok(saved));
        assert!(saved.fits(&RunConfig { cp: 8, steps: 9, ..RunConfig::default() }));
        assert!(!saved.fits(&RunConfig { heads: 2, ..RunConfig::default() }));
    }

    #[test]
    fn anything_else_is_refused() {
        let text = Saved::of(&RunConfig::default(), 40).to_string();
        for wrong in ["", "steps_done=4", &text.replace("40", "x"), &format!("{text} more")] {
            assert_eq!(wrong.parse::<Saved>(), Err(NotSaved), "{wrong}");
        }
    }
}
