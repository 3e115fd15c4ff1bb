//! A run that can be had: every field checked once, every table derived.

use crate::event::Axis;
use crate::refusal::require_range;
use crate::traffic::{self, AttentionShape, Flow, LayerTraffic};
use crate::{
    AttentionPlan, CpPlan, Heads, Mask, Mesh, Rank, Refusal, RunConfig, Task, bucket, fault,
    message,
};

/// Tokens are bytes.
pub const VOCAB: usize = 256;
/// Width of the MLP's hidden layer, in widths of the model.
pub const MLP_RATIO: usize = 4;
/// Numbers that ride with the gradients in the bucket: the sum of losses and the valid tokens.
pub const BUCKET_EXTRAS: usize = 2;

/// The most optimiser steps of a run.
pub const MAX_STEPS: u32 = 10_000_000;

const MAX_SEQ_LEN: usize = 1 << 16;

/// The model's sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelShape {
    /// Distinct tokens.
    pub vocab: usize,
    /// Width.
    pub d_model: usize,
    /// Query heads.
    pub heads: usize,
    /// Key/value heads.
    pub kv_heads: usize,
    /// Layers.
    pub layers: usize,
}

impl ModelShape {
    /// Size of a head.
    pub fn head_dim(&self) -> usize {
        self.d_model / self.heads
    }

    /// The heads of its attention.
    pub fn attention_heads(&self) -> Heads {
        Heads { query: self.heads, kv: self.kv_heads, dim: self.head_dim() }
    }

    /// Rows of the fused projection to queries, keys and values.
    pub fn qkv_rows(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.head_dim()
    }

    /// Trainable numbers.
    pub fn parameters(&self) -> usize {
        let d = self.d_model;
        let qkv = self.qkv_rows() * d;
        let layer = 2 * d + qkv + d * d + 2 * MLP_RATIO * d * d;
        2 * self.vocab * d + self.layers * layer + d
    }
}

/// A checked run: the config, and all that follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    config: RunConfig,
    model: ModelShape,
    mesh: Mesh,
    cp: CpPlan,
}

impl RunPlan {
    /// Checks every field of `config`; the first that cannot be had is refused by name.
    pub fn new(config: RunConfig) -> Result<Self, Refusal> {
        let (mask, model) = check_own(&config)?;
        let cp = config.context_parallel().plan(mask, model.attention_heads())?;
        let mesh = Mesh::new(config.dp, cp.attention().strategy())?;
        fault::check(&config, cp.attention().sequence(), cp.attention().strategy())?;
        let cp = fault::planned(config.fault, cp);
        Ok(Self { config, model, mesh, cp })
    }

    /// Says whether `config` can be had, without deriving its tables: to try many.
    pub fn check(config: &RunConfig) -> Result<(), Refusal> {
        let (mask, model) = check_own(config)?;
        let (sequence, strategy) =
            config.context_parallel().lower(mask, model.attention_heads())?;
        Mesh::new(config.dp, strategy)?;
        fault::check(config, &sequence, strategy)
    }

    /// The config that was checked.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// The model's sizes.
    pub fn model(&self) -> ModelShape {
        self.model
    }

    /// The ranks and their groups.
    pub fn mesh(&self) -> Mesh {
        self.mesh
    }

    /// Context parallelism: what a rank's context is built from.
    pub fn cp(&self) -> &CpPlan {
        &self.cp
    }

    /// Attention's schedule within a context-parallel group.
    pub fn attention(&self) -> &AttentionPlan {
        self.cp.attention()
    }

    /// `rank`'s place within its context-parallel group.
    pub fn cp_rank(&self, rank: Rank) -> Rank {
        self.cp
            .size()
            .rank(self.mesh.coordinate(rank, Axis::Cp))
            .expect("a coordinate lies in its axis")
    }

    /// Sequences in one forward pass.
    pub fn micro_batch(&self) -> usize {
        self.config.batch / self.config.grad_accum
    }

    /// Numbers in each piece of the gradient bucket, without what rides along with the first.
    pub fn bucket_pieces(&self) -> Vec<usize> {
        bucket::pieces(&self.model, self.mesh.world())
    }

    /// What each rank sends to sum the gradients of one training step.
    pub fn gradient_traffic(&self) -> Flow {
        let extras = std::iter::once(BUCKET_EXTRAS).chain(std::iter::repeat(0));
        let lens = self.bucket_pieces().into_iter().zip(extras).map(|(len, extra)| len + extra);
        lens.map(|len| traffic::all_reduce(len, self.mesh.world()))
            .fold(Flow::default(), std::ops::Add::add)
    }

    /// What each rank sends for one layer and one micro-batch.
    pub fn layer_traffic(&self) -> LayerTraffic {
        let shape = AttentionShape {
            batch: self.micro_batch(),
            heads: self.model.heads,
            kv_heads: self.model.kv_heads,
            head_dim: self.model.head_dim(),
        };
        traffic::attention(self.attention(), shape)
    }

    /// What each rank sends in one training step, evaluation left out.
    pub fn step_traffic(&self) -> Flow {
        let layer = self.layer_traffic();
        let layers = (self.model.layers * self.config.grad_accum) as u64;
        (layer.forward + layer.backward).times(layers) + self.gradient_traffic()
    }

