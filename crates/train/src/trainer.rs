//! One rank's training run, step by step.

use std::rc::Rc;

use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Recorder};
use kernels::profile::{self, Kind};
use model::{Gpt, GptConfig, Rope};
use parallel::grad_sync::{self, Reduced, Reduction};
use parallel::{Contract, Cp, CpContext, ParallelError};
use plan::event::{Compute, Scalar};
use plan::run::BUCKET_EXTRAS;
use plan::targets::count_valid;
use plan::{Axis, EventKind, RunPlan};

use crate::checkpoint::{self, State};
use crate::data::{Data, Split};
use crate::learning_rate::learning_rate;
use crate::optimizer::{Optimizer, clip_factor, global_norm};
use crate::parts::{Loss, Parts, Shard, assemble};
use crate::pass::{Outcome, Pass};
use crate::{Result, TrainError};

/// One rank of a run: its model, its data, its state.
pub struct Trainer {
    plan: RunPlan,
    world: Rc<dyn ProcessGroup>,
    recorder: Rc<Recorder>,
    model: Gpt,
    rope: Rope,
    cp: Cp,
    needs: Contract,
    sharder: Box<dyn Shard>,
    loss: Box<dyn Loss>,
    data: Data,
    optimizer: Optimizer,
    /// Where every step sums its gradients.
    sums: model::Gradients,
    steps_done: u32,
}

/// A training step's numbers, equal on every rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// The step, from 0.
    pub step: u32,
    /// Sum of losses / valid tokens, over the whole batch, in nats.
    pub loss: f64,
    /// Global L2 norm of the gradient before clipping.
    pub grad_norm: f64,
    /// Valid tokens of the whole batch.
    pub valid_tokens: u64,
    /// The learning rate that was used.
    pub lr: f64,
    /// The loss on the evaluation batches, after steps that are followed by an evaluation.
    pub eval_loss: Option<f64>,
}

/// What one batch gives before any update.
#[derive(Clone, Debug)]
pub struct Gradients {
    /// Sum of losses / valid tokens.
    pub loss: f64,
    /// Valid tokens of the whole batch.
    pub valid_tokens: u64,
    /// d loss / d parameter, summed over all ranks, in the order of the parameters.
    pub gradients: Vec<Tensor>,
    /// This rank's logits (N, V), micro-batches laid end to end.
    pub logits: Tensor,
}

impl Trainer {
    /// Builds `world`'s rank its part of the run that `plan` describes.
    pub fn new(
        plan: RunPlan,
        text: Option<&[u8]>,
        world: Rc<dyn ProcessGroup>,
        recorder: Rc<Recorder>,
        device: &Device,
    ) -> Result<Self> {
        if world.size() != plan.mesh().world() {
            return Err(plan::Refusal::new(
                "world_size",
                world.size(),
                format!("dp x cp is {}", plan.mesh().world()),
                "start as many ranks as the mesh has",
            )
            .into());
        }
        let data = Data::new(&plan, text)?;
        let model = Gpt::new(gpt_config(&plan), plan.config().seed, DType::F32, device)?;
        let Parts { cp, needs, positions, sharder, loss } =
            assemble(&plan, &world, &recorder, device)?;
        let rope = model.rope(&positions)?;
        let optimizer = Optimizer::new(plan.config(), model.vars())?;
        let sums = model::Gradients::new(&model, &plan.bucket_pieces(), BUCKET_EXTRAS)?;
        Ok(Self {
            plan,
            world,
            recorder,
            model,
            rope,
            cp,
            needs,
            sharder,
            loss,
            data,
            optimizer,
            sums,
            steps_done: 0,
        })
    }

    /// The run.
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// The model with its parameters as they are now.
    pub fn model(&self) -> &Gpt {
        &self.model
    }

    /// Context parallelism, for a library that wants the context: it asks and may be told why not.
    pub fn cp(&self) -> &Cp {
        &self.cp
    }

    /// Steps trained so far, those before a resumed checkpoint included.
    pub fn steps_done(&self) -> u32 {
        self.steps_done
    }

    /// Whether all steps of the run are done.
    pub fn is_finished(&self) -> bool {
        self.steps_done >= self.plan.config().steps
    }

