//! One forward and backward pass over this rank's tokens, segment by segment.
//!
//! embed -> per layer: pre, attention over the ranks, post -> head -> sum of losses, and back
//! through the same segments with each one's own backward.

use candle_core::Tensor;
use comm::Recorder;
use model::{Gpt, Gradients, Head, PostTape, PreTape, Qkv, Rope};
use parallel::grad_sync::Reduction;
use parallel::{Attended, CpContext};
use plan::EventKind;
use plan::event::Compute;

use crate::Result;
use crate::parts::Loss;

/// This rank's share of a batch: `batch` slices laid end to end.
#[derive(Clone, Debug)]
pub(crate) struct LocalBatch {
    pub(crate) ids: Vec<u32>,
    pub(crate) targets: Vec<i64>,
    pub(crate) batch: usize,
}

/// What a pass needs of its rank.
pub(crate) struct Pass<'a> {
    pub(crate) model: &'a Gpt,
    pub(crate) context: &'a CpContext,
    pub(crate) rope: &'a Rope,
    pub(crate) loss: &'a dyn Loss,
    pub(crate) recorder: &'a Recorder,
}

/// What the backward pass needs of one layer.
struct LayerTape {
    pre: PreTape,
    attended: Attended,
    post: PostTape,
}

/// What a forward pass gives.
pub(crate) struct Outcome {
    /// Sum of the losses of this rank's tokens.
    pub(crate) loss_sum: f64,
    /// (N, V).
    pub(crate) logits: Tensor,
}

impl Pass<'_> {
    fn timed<T>(
        &self,
        what: Compute,
        work: impl FnOnce() -> candle_core::Result<T>,
    ) -> candle_core::Result<T> {
        self.recorder.time(work, |took_us| EventKind::Compute { what, took_us })
    }

    /// Loss and logits alone.
    pub(crate) async fn evaluate(&self, batch: &LocalBatch) -> Result<Outcome> {
        let mut x = self.embed(batch)?;
        for layer in 0..self.model.config().layers {
            x = self.forward(layer, &x, batch).await?.0;
        }
        let head = self.head(&x, batch)?;
        Ok(Outcome { loss_sum: head.loss_sum, logits: head.logits_nv })
    }

    /// Loss and logits, and the gradient of the sum of losses added to `gradients`. If nothing is
    /// added to them after this pass, `reduction` sums what is complete beside it.
    pub(crate) async fn train(
        &self,
        batch: &LocalBatch,
        gradients: &Gradients,
        mut reduction: Option<&mut Reduction<'_>>,
    ) -> Result<Outcome> {
        let mut x = self.embed(batch)?;
        let mut tapes = Vec::new();
        for layer in 0..self.model.config().layers {
            let (y, tape) = self.forward(layer, &x, batch).await?;
            tapes.push(tape);
            x = y;
        }
        let (outcome, mut dx) = {
            let head = self.head(&x, batch)?;
            let dx =
                self.timed(Compute::Backward, || self.model.head_backward(&head, gradients))?;
            (Outcome { loss_sum: head.loss_sum, logits: head.logits_nv }, dx)
        };
        // Each layer's tape ends with its backward: that is when its memory comes back.
        for (layer, tape) in tapes.into_iter().enumerate().rev() {
            let beside = reduction.as_deref_mut();
            dx = self.backward(layer, tape, &dx, batch, gradients, beside).await?;
        }
        self.timed(Compute::Backward, || self.model.embed_backward(&batch.ids, &dx, gradients))?;
        Ok(outcome)
    }

    async fn forward(
        &self,
        layer: usize,
        x: &Tensor,
        batch: &LocalBatch,
    ) -> Result<(Tensor, LayerTape)> {
        let (Qkv { q_bhtd, k_bktd, v_bktd }, pre) =
            self.timed(Compute::Forward, || self.model.pre(layer, x, batch.batch, self.rope))?;
        let attended = self.context.forward(layer, &q_bhtd, &k_bktd, &v_bktd).await?;
        let out = &attended.out_bhtd;
        let (y, post) = self.timed(Compute::Forward, || self.model.post(layer, x, out))?;
        Ok((y, LayerTape { pre, attended, post }))
    }

    async fn backward(
        &self,
        layer: usize,
        tape: LayerTape,
        dy: &Tensor,
        batch: &LocalBatch,
        gradients: &Gradients,
        beside: Option<&mut Reduction<'_>>,
    ) -> Result<Tensor> {
        let model = self.model;
        let (dx, dout) = self.timed(Compute::Backward, || {
            model.post_backward(layer, &tape.post, dy, batch.batch, gradients)
        })?;
        let attention = self.context.backward(layer, &tape.attended, &dout);
        let grad = match beside {
            Some(reduction) => {
                reduction.begin(gradients.complete_from(model, layer)).await?;
                reduction.beside(attention).await?
            }
            None => attention.await?,
        };
        let dx = self.timed(Compute::Backward, || {
            model.pre_backward(layer, &tape.pre, &grad, &dx, self.rope, gradients)
        })?;
        Ok(dx)
    }

    fn embed(&self, batch: &LocalBatch) -> Result<Tensor> {
        Ok(self.timed(Compute::Forward, || Ok(self.model.embed(&batch.ids)?.detach()))?)
    }

    fn head(&self, x: &Tensor, batch: &LocalBatch) -> Result<Head> {
        Ok(self.timed(Compute::Forward, || self.loss.head(self.model, x, &batch.targets))?)
    }
}