    /// What each rank sends in one evaluation.
    pub fn eval_traffic(&self) -> Flow {
        let passes = (self.model.layers * self.config.eval_batches * self.config.grad_accum) as u64;
        self.layer_traffic().forward.times(passes)
            + traffic::all_reduce(BUCKET_EXTRAS, self.mesh.world())
    }

    /// Whether an evaluation follows `step` (counted from 0).
    pub fn evaluates_after(&self, step: u32) -> bool {
        let every = self.config.eval_every;
        every > 0 && (step + 1).is_multiple_of(every)
    }

    /// What each rank sends from step `from` up to, not including, `to`.
    pub fn run_traffic(&self, from: u32, to: u32) -> Flow {
        let evaluations = (from..to).filter(|&step| self.evaluates_after(step)).count() as u64;
        self.step_traffic().times(u64::from(to.saturating_sub(from)))
            + self.eval_traffic().times(evaluations)
    }

    /// Refuses a text that is too short to train on.
    pub fn check_text(&self, bytes: usize) -> Result<(), Refusal> {
        check_text(self.config.seq_len, bytes)
    }
}

/// Refuses a text of `bytes` that is too short for one sequence of `seq_len`.
pub fn check_text(seq_len: usize, bytes: usize) -> Result<(), Refusal> {
    if bytes == 0 {
        return Err(Refusal::new(
            "text",
            message!("empty"),
            message!("there is nothing to learn from"),
            message!("give a text of {seq_len} bytes or more", seq_len),
        ));
    }
    if bytes < seq_len {
        return Err(Refusal::new(
            "text",
            if bytes == 1 { message!("1 byte") } else { message!("{bytes} bytes", bytes) },
            message!("it is shorter than one sequence of seq_len = {seq_len}", seq_len),
            if bytes < Task::Text.min_seq_len() {
                message!("give a text of {seq_len} bytes or more", seq_len)
            } else {
                message!(
                    "give {seq_len} bytes or more, or set seq_len to {bytes} or less",
                    seq_len,
                    bytes
                )
            },
        ));
    }
    Ok(())
}

/// Checks what context parallelism has no part in.
fn check_own(config: &RunConfig) -> Result<(Mask, ModelShape), Refusal> {
    check_sizes(config)?;
    check_numbers(config)?;
    let mask = Mask::new(config.seq_len, &config.documents, config.window)?;
    check_task(config)?;
    let model = ModelShape {
        vocab: VOCAB,
        d_model: config.d_model,
        heads: config.heads,
        kv_heads: config.kv_heads(),
        layers: config.layers,
    };
    Ok((mask, model))
}

fn check_sizes(config: &RunConfig) -> Result<(), Refusal> {
    require_range("steps", config.steps, 1, MAX_STEPS)?;
    require_range("seq_len", config.seq_len, 1, MAX_SEQ_LEN)?;
    require_range("batch", config.batch, 1, 1024)?;
    require_range("layers", config.layers, 1, 64)?;
    require_range("d_model", config.d_model, 2, 4096)?;
    check_heads(config.heads, config.kv_heads())?;
    require_range("eval_batches", config.eval_batches, 1, 1024)?;
    check_grad_accum(config)?;
    check_head_size(config.d_model, config.heads)
}

/// Refuses a width that its heads cannot share: rotary positions need an even size of head.
fn check_head_size(d_model: usize, heads: usize) -> Result<(), Refusal> {
    if d_model.is_multiple_of(2 * heads) {
        return Ok(());
    }
    let wider = d_model.next_multiple_of(2 * heads);
    if !d_model.is_multiple_of(2) {
        let reason = message!("{heads} heads need an even number of dimensions each", heads);
        return Err(Refusal::new(
            "d_model",
            d_model,
            reason,
            message!("try {number}", number = wider),
        ));
    }
    let fit: Vec<_> = (1..=d_model.min(256))
        .filter(|heads| d_model.is_multiple_of(2 * heads))
        .map(|heads| heads.to_string())
        .collect();
    Err(Refusal::new(
        "heads",
        heads,
        message!(
            "a width (d_model) of {d_model} does not split into heads of an even size",
            d_model
        ),
        message!("try one of {numbers}, or d_model {wider}", numbers = fit.join(", "), wider),
    ))
}

fn check_grad_accum(config: &RunConfig) -> Result<(), Refusal> {
    let (parts, batch) = (config.grad_accum, config.batch);
    if parts > 0 && batch.is_multiple_of(parts) {
        return Ok(());
    }
    let reason = match parts {
        0 => message!("a step needs at least one micro-batch"),
        _ => message!("it does not divide the batch of {batch}", batch),
    };
    let divisors: Vec<_> =
        (1..=batch).filter(|n| batch.is_multiple_of(*n)).map(|n| n.to_string()).collect();
    let works = match divisors.as_slice() {
        [only] => message!("try {number}", number = only),
        several => message!("try one of {numbers}", numbers = several.join(", ")),
    };
    Err(Refusal::new("grad_accum", parts, reason, works))
}

