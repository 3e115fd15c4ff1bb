//! A run as its user asks for it, before anything is checked.

use serde::{Deserialize, Serialize};

use crate::{CpConfig, Fault, Layout, StrategyKind};

/// Keys of the recall task's table, where there is room for all.
pub const RECALL_KEYS: usize = 8;

/// Which data the ranks train on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// The next byte of a text: the user's, or the built-in one.
    #[default]
    Text,
    /// Associative recall: keys and values early, queries so late that only attention across
    /// ranks can answer them.
    Recall,
    /// The second half of the sequence repeats the first.
    Copy,
}

impl Task {
    /// Every task.
    pub const ALL: [Self; 3] = [Self::Text, Self::Recall, Self::Copy];

    /// The shortest sequence that has something to learn.
    pub fn min_seq_len(self) -> usize {
        match self {
            Self::Text => 2,
            Self::Recall => 16,
            Self::Copy => 3,
        }
    }

    /// Whether the target of `position` counts in a sequence of `seq_len`. Recall asks in the last
    /// quarter, at every other token; copy counts the half that repeats.
    pub fn counts(self, seq_len: usize, position: usize) -> bool {
        match self {
            Self::Text => true,
            Self::Recall => {
                let quarter = seq_len / 4;
                let first = 3 * quarter;
                let questions = first..first + 2 * RECALL_KEYS.min(quarter / 2);
                questions.contains(&position) && (position - first).is_multiple_of(2)
            }
            Self::Copy => {
                let half = (seq_len - 1) / 2;
                (half..2 * half).contains(&position)
            }
        }
    }

    /// The name as typed on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Recall => "recall",
            Self::Copy => "copy",
        }
    }
}

/// How parameters follow gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    /// Adam with decoupled weight decay.
    #[default]
    Adamw,
    /// Plain gradient descent, which hides no constant factor.
    Sgd,
}

impl Optimizer {
    /// The name as typed on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adamw => "adamw",
            Self::Sgd => "sgd",
        }
    }
}

/// A run as typed: the keys of a TOML file, the flags of `ringside train`, the page's address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// Which data.
    pub task: Task,
    /// Optimiser steps.
    pub steps: u32,
    /// Tokens in a sequence.
    pub seq_len: usize,
    /// Sequences per step on each dp replica, over all micro-batches.
    pub batch: usize,
    /// Micro-batches that a step's gradient is summed over; it divides `batch`.
    pub grad_accum: usize,
    /// Transformer layers.
    pub layers: usize,
    /// Width of the model.
    pub d_model: usize,
    /// Query heads.
    pub heads: usize,
    /// Key/value heads; `None` means as many as `heads`.
    pub kv_heads: Option<usize>,
    /// Ranks that share each sequence.
    pub cp: usize,
    /// Replicas of that group, each on its own data.
    pub dp: usize,
    /// How a group shares attention.
    pub strategy: StrategyKind,
    /// U of U x R; `None` lets the strategy choose.
    pub ulysses_degree: Option<usize>,
    /// Which positions each rank holds.
    pub layout: Layout,
    /// Lengths of packed documents, whose sum is `seq_len`; empty means one.
    pub documents: Vec<usize>,
    /// How far back a query sees, itself included; `None` is everything.
    pub window: Option<usize>,
    /// Dropout on attention; only 0 is supported.
    pub dropout: f64,
    /// Peak learning rate.
    pub lr: f64,
    /// Steps over which the learning rate rises from 0.
    pub warmup_steps: u32,
    /// Which optimiser.
    pub optimizer: Optimizer,
    /// AdamW's decoupled weight decay.
    pub weight_decay: f64,
    /// Gradients above this global norm are scaled down to it; 0 turns it off.
    pub grad_clip: f64,
    /// Evaluate after every this many steps; 0 is never.
    pub eval_every: u32,
    /// Batches of an evaluation.
    pub eval_batches: usize,
    /// Seed of the parameters and the data.
    pub seed: u64,
    /// What is wrong with it on purpose; `None` is a healthy run.
    pub fault: Option<Fault>,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            task: Task::Text,
            steps: 200,
            seq_len: 256,
            batch: 1,
            grad_accum: 1,
            layers: 2,
            d_model: 64,
            heads: 4,
            kv_heads: None,
            cp: 4,
            dp: 1,
            strategy: StrategyKind::Ring,
            ulysses_degree: None,
            layout: Layout::Contiguous,
            documents: Vec::new(),
            window: None,
            dropout: 0.0,
            lr: 3e-3,
            warmup_steps: 20,
            optimizer: Optimizer::Adamw,
            weight_decay: 0.01,
            grad_clip: 1.0,
            eval_every: 0,
            eval_batches: 4,
            seed: 0,
            fault: None,
        }
    }
}

impl RunConfig {
    /// Key/value heads with the default filled in.
    pub fn kv_heads(&self) -> usize {
        self.kv_heads.unwrap_or(self.heads)
    }

    /// What is asked of context parallelism.
    pub fn context_parallel(&self) -> CpConfig {
        CpConfig {
            size: self.cp,
            strategy: self.strategy,
            ulysses_degree: self.ulysses_degree,
            layout: self.layout,
        }
    }
}
