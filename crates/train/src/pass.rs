//! One forward and backward pass over this rank's tokens, segment by segment.
//!
//! embed -> per layer: pre, attention over the ranks, post -> head -> sum of losses, and back
//! through the same segments with each one's own vector-Jacobian product.

use candle_core::Tensor;
use comm::Recorder;
use model::{Gpt, Gradients, Leaf, Qkv, Rope, cross_entropy_sum, pull_back};
use parallel::{Attended, CpContext};
use plan::EventKind;
use plan::event::Compute;

use crate::Result;

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
    pub(crate) recorder: &'a Recorder,
}

/// What the backward pass needs of one layer.
struct LayerTape {
    x: Leaf,
    qkv: Qkv,
    attended: Attended,
    out: Leaf,
    y: Tensor,
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
        let mut x = self.timed(Compute::Forward, || self.model.embed(&batch.ids))?.detach();
        for layer in 0..self.model.config().layers {
            let qkv = self.timed(Compute::Forward, || self.pre(layer, &x, batch))?;
            let attended = self.attend(layer, &qkv).await?;
            let out = &attended.out_bhtd;
            x = self.timed(Compute::Forward, || self.model.post(layer, &x, out))?.detach();
        }
        let (loss, logits) = self.timed(Compute::Forward, || self.loss(&x, batch))?;
        Ok(Outcome { loss_sum: scalar(&loss)?, logits: logits.detach() })
    }

    /// Loss and logits, and the gradient of the sum of losses added to `gradients`.
    pub(crate) async fn train(
        &self,
        batch: &LocalBatch,
        gradients: &mut Gradients,
    ) -> Result<Outcome> {
        let embedded = self.timed(Compute::Forward, || self.model.embed(&batch.ids))?;
        let mut tape = Vec::new();
        let mut x = Leaf::new(&embedded)?;
        for layer in 0..self.model.config().layers {
            let qkv = self.timed(Compute::Forward, || self.pre(layer, x.tensor(), batch))?;
            let attended = self.attend(layer, &qkv).await?;
            let out = Leaf::new(&attended.out_bhtd)?;
            let y =
                self.timed(Compute::Forward, || self.model.post(layer, x.tensor(), out.tensor()))?;
            let next = Leaf::new(&y)?;
            tape.push(LayerTape { x, qkv, attended, out, y });
            x = next;
        }
        let (loss, logits) = self.timed(Compute::Forward, || self.loss(x.tensor(), batch))?;
        let outcome = Outcome { loss_sum: scalar(&loss)?, logits: logits.detach() };

        let one = loss.ones_like()?;
        let mut dx = self.timed(Compute::Backward, || {
            self.back(&[(&loss, &one)], &[&x], gradients).map(|mut grads| grads.remove(0))
        })?;
        for (layer, record) in tape.into_iter().enumerate().rev() {
            let [dx_post, dout] = self.timed(Compute::Backward, || {
                let leaves = [&record.x, &record.out];
                Ok(two(self.back(&[(&record.y, &dx)], &leaves, gradients)?))
            })?;
            let grad = self.context.backward(layer, &record.attended, &dout).await?;
            let qkv = &record.qkv;
            dx = self.timed(Compute::Backward, || {
                let outputs =
                    [(&qkv.q_bhtd, &grad.dq), (&qkv.k_bktd, &grad.dk), (&qkv.v_bktd, &grad.dv)];
                let dx_pre = self.back(&outputs, &[&record.x], gradients)?.remove(0);
                dx_post + dx_pre
            })?;
        }
        self.timed(Compute::Backward, || self.back(&[(&embedded, &dx)], &[], gradients))?;
        Ok(outcome)
    }

    fn back(
        &self,
        outputs: &[(&Tensor, &Tensor)],
        leaves: &[&Leaf],
        gradients: &mut Gradients,
    ) -> candle_core::Result<Vec<Tensor>> {
        pull_back(self.model, outputs, leaves, gradients)
    }

    fn pre(&self, layer: usize, x: &Tensor, batch: &LocalBatch) -> candle_core::Result<Qkv> {
        self.model.pre(layer, x, batch.batch, self.rope)
    }

    /// Attention lies outside candle's graph: it gets values and gives values.
    async fn attend(&self, layer: usize, qkv: &Qkv) -> Result<Attended> {
        let (q, k, v) = (qkv.q_bhtd.detach(), qkv.k_bktd.detach(), qkv.v_bktd.detach());
        Ok(self.context.forward(layer, &q, &k, &v).await?)
    }

    fn loss(&self, x: &Tensor, batch: &LocalBatch) -> candle_core::Result<(Tensor, Tensor)> {
        let logits = self.model.head(x)?;
        Ok((cross_entropy_sum(&logits, &batch.targets)?, logits))
    }
}

/// The gradients of a segment with two leaves.
fn two(mut gradients: Vec<Tensor>) -> [Tensor; 2] {
    let second = gradients.remove(1);
    [gradients.remove(0), second]
}

fn scalar(tensor: &Tensor) -> candle_core::Result<f64> {
    tensor.to_dtype(candle_core::DType::F64)?.to_scalar()
}
