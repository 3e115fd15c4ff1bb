//! The same by candle's operations, on any type and device: the oracle of the fused form.
//!
//! Query heads that share a key/value head are stacked as rows of one matrix, so keys and values
//! are never repeated and their gradients come out summed over the heads that share.

use candle_core::{D, Result, Tensor};

use super::merge::{TINY, VERY_LOW};
use super::{BlockGrad, Partial, QueryGrad, Seen};

/// Queries (B, H, T, D) as (B, K, G T, D), G = H / K query heads a key/value head.
fn stack_heads(x_bhtd: &Tensor, kv_heads: usize) -> Result<Tensor> {
    let (b, h, t, d) = x_bhtd.dims4()?;
    x_bhtd.contiguous()?.reshape((b, kv_heads, h / kv_heads * t, d))
}

/// Scores (B, K, G T, S), -inf where a query does not see a key.
fn scores(
    q_stacked: &Tensor,
    k_bksd: &Tensor,
    seen: Option<&Seen>,
    head_dim: usize,
) -> Result<Tensor> {
    let scores = (q_stacked.matmul(&k_bksd.t()?)? * (head_dim as f64).sqrt().recip())?;
    let Some(seen) = seen else {
        return Ok(scores);
    };
    let mask_ts = seen.mask(scores.dtype(), scores.device())?;
    let (b, k, rows, s) = scores.dims4()?;
    let t = mask_ts.dim(0)?;
    scores.reshape((b, k, rows / t, t, s))?.broadcast_add(&mask_ts)?.reshape((b, k, rows, s))
}

pub(super) fn forward(
    q_bhtd: &Tensor,
    k_bksd: &Tensor,
    v_bksd: &Tensor,
    seen: Option<&Seen>,
) -> Result<Partial> {
    let (b, h, t, d) = q_bhtd.dims4()?;
    let (k_bksd, v_bksd) = (k_bksd.contiguous()?, v_bksd.contiguous()?);
    let scores = scores(&stack_heads(q_bhtd, k_bksd.dim(1)?)?, &k_bksd, seen, d)?;
    let max = scores.max_keepdim(D::Minus1)?.maximum(VERY_LOW)?;
    let weights = scores.broadcast_sub(&max)?.exp()?;
    let sum = weights.sum_keepdim(D::Minus1)?;
    let out = weights.matmul(&v_bksd)?.broadcast_div(&sum.maximum(TINY)?)?;
    Ok(Partial {
        out_bhtd: out.reshape((b, h, t, d))?,
        lse_bht1: (sum.log()? + max)?.reshape((b, h, t, 1))?,
    })
}

pub(super) fn backward(
    query: &QueryGrad,
    k_bksd: &Tensor,
    v_bksd: &Tensor,
    seen: Option<&Seen>,
) -> Result<BlockGrad> {
    let (b, h, t, d) = query.q_bhtd.dims4()?;
    let (k_bksd, v_bksd) = (k_bksd.contiguous()?, v_bksd.contiguous()?);
    let stack = |x: &Tensor| stack_heads(x, k_bksd.dim(1)?);
    let (q, dout) = (stack(&query.q_bhtd)?, stack(&query.dout_bhtd)?);
    let lse = stack(&query.lse_bht1)?.maximum(VERY_LOW)?;
    let p = scores(&q, &k_bksd, seen, d)?.broadcast_sub(&lse)?.exp()?;
    let dv = p.t()?.matmul(&dout)?;
    let ds = (p * dout.matmul(&v_bksd.t()?)?.broadcast_sub(&stack(&query.delta_bht1)?)?)?;
    let scale = (d as f64).sqrt().recip();
    Ok(BlockGrad {
        dq_bhtd: (ds.matmul(&k_bksd)? * scale)?.reshape((b, h, t, d))?,
        dk_bksd: (ds.t()?.matmul(&q)? * scale)?,
        dv_bksd: dv,
    })
}
