//! Which tokens a training step sees: a pure function of seed, step and place in the batch.

mod copy;
mod recall;
mod text;

use plan::targets::{IGNORED, next_token_targets};
use plan::{Refusal, RunPlan, Task};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use recall::ANSWERS as RECALL_ANSWERS;
pub use text::BUILT_IN as BUILT_IN_TEXT;

/// Whole sequences, before any rank takes its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Token ids by sequence.
    pub ids: Vec<Vec<u32>>,
    /// Targets by sequence, shifted on the whole sequence; -100 for none.
    pub targets: Vec<Vec<i64>>,
}

/// Draws the batches of a run.
#[derive(Clone, Debug)]
pub struct Data {
    task: Task,
    seq_len: usize,
    seed: u64,
    mask: plan::Mask,
    text: Vec<u8>,
    /// Bytes of `text` that training sees; evaluation sees the rest, where it is long enough.
    train_len: usize,
}

/// Which stream of sequences to draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// What the model learns from.
    Train,
    /// What it is measured on.
    Eval,
}

impl Data {
    /// The data of `plan`; `text` is the user's, `None` the built-in one.
    pub fn new(plan: &RunPlan, text: Option<&[u8]>) -> Result<Self, Refusal> {
        let text = text.unwrap_or(BUILT_IN_TEXT);
        let (task, seq_len) = (plan.config().task, plan.config().seq_len);
        if task == Task::Text {
            plan.check_text(text.len())?;
        }
        let mask = plan.attention().sequence().mask().clone();
        let held_out = text.len() / 10;
        let train_len = if held_out >= seq_len { text.len() - held_out } else { text.len() };
        Ok(Self { task, seq_len, seed: plan.config().seed, mask, text: text.to_vec(), train_len })
    }

    /// Sequences `range` of the global batch of `step`.
    pub fn batch(&self, split: Split, step: u32, range: std::ops::Range<usize>) -> Batch {
        let (ids, targets) = range.map(|index| self.sequence(split, step, index)).unzip();
        Batch { ids, targets }
    }

    fn sequence(&self, split: Split, step: u32, index: usize) -> (Vec<u32>, Vec<i64>) {
        let mut rng = self.rng(split, step, index);
        let bytes = match self.task {
            Task::Text => {
                let held_out = self.train_len < self.text.len();
                let part = match split {
                    Split::Eval if held_out => &self.text[self.train_len..],
                    _ => &self.text[..self.train_len],
                };
                text::window(part, self.seq_len, &mut rng)
            }
            Task::Recall => recall::sequence(self.seq_len, &mut rng),
            Task::Copy => copy::sequence(self.seq_len, &mut rng),
        };
        let ids: Vec<i64> = bytes.iter().map(|&byte| i64::from(byte)).collect();
        let mut targets = next_token_targets(&ids, &self.mask);
        for (position, target) in targets.iter_mut().enumerate() {
            if !self.task.counts(self.seq_len, position) {
                *target = IGNORED;
            }
        }
        (bytes.into_iter().map(u32::from).collect(), targets)
    }

    /// A stream of its own for each sequence, so that no split of the batch changes any of them.
    fn rng(&self, split: Split, step: u32, index: usize) -> ChaCha8Rng {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&step.to_le_bytes());
        key[12..20].copy_from_slice(&(index as u64).to_le_bytes());
        key[20] = match split {
            Split::Train => 0,
            Split::Eval => 1,
        };
        ChaCha8Rng::from_seed(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::RunConfig;

    fn data(task: Task, seq_len: usize) -> Data {
        let config = RunConfig { task, seq_len, cp: 1, ..RunConfig::default() };
        let plan = RunPlan::new(config).expect("a small run");
        Data::new(&plan, None).expect("data for it")
    }

    #[test]
    fn a_sequence_does_not_depend_on_the_split_of_the_batch() {
        for task in Task::ALL {
            let data = data(task, 64);
            let whole = data.batch(Split::Train, 3, 0..4);
            let half = data.batch(Split::Train, 3, 2..4);
            assert_eq!(whole.ids[2..], half.ids);
            assert_ne!(whole.ids[0], whole.ids[1]);
            assert_ne!(whole, data.batch(Split::Train, 4, 0..4));
            assert_ne!(whole, data.batch(Split::Eval, 3, 0..4));
        }
    }

    #[test]
    fn targets_are_the_next_bytes() {
        let batch = data(Task::Text, 64).batch(Split::Train, 0, 0..1);
        for (i, &target) in batch.targets[0].iter().enumerate().take(63) {
            assert_eq!(target, i64::from(batch.ids[0][i + 1]));
        }
        assert_eq!(batch.targets[0][63], IGNORED);
    }

    #[test]
    fn the_built_in_text_is_long_enough() {
        assert!(BUILT_IN_TEXT.len() >= 20_000);
    }
}