    /// Trains one step together with the other ranks.
    pub async fn step(&mut self) -> Result<StepReport> {
        let result = self.try_step().await;
        if let Err(error) = &result {
            self.world.abort(&error.to_string());
        }
        result
    }

    async fn try_step(&mut self) -> Result<StepReport> {
        let step = self.steps_done;
        self.recorder.set_step(step);
        self.recorder.record(EventKind::StepBegin);
        let start = self.recorder.now_us();
        {
            let _span = profile::span(Kind::Upkeep, "empty bucket");
            self.sums.clear()?;
        }
        let Summed { loss, valid_tokens, sums, .. } = self.summed(step, &self.sums).await?;
        let lr = learning_rate(self.plan.config(), step);
        let grad_norm = self.update(&sums, share(valid_tokens), lr)?;
        if !(loss.is_finite() && grad_norm.is_finite()) {
            return Err(TrainError::Diverged { step, loss, grad_norm });
        }
        self.steps_done += 1;
        for (name, value) in [
            (Scalar::Loss, loss),
            (Scalar::GradNorm, grad_norm),
            (Scalar::LearningRate, lr),
            (Scalar::ValidTokens, valid_tokens as f64),
        ] {
            self.recorder.record(EventKind::Scalar { name, value });
        }
        let took_us = self.recorder.now_us() - start;
        self.recorder.record(EventKind::StepEnd { took_us });
        let eval_loss = match self.plan.evaluates_after(step) {
            true => Some(self.evaluate().await?),
            false => None,
        };
        Ok(StepReport { step, loss, grad_norm, valid_tokens, lr, eval_loss })
    }

    /// Updates by `share` times the sums of all tokens' gradients; returns the mean's norm.
    fn update(&mut self, sums: &[Tensor], share: f64, lr: f64) -> Result<f64> {
        let start = self.recorder.now_us();
        let norm = share * global_norm(sums)?;
        let factor = share * clip_factor(norm, self.plan.config().grad_clip);
        self.optimizer.step(self.model.vars(), sums, factor, lr)?;
        let took_us = self.recorder.now_us() - start;
        self.recorder.record(EventKind::Compute { what: Compute::Optimizer, took_us });
        Ok(norm)
    }

    /// Loss and gradients of the batch of `step`, with the parameters as they are.
    pub async fn gradients(&self, step: u32) -> Result<Gradients> {
        // A bucket of their own, which no later step writes to.
        let pieces = self.plan.bucket_pieces();
        let bucket = model::Gradients::new(&self.model, &pieces, BUCKET_EXTRAS)?;
        let Summed { loss, valid_tokens, sums, logits } = self.summed(step, &bucket).await?;
        let mean = |sum: &Tensor| sum * share(valid_tokens);
        let gradients = sums.iter().map(mean).collect::<Result<_, _>>()?;
        Ok(Gradients { loss, valid_tokens, gradients, logits: Tensor::cat(&logits, 0)? })
    }

    /// The sums of the batch of `step` over all ranks, by way of `bucket`, which is empty.
    async fn summed(&self, step: u32, bucket: &model::Gradients) -> Result<Summed> {
        let config = self.plan.config();
        let micro_batch = self.plan.micro_batch();
        let first = self.plan.mesh().coordinate(self.world.rank(), Axis::Dp) * config.batch;
        let (mut loss_sum, mut valid, mut logits) = (0.0, 0, Vec::new());
        let mut reduction = Reduction::new(self.world.as_ref(), bucket.pieces());
        for micro in 0..config.grad_accum {
            let start = first + micro * micro_batch;
            let local = {
                let _span = profile::span(Kind::Upkeep, "batch");
                self.sharder.shard(&self.data.batch(Split::Train, step, start..start + micro_batch))
            };
            let last = (micro + 1 == config.grad_accum).then_some(&mut reduction);
            let outcome = self.pass()?.train(&local, bucket, last).await?;
            loss_sum += outcome.loss_sum;
            valid += count_valid(&local.targets);
            logits.push(outcome.logits);
        }
        let Reduced { pieces, extras } = reduction.finish(&[loss_sum, valid as f64]).await?;
        let (loss, valid_tokens) = mean(&extras);
        Ok(Summed { loss, valid_tokens, sums: bucket.views(&pieces)?, logits })
    }

