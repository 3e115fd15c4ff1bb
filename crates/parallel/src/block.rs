//! Attention of a block of queries over a block of keys, forward and backward.
//!
//! s = q k^T / sqrt(D) where allowed, m = row max, lse = m + log sum exp(s - m),
//! out = exp(s - lse) v. Backward, from the lse over all keys: p = exp(s - lse), dv = p^T dout,
//! ds = p (dout v^T - delta) with delta = rowsum(dout out), dq = ds k / sqrt(D),
//! dk = ds^T q / sqrt(D) (Dao et al., 2022).
//!
//! Query heads that share a key/value head are stacked as rows of one matrix, so keys and values
//! are never repeated and their gradients come out summed over the heads that share.

use candle_core::{D, Result, Tensor};

use crate::Partial;
use crate::partial::{TINY, VERY_LOW};

/// Queries (B, H, T, D) as (B, K, G T, D), G = H / K query heads a key/value head.
fn stack_heads(x_bhtd: &Tensor, kv_heads: usize) -> Result<Tensor> {
    let (b, h, t, d) = x_bhtd.dims4()?;
    x_bhtd.contiguous()?.reshape((b, kv_heads, h / kv_heads * t, d))
}

/// Scores (B, K, G T, S) under an additive mask (T, S) of 0 and -inf; `None` sees everything.
fn scores(
    q_stacked: &Tensor,
    k_bksd: &Tensor,
    mask_ts: Option<&Tensor>,
    head_dim: usize,
) -> Result<Tensor> {
    let scores = (q_stacked.matmul(&k_bksd.t()?)? * (head_dim as f64).sqrt().recip())?;
    let Some(mask_ts) = mask_ts else {
        return Ok(scores);
    };
    let (b, k, rows, s) = scores.dims4()?;
    let t = mask_ts.dim(0)?;
    scores.reshape((b, k, rows / t, t, s))?.broadcast_add(mask_ts)?.reshape((b, k, rows, s))
}

/// Forward. `q` (B, H, T, D), `k` and `v` (B, K, S, D), `mask` (T, S) of 0 and -inf.
pub fn forward(
    q_bhtd: &Tensor,
    k_bksd: &Tensor,
    v_bksd: &Tensor,
    mask_ts: Option<&Tensor>,
) -> Result<Partial> {
    let (b, h, t, d) = q_bhtd.dims4()?;
    let scores = scores(&stack_heads(q_bhtd, k_bksd.dim(1)?)?, k_bksd, mask_ts, d)?;
    let max = scores.max_keepdim(D::Minus1)?.maximum(VERY_LOW)?;
    let weights = scores.broadcast_sub(&max)?.exp()?;
    let sum = weights.sum_keepdim(D::Minus1)?;
    let out = weights.matmul(v_bksd)?.broadcast_div(&sum.maximum(TINY)?)?;
    Ok(Partial {
        out_bhtd: out.reshape((b, h, t, d))?,
        lse_bht1: (sum.log()? + max)?.reshape((b, h, t, 1))?,
    })
}

/// What a block's backward needs of its queries: they are the same for every block of keys.
#[derive(Clone, Debug)]
pub struct QueryGrad {
    /// Queries (B, H, T, D).
    pub q_bhtd: Tensor,
    /// Log-sum-exp over all keys (B, H, T, 1).
    pub lse_bht1: Tensor,
    /// d loss / d out (B, H, T, D).
    pub dout_bhtd: Tensor,
    /// rowsum(dout out) (B, H, T, 1).
    pub delta_bht1: Tensor,
}

impl QueryGrad {
    /// Computes delta once for all blocks.
    pub fn new(q_bhtd: &Tensor, attended: &Partial, dout_bhtd: &Tensor) -> Result<Self> {
        Ok(Self {
            q_bhtd: q_bhtd.clone(),
            lse_bht1: attended.lse_bht1.clone(),
            dout_bhtd: dout_bhtd.clone(),
            delta_bht1: (dout_bhtd * &attended.out_bhtd)?.sum_keepdim(D::Minus1)?,
        })
    }

    /// The rows `start .. start + len`.
    pub(crate) fn rows(&self, start: usize, len: usize) -> Result<Self> {
        let rows = |t: &Tensor| t.narrow(2, start, len);
        Ok(Self {
            q_bhtd: rows(&self.q_bhtd)?,
            lse_bht1: rows(&self.lse_bht1)?,
            dout_bhtd: rows(&self.dout_bhtd)?,
            delta_bht1: rows(&self.delta_bht1)?,
        })
    }
}

/// Gradients of one block.
#[derive(Clone, Debug)]
pub struct BlockGrad {
    /// Of the queries (B, H, T, D).
    pub dq_bhtd: Tensor,
    /// Of the keys (B, K, S, D).
    pub dk_bksd: Tensor,
    /// Of the values (B, K, S, D).
    pub dv_bksd: Tensor,
}

/// Backward of [`forward`] for one block of keys. A row that sees nothing gets 0.
pub fn backward(
    query: &QueryGrad,
    k_bksd: &Tensor,
    v_bksd: &Tensor,
    mask_ts: Option<&Tensor>,
) -> Result<BlockGrad> {
    let (b, h, t, d) = query.q_bhtd.dims4()?;
    let stack = |x: &Tensor| stack_heads(x, k_bksd.dim(1)?);
    let (q, dout) = (stack(&query.q_bhtd)?, stack(&query.dout_bhtd)?);
    let lse = stack(&query.lse_bht1)?.maximum(VERY_LOW)?;
    let p = scores(&q, k_bksd, mask_ts, d)?.broadcast_sub(&lse)?.exp()?;
    let dv = p.t()?.matmul(&dout)?;
    let ds = (p * dout.matmul(&v_bksd.t()?)?.broadcast_sub(&stack(&query.delta_bht1)?)?)?;
    let scale = (d as f64).sqrt().recip();
    Ok(BlockGrad {
        dq_bhtd: (ds.matmul(k_bksd)? * scale)?.reshape((b, h, t, d))?,
        dk_bksd: (ds.t()?.matmul(&q)? * scale)?,
        dv_bksd: dv,
    })
}
