//! The network as segments, each with its own backward: pre, attention from outside, post, head.
//!
//! The chain rule is driven by hand from segment to segment, because what lies between them,
//! attention over ranks, is asynchronous. A segment leaves behind what its backward needs, and
//! that is all that is kept: nothing is recorded by candle.

use candle_core::{Result, Tensor};
use kernels::heads::{self, Shape, Turn};
use kernels::rms_norm::{self, Normed};
use kernels::{cross_entropy, embed, gelu, linear, profile::within};

use crate::gpt::Layer;
use crate::{Gpt, Gradients, Qkv, Rope};

/// What the backward of [`Gpt::pre`] needs.
#[derive(Debug)]
pub struct PreTape {
    x_nd: Tensor,
    normed: Normed,
}

/// What the backward of [`Gpt::post`] needs.
#[derive(Debug)]
pub struct PostTape {
    out_nd: Tensor,
    x_nd: Tensor,
    normed: Normed,
    up: Tensor,
    hidden: Tensor,
}

/// Losses and logits, and what the backward of [`Gpt::head`] needs.
#[derive(Debug)]
pub struct Head {
    /// Sum of the losses of the tokens that have a target, in nats.
    pub loss_sum: f64,
    /// (N, V).
    pub logits_nv: Tensor,
    x_nd: Tensor,
    normed: Normed,
    dlogits_nv: Tensor,
}

impl Head {
    /// The same with every token's loss times `weight`, and so the gradient.
    pub fn weighted(self, weight: f64) -> Result<Self> {
        let dlogits_nv = (self.dlogits_nv * weight)?;
        Ok(Self { loss_sum: self.loss_sum * weight, dlogits_nv, ..self })
    }
}

impl Gpt {
    /// x (N, d) to the queries, keys and values of `layer`, for `batch` sequences.
    pub fn pre(
        &self,
        layer: usize,
        x_nd: &Tensor,
        batch: usize,
        rope: &Rope,
    ) -> Result<(Qkv, PreTape)> {
        let Layer { attn_norm, qkv, .. } = self.layer(layer);
        let normed = self.rms_norm(x_nd, attn_norm)?;
        let fused = self.linear("qkv", &normed.y_nd, qkv, None)?;
        let [q_bhtd, k_bktd, v_bktd] = heads::split(&fused, self.shape(batch), rope.turn())?;
        let tape = PreTape { x_nd: x_nd.clone(), normed };
        Ok((Qkv { q_bhtd, k_bktd, v_bktd }, tape))
    }

    /// Pulls the gradients of queries, keys and values back to x (N, d), and adds `plus`: what
    /// x gets from elsewhere.
    pub fn pre_backward(
        &self,
        layer: usize,
        tape: &PreTape,
        grad: &Qkv,
        plus_nd: &Tensor,
        rope: &Rope,
        gradients: &Gradients,
    ) -> Result<Tensor> {
        let Layer { attn_norm, qkv, .. } = self.layer(layer);
        let shape = self.shape(grad.q_bhtd.dim(0)?);
        let grads = [&grad.q_bhtd, &grad.k_bktd, &grad.v_bktd];
        let dfused = heads::merge(grads, shape, rope.turn())?;
        let dnormed = self.linear_backward("qkv", &dfused, &tape.normed.y_nd, qkv, gradients)?;
        self.rms_norm_backward(
            &dnormed,
            &tape.x_nd,
            &tape.normed,
            attn_norm,
            Some(plus_nd),
            gradients,
        )
    }

    /// x (N, d) and attention's output (B, H, T, D) to the x of the next layer.
    pub fn post(
        &self,
        layer: usize,
        x_nd: &Tensor,
        out_bhtd: &Tensor,
    ) -> Result<(Tensor, PostTape)> {
        let Layer { out, mlp_norm, up, down, .. } = self.layer(layer);
        let out_nd = heads::to_rows(out_bhtd)?;
        let x_nd = self.linear("out", &out_nd, out, Some(x_nd))?;
        let normed = self.rms_norm(&x_nd, mlp_norm)?;
        let up = self.linear("up", &normed.y_nd, up, None)?;
        let hidden = gelu::forward(&up)?;
        let y_nd = self.linear("down", &hidden, down, Some(&x_nd))?;
        Ok((y_nd, PostTape { out_nd, x_nd, normed, up, hidden }))
    }