    /// Mean loss over the evaluation batches, the same on every rank.
    pub async fn evaluate(&self) -> Result<f64> {
        let config = self.plan.config();
        let micro_batch = self.plan.micro_batch();
        let dp = self.plan.mesh().coordinate(self.world.rank(), Axis::Dp);
        let (mut loss_sum, mut valid) = (0.0, 0);
        let passes = (0..config.eval_batches)
            .flat_map(|number| (0..config.grad_accum).map(move |micro| (number, micro)));
        for (number, micro) in passes {
            let start = dp * config.batch + micro * micro_batch;
            let batch = self.data.batch(Split::Eval, number as u32, start..start + micro_batch);
            let local = self.sharder.shard(&batch);
            let Outcome { loss_sum: sum, .. } = self.pass()?.evaluate(&local).await?;
            loss_sum += sum;
            valid += count_valid(&local.targets);
        }
        let sums = grad_sync::sum(self.world.as_ref(), &[loss_sum, valid as f64]).await?;
        let (loss, _) = mean(&sums);
        self.recorder.record(EventKind::Scalar { name: Scalar::EvalLoss, value: loss });
        Ok(loss)
    }

    fn context(&self) -> Result<&CpContext> {
        Ok(self.cp.context(self.needs).map_err(ParallelError::from)?)
    }

    fn pass(&self) -> Result<Pass<'_>> {
        Ok(Pass {
            model: &self.model,
            context: self.context()?,
            rope: &self.rope,
            loss: self.loss.as_ref(),
            recorder: &self.recorder,
        })
    }

    /// This rank's tokens of the first sequence that `step` trains on, padding left out.
    pub fn slice(&self, step: u32) -> Vec<u8> {
        let first =
            self.plan.mesh().coordinate(self.world.rank(), Axis::Dp) * self.plan.config().batch;
        let whole = self.data.batch(Split::Train, step, first..first + 1).ids.concat();
        let rank = self.plan.cp_rank(self.world.rank());
        let positions = self.plan.attention().sequence().positions(rank).iter();
        positions.filter_map(|&p| u8::try_from(*whole.get(p as usize)?).ok()).collect()
    }

    /// Parameters, optimiser state and step as safetensors bytes.
    pub fn save(&self) -> Result<Vec<u8>> {
        checkpoint::to_bytes(&State {
            names: self.model.config().parameters().into_iter().map(|(name, _)| name).collect(),
            model: &self.model,
            optimizer: &self.optimizer,
            steps_done: self.steps_done,
        })
    }

    /// Takes up a run from [`Self::save`]'s bytes. On an error nothing has changed.
    pub fn resume(&mut self, bytes: &[u8]) -> Result<()> {
        self.steps_done = checkpoint::restore(bytes, &self.model, &mut self.optimizer)?;
        Ok(())
    }
}

/// What one batch gives before its gradients are divided by its tokens.
struct Summed {
    loss: f64,
    valid_tokens: u64,
    /// By parameter.
    sums: Vec<Tensor>,
    /// By micro-batch.
    logits: Vec<Tensor>,
}

/// What a token's gradient counts in the mean.
fn share(valid_tokens: u64) -> f64 {
    1.0 / valid_tokens.max(1) as f64
}

/// Sum of losses and valid tokens to (mean loss, valid tokens); nothing valid is a loss of 0.
fn mean(extras: &[f64]) -> (f64, u64) {
    let (sum, valid) = (extras[0], extras[1]);
    (if valid > 0.0 { sum / valid } else { 0.0 }, valid as u64)
}

/// The model's sizes as the plan has them.
pub(crate) fn gpt_config(plan: &RunPlan) -> GptConfig {
    let shape = plan.model();
    let mut config =
        GptConfig::new(shape.vocab, shape.d_model, shape.heads, shape.kv_heads, shape.layers);
    config.mlp_hidden = plan::run::MLP_RATIO * shape.d_model;
    config
}
