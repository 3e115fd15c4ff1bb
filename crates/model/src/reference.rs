//! The whole network in one graph on one device: the oracle that everything is checked against.

use candle_core::{D, DType, Device, Result, Tensor};

use crate::{Gpt, Qkv, cross_entropy_sum};

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
        let qkv = model.pre(layer, &x, batch, &rope)?;
        let (out, _) = attention(&qkv, sees)?;
        x = model.post(layer, &x, &out)?;
    }
    model.head(&x)
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