    /// Pulls `dy` (N, d) back to x (N, d) and to attention's output (B, H, T, D).
    pub fn post_backward(
        &self,
        layer: usize,
        tape: &PostTape,
        dy_nd: &Tensor,
        batch: usize,
        gradients: &Gradients,
    ) -> Result<(Tensor, Tensor)> {
        let Layer { out, mlp_norm, up, down, .. } = self.layer(layer);
        let back = |purpose, dy: &Tensor, x: &Tensor, weight: usize| {
            self.linear_backward(purpose, dy, x, weight, gradients)
        };
        let dhidden = back("down", dy_nd, &tape.hidden, down)?;
        let dnormed = back("up", &gelu::backward(&dhidden, &tape.up)?, &tape.normed.y_nd, up)?;
        let (x_nd, normed) = (&tape.x_nd, &tape.normed);
        let dx_nd =
            self.rms_norm_backward(&dnormed, x_nd, normed, mlp_norm, Some(dy_nd), gradients)?;
        let dout_nd = back("out", &dx_nd, &tape.out_nd, out)?;
        Ok((dx_nd, heads::from_rows(&dout_nd, self.shape(batch))?))
    }

    /// x (N, d) to logits (N, V) and the losses against `targets` (N), [`crate::IGNORED`] for none.
    pub fn head(&self, x_nd: &Tensor, targets: &[i64]) -> Result<Head> {
        let (norm, weight) = self.head_parameters();
        let normed = self.rms_norm(x_nd, norm)?;
        let logits_nv = self.linear("head", &normed.y_nd, weight, None)?;
        let loss = cross_entropy::forward(&logits_nv, targets)?;
        Ok(Head {
            loss_sum: loss.sum,
            logits_nv,
            x_nd: x_nd.clone(),
            normed,
            dlogits_nv: loss.dlogits_nv,
        })
    }

    /// Pulls the sum of the losses back to x (N, d).
    pub fn head_backward(&self, head: &Head, gradients: &Gradients) -> Result<Tensor> {
        let (norm, weight) = self.head_parameters();
        let (dlogits, x) = (&head.dlogits_nv, &head.normed.y_nd);
        let dnormed = self.linear_backward("head", dlogits, x, weight, gradients)?;
        self.rms_norm_backward(&dnormed, &head.x_nd, &head.normed, norm, None, gradients)
    }

    /// Pulls dx (N, d) back to the embeddings of `ids` (N).
    pub fn embed_backward(&self, ids: &[u32], dx_nd: &Tensor, gradients: &Gradients) -> Result<()> {
        embed::backward(dx_nd, ids, &gradients.of(0)?)
    }

    fn shape(&self, batch: usize) -> Shape {
        let c = self.config();
        Shape { batch, heads: c.heads, kv_heads: c.kv_heads, head_dim: c.head_dim() }
    }

    /// The numbers of a parameter, outside candle's graph: the backward here is by hand.
    fn weight(&self, parameter: usize) -> Tensor {
        self.vars()[parameter].as_detached_tensor()
    }

    fn linear(
        &self,
        purpose: &'static str,
        x_ni: &Tensor,
        parameter: usize,
        plus_no: Option<&Tensor>,
    ) -> Result<Tensor> {
        within(purpose, || linear::forward(x_ni, &self.weight(parameter), plus_no))
    }

    fn linear_backward(
        &self,
        purpose: &'static str,
        dy_no: &Tensor,
        x_ni: &Tensor,
        parameter: usize,
        gradients: &Gradients,
    ) -> Result<Tensor> {
        let (weight, dweight) = (self.weight(parameter), gradients.of(parameter)?);
        within(purpose, || linear::backward(dy_no, x_ni, &weight, &dweight))
    }

    fn rms_norm(&self, x_nd: &Tensor, parameter: usize) -> Result<Normed> {
        rms_norm::forward(x_nd, &self.weight(parameter), self.config().norm_eps)
    }

    fn rms_norm_backward(
        &self,
        dy_nd: &Tensor,
        x_nd: &Tensor,
        normed: &Normed,
        parameter: usize,
        plus_nd: Option<&Tensor>,
        gradients: &Gradients,
    ) -> Result<Tensor> {
        let (weight, dweight) = (self.weight(parameter), gradients.of(parameter)?);
        rms_norm::backward(dy_nd, x_nd, &weight, &normed.scale_n1, plus_nd, &dweight)
    }
}