/// Refuses heads that cannot share their keys and values evenly.
pub fn check_heads(heads: usize, kv_heads: usize) -> Result<(), Refusal> {
    require_range("heads", heads, 1, 256)?;
    if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
        let divisors: Vec<_> =
            (1..=heads).filter(|d| heads.is_multiple_of(*d)).map(|d| d.to_string()).collect();
        return Err(Refusal::new(
            "kv_heads",
            kv_heads,
            message!("{heads} query heads cannot share them evenly", heads),
            message!("try one of {numbers}", numbers = divisors.join(", ")),
        ));
    }
    Ok(())
}

/// Refuses a sequence that the task can make nothing of.
fn check_task(config: &RunConfig) -> Result<(), Refusal> {
    let (task, need) = (config.task, config.task.min_seq_len());
    if config.seq_len < need {
        return Err(Refusal::new(
            "seq_len",
            config.seq_len,
            message!("task {task} has nothing to ask in so few tokens", task = task.name()),
            message!("try {need} or more", need),
        ));
    }
    if !config.documents.is_empty() && config.documents.iter().all(|&len| len == 1) {
        return Err(Refusal::new(
            "documents",
            message!("all of length 1"),
            message!("no token has a next one to predict"),
            message!("give at least one document 2 tokens or more"),
        ));
    }
    Ok(())
}

fn check_numbers(config: &RunConfig) -> Result<(), Refusal> {
    if config.dropout != 0.0 {
        return Err(Refusal::new(
            "dropout",
            config.dropout,
            message!("a mask that is the same for every number of ranks is not built"),
            message!("try 0"),
        ));
    }
    for (field, value, high) in [
        ("lr", config.lr, 100.0),
        ("weight_decay", config.weight_decay, 10.0),
        ("grad_clip", config.grad_clip, 1e9),
    ] {
        // Written so that NaN is refused as well.
        if !(value >= 0.0 && value <= high) {
            return Err(Refusal::new(
                field,
                value,
                message!("it must be a number between 0 and {high}", high),
                message!("see the default in --help"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    fn refused(change: impl FnOnce(&mut RunConfig)) -> Refusal {
        let mut config = RunConfig::default();
        change(&mut config);
        RunPlan::new(config).expect_err("it must be refused")
    }

    #[test]
    fn the_default_run_is_possible() {
        let plan = RunPlan::new(RunConfig::default()).expect("the default is checked");
        assert_eq!(plan.mesh().world().get(), 4);
        assert_eq!(plan.model().parameters(), 131_392);
    }

    #[test]
    fn each_field_is_refused_by_its_name() {
        assert_eq!(refused(|c| c.seq_len = 0).field, "seq_len");
        assert_eq!(refused(|c| c.cp = 0).field, "cp");
        assert_eq!(refused(|c| c.cp = 257).field, "cp");
        assert_eq!(refused(|c| c.cp = 5000).field, "cp");
        assert_eq!(refused(|c| c.dp = 0).field, "dp");
        assert_eq!(refused(|c| c.dp = 1000).field, "world_size");
        assert_eq!(refused(|c| c.steps = 0).field, "steps");
        assert_eq!(refused(|c| c.batch = 0).field, "batch");
        assert_eq!(refused(|c| c.grad_accum = 2).field, "grad_accum");
        assert_eq!(refused(|c| c.heads = 0).field, "heads");
        assert_eq!(refused(|c| c.heads = 3).field, "heads");
        assert_eq!(refused(|c| c.d_model = 63).field, "d_model");
        assert_eq!(refused(|c| c.kv_heads = Some(3)).field, "kv_heads");
        assert_eq!(refused(|c| c.kv_heads = Some(0)).field, "kv_heads");
        assert_eq!(refused(|c| c.lr = f64::NAN).field, "lr");
        assert_eq!(refused(|c| c.lr = -1.0).field, "lr");
        assert_eq!(refused(|c| c.dropout = 0.1).field, "dropout");
        assert_eq!(refused(|c| c.documents = vec![1]).field, "documents");
        assert_eq!(refused(|c| c.window = Some(0)).field, "window");
        assert_eq!(refused(|c| (c.seq_len, c.cp) = (1, 1)).field, "seq_len");
        assert_eq!(refused(|c| (c.seq_len, c.cp, c.task) = (15, 1, Task::Recall)).field, "seq_len");
        assert_eq!(refused(|c| (c.seq_len, c.documents) = (4, vec![1; 4])).field, "documents");
    }

    #[test]
    fn a_short_text_is_refused_with_both_ways_out() {
        assert!(check_text(256, 256).is_ok());
        let error = check_text(256, 10).expect_err("10 < 256");
        assert_eq!(error.field, "text");
        assert_eq!(error.value, "10 bytes");
        assert!(check_text(256, 0).is_err());
    }

    #[test]
    fn unknown_keys_are_errors_that_name_the_known_ones() {
        let error = serde_json::from_str::<RunConfig>(r#"{"seqlen": 3}"#).expect_err("a typo");
        assert!(error.to_string().contains("seqlen") && error.to_string().contains("seq_len"));
    }
}
