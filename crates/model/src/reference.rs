//! The whole network in one graph on one device: the oracle that everything is checked against.

use candle_core::{D, DType, Device, Result, Tensor};

use crate::gpt::Layer;
use crate::{Gpt, Qkv, Rope, cross_entropy_sum};

/// softmax(q k^T / sqrt(D) + mask) v by the book, the T x T matrix in memory.
///
/// `sees[i][j]` says whether query i sees key j. A row that sees nothing gives 0.
/// Returns the output (B, H, T, D) and lse (B, H, T).
pub fn attention(qkv: &Qkv, sees: &[Vec<bool>]) -> Result<(Tensor, Tensor)> {
    let (b, h, t, d) = qkv.q_bhtd.dims4()?;
    let share = h / qkv.k_bktd.dim(1)?;
    let spread = |x: &Tensor| {
        let (b, k, t, d) = x.dims4()?;
        x.unsqueeze(2)?.broadcast_as((b, k, share, t, d))?.reshape((b, h, t, d))
    };
    let device = qkv.q_bhtd.device();
    let mask: Vec<f64> = sees
        .iter()
        .flatten()
        .map(|&visible| if visible { 0.0 } else { f64::NEG_INFINITY })
        .collect();
    let keys = sees.first().map_or(0, Vec::len);
    let mask = Tensor::from_vec(mask, (t, keys), &Device::Cpu)?
        .to_dtype(qkv.q_bhtd.dtype())?
        .to_device(device)?;
    let scores = (qkv.q_bhtd.matmul(&spread(&qkv.k_bktd)?.t()?)? / (d as f64).sqrt())?;
    let scores = scores.broadcast_add(&mask)?;
    // Large but finite, so that a row of -inf minus its maximum is -inf and not NaN.
    let max = scores.max_keepdim(D::Minus1)?.maximum(-1e30)?.detach();
    let weights = scores.broadcast_sub(&max)?.exp()?;
    let sum = weights.sum_keepdim(D::Minus1)?;
    let out = weights.matmul(&spread(&qkv.v_bktd)?)?.broadcast_div(&sum.maximum(1e-30)?)?;
    let lse = (sum.log()? + max)?.reshape((b, h, t))?;
    Ok((out, lse))
}

/// Logits (B T, V) of whole sequences, ids by sequence.
pub fn logits(model: &Gpt, ids: &[Vec<u32>], sees: &[Vec<bool>]) -> Result<Tensor> {
    let batch = ids.len();
    let positions: Vec<u32> = (0..sees.len() as u32).collect();
    let rope = model.rope(&positions)?;
    let mut x = model.embed(&ids.concat())?;
    for layer in 0..model.config().layers {
        let (out, _) = attention(&pre(model, layer, &x, batch, &rope)?, sees)?;
        x = post(model, layer, &x, &out)?;
    }
    let (norm, head) = model.head_parameters();
    linear(&rms_norm(model, &x, norm)?, model, head)
}

fn pre(model: &Gpt, layer: usize, x_nd: &Tensor, batch: usize, rope: &Rope) -> Result<Qkv> {
    let Layer { attn_norm, qkv, .. } = model.layer(layer);
    let (c, t) = (model.config(), x_nd.dim(0)? / batch);
    let fused = linear(&rms_norm(model, x_nd, attn_norm)?, model, qkv)?;
    let heads = |first: usize, count: usize| {
        fused
            .narrow(1, first * c.head_dim(), count * c.head_dim())?
            .reshape((batch, t, count, c.head_dim()))?
            .transpose(1, 2)?
            .contiguous()
    };
    Ok(Qkv {
        q_bhtd: rope.apply(&heads(0, c.heads)?)?,
        k_bktd: rope.apply(&heads(c.heads, c.kv_heads)?)?,
        v_bktd: heads(c.heads + c.kv_heads, c.kv_heads)?,
    })
}

fn post(model: &Gpt, layer: usize, x_nd: &Tensor, out_bhtd: &Tensor) -> Result<Tensor> {
    let Layer { out, mlp_norm, up, down, .. } = model.layer(layer);
    let out_nd = out_bhtd.transpose(1, 2)?.contiguous()?.reshape(((), model.config().d_model))?;
    let x = (x_nd + linear(&out_nd, model, out)?)?;
    let hidden = linear(&rms_norm(model, &x, mlp_norm)?, model, up)?;
    &x + linear(&hidden.gelu()?, model, down)?
}

/// x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich, 2019).
fn rms_norm(model: &Gpt, x_nd: &Tensor, weight: usize) -> Result<Tensor> {
    let mean = x_nd.sqr()?.mean_keepdim(D::Minus1)?;
    let scale = (mean + model.config().norm_eps)?.sqrt()?;
    x_nd.broadcast_div(&scale)?.broadcast_mul(&model.vars()[weight])
}

/// y = x W^T.
fn linear(x: &Tensor, model: &Gpt, weight: usize) -> Result<Tensor> {
    x.matmul(&model.vars()[weight].t()?)
}

/// What the one-device run gives for a batch.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Sum of losses / valid tokens.
    pub loss: f64,
    /// (B T, V).
    pub logits: Tensor,
    /// d loss / d parameter, in the order of the parameters.
    pub gradients: Vec<Tensor>,
}

/// Loss, logits and every gradient by candle's own backward over the whole graph.
pub fn run(
    model: &Gpt,
    ids: &[Vec<u32>],
    targets: &[Vec<i64>],
    sees: &[Vec<bool>],
) -> Result<Outcome> {
    let logits = logits(model, ids, sees)?;
    let targets = targets.concat();
    let valid = targets.iter().filter(|&&t| t != crate::IGNORED).count().max(1);
    let loss = (cross_entropy_sum(&logits, &targets)? / valid as f64)?;
    let mut store = loss.backward()?;
    let gradients = model
        .vars()
        .iter()
        .map(|var| store.remove(var).map_or_else(|| var.zeros_like(), Ok))
        .collect::<Result<_>>()?;
    let loss = loss.to_dtype(DType::F64)?.to_scalar()?;
    Ok(Outcome { loss, logits: logits.detach(), gradients })
}