impl Rope {
    fn turn(&self) -> Turn<'_> {
        Turn { cos: self.cos(), sin: self.sin() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{DType, Device, Var};

    use crate::{GptConfig, IGNORED, reference};

    /// Attention as a segment of its own, with its vector-Jacobian product by candle.
    struct Attention {
        leaves: [Var; 3],
        out: Tensor,
    }

    impl Attention {
        fn new(qkv: &Qkv, sees: &[Vec<bool>]) -> Result<Self> {
            let leaf = Var::from_tensor;
            let leaves = [leaf(&qkv.q_bhtd)?, leaf(&qkv.k_bktd)?, leaf(&qkv.v_bktd)?];
            let [q_bhtd, k_bktd, v_bktd] = leaves.each_ref().map(|leaf| leaf.as_tensor().clone());
            let (out, _) = reference::attention(&Qkv { q_bhtd, k_bktd, v_bktd }, sees)?;
            Ok(Self { leaves, out })
        }

        fn backward(&self, dout: &Tensor) -> Result<Qkv> {
            let store = (&self.out * dout)?.sum_all()?.backward()?;
            let grad = |leaf: &Var| store.get(leaf).expect("it takes part").contiguous();
            let [q, k, v] = &self.leaves;
            Ok(Qkv { q_bhtd: grad(q)?, k_bktd: grad(k)?, v_bktd: grad(v)? })
        }
    }

    /// Loss and gradients by embed, pre, attention, post and head, each with its own backward.
    fn chained(
        model: &Gpt,
        ids: &[Vec<u32>],
        targets: &[i64],
        sees: &[Vec<bool>],
    ) -> Result<(f64, Vec<Tensor>)> {
        let (batch, rope) = (ids.len(), model.rope(&(0..sees.len() as u32).collect::<Vec<_>>())?);
        let parameters = model.vars().iter().map(|var| var.elem_count()).sum();
        let gradients = Gradients::new(model, &[parameters], 0)?;
        let mut x = model.embed(&ids.concat())?.detach();
        let mut tape = Vec::new();
        for layer in 0..model.config().layers {
            let (qkv, pre) = model.pre(layer, &x, batch, &rope)?;
            let attention = Attention::new(&qkv, sees)?;
            let (y, post) = model.post(layer, &x, &attention.out.detach())?;
            tape.push((pre, attention, post));
            x = y;
        }
        let head = model.head(&x, targets)?;
        let mut dx = model.head_backward(&head, &gradients)?;
        for (layer, (pre, attention, post)) in tape.iter().enumerate().rev() {
            let (dx_post, dout) = model.post_backward(layer, post, &dx, batch, &gradients)?;
            let grad = attention.backward(&dout)?;
            dx = model.pre_backward(layer, pre, &grad, &dx_post, &rope, &gradients)?;
        }
        model.embed_backward(&ids.concat(), &dx, &gradients)?;
        Ok((head.loss_sum, gradients.views(gradients.pieces())?))
    }

    #[test]
    fn segments_chained_by_hand_give_the_whole_graphs_gradients() -> Result<()> {
        let config = GptConfig::new(11, 8, 4, 2, 3);
        let ids = vec![vec![1, 5, 3, 0, 10], vec![2, 2, 7, 9, 4]];
        let targets = vec![vec![5, 3, 0, 10, IGNORED], vec![2, 7, 9, 4, 6]];
        let sees: Vec<Vec<bool>> = (0..5).map(|q| (0..5).map(|k| k <= q).collect()).collect();
        let exact = Gpt::new(config, 5, DType::F64, &Device::Cpu)?;
        let whole = reference::run(&exact, &ids, &targets, &sees)?;
        let valid = targets.iter().flatten().filter(|&&t| t != IGNORED).count() as f64;
        // f64 takes candle's operations, f32 the fused ones. Candle's own gradient of GELU has
        // constants of six digits, which is all that keeps the first from 1e-12.
        for (dtype, limit) in [(DType::F64, 1e-8), (DType::F32, 1e-5)] {
            let model = Gpt::new(config, 5, dtype, &Device::Cpu)?;
            let (loss, by_hand) = chained(&model, &ids, &targets.concat(), &sees)?;
            assert!((loss / valid - whole.loss).abs() <= limit);
            for (((name, _), a), b) in
                config.parameters().iter().zip(&by_hand).zip(&whole.gradients)
            {
                let a = (a.to_dtype(DType::F64)? / valid)?;
                let difference = (a - b)?.sqr()?.sum_all()?.to_scalar::<f64>()?.sqrt();
                let size = b.sqr()?.sum_all()?.to_scalar::<f64>()?.sqrt();
                assert!(size > 0.0 && difference <= limit * size, "{name}: {difference} of {size}");
            }
        }
        Ok(())
    }
}
