//! Backward of one block: the weights are computed again, strip by strip, from the lse.

use candle_core::{D, Result, Tensor};

use super::strip::{Heads, strips};
use super::{Partial, Seen, composed, seen::pairs};
use crate::lanes;
use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::unsafe_gemm::{Matrix, MatrixMut, Write, product};
use crate::values::{is_fused, tensor};

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
        let _span = profile::span(Kind::Kernel, "attention delta");
        Ok(Self {
            q_bhtd: q_bhtd.clone(),
            lse_bht1: attended.lse_bht1.clone(),
            dout_bhtd: dout_bhtd.clone(),
            delta_bht1: row_dots(dout_bhtd, &attended.out_bhtd)?,
        })
    }

    /// The rows `start .. start + len`.
    pub fn rows(&self, start: usize, len: usize) -> Result<Self> {
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

/// Backward of [`super::forward`] for one block of keys. A row that sees nothing gets 0.
pub fn backward(
    query: &QueryGrad,
    k_bksd: &Tensor,
    v_bksd: &Tensor,
    seen: Option<&Seen>,
) -> Result<BlockGrad> {
    let ((b, h, t, d), (_, kv_heads, s, _)) = (query.q_bhtd.dims4()?, k_bksd.dims4()?);
    // q k^T again, dout v^T, p^T dout, ds k and ds^T q.
    let _span = profile::products(Kind::Kernel, "attention backward", || {
        5 * (2 * b * h * d) as u64 * pairs(t, s, seen)
    });
    if !is_fused(k_bksd) {
        return composed::backward(query, k_bksd, v_bksd, seen);
    }
    let (q, dout) = (Heads::of(&query.q_bhtd)?, Heads::of(&query.dout_bhtd)?);
    let (k, v) = (Heads::of(k_bksd)?, Heads::of(v_bksd)?);
    let (lse, delta) = (Heads::of(&query.lse_bht1)?, Heads::of(&query.delta_bht1)?);
    let scale = (d as f32).sqrt().recip();
    let mut dq = vec![0.0; b * h * t * d];
    let (mut dk, mut dv) = (vec![0.0; b * kv_heads * s * d], vec![0.0; b * kv_heads * s * d]);
    let strips = strips(t, s, seen);
    let (mut weights, mut grads) = (Vec::new(), Vec::new());
    for (index, dq) in dq.chunks_exact_mut(t * d).enumerate() {
        let (batch, head) = (index / h, index % h);
        let kv_head = head * kv_heads / h;
        let kv_at = (batch * kv_heads + kv_head) * s * d;
        for strip in &strips {
            let (rows, width) = (strip.rows.len(), strip.keys.len());
            weights.resize(rows * width, 0.0);
            grads.resize(rows * width, 0.0);
            let (q, dout) = (q.rows(batch, head, &strip.rows), dout.rows(batch, head, &strip.rows));
            let (k, v) = (k.rows(batch, kv_head, &strip.keys), v.rows(batch, kv_head, &strip.keys));
            product(MatrixMut::new(&mut weights, rows, width), Write::Over, scale, q, k.t());
            product(MatrixMut::new(&mut grads, rows, width), Write::Over, 1.0, dout, v.t());
            widest(
                #[inline(always)]
                || {
                    let both = weights.chunks_exact_mut(width).zip(grads.chunks_exact_mut(width));
                    for (i, (weights, grads)) in both.enumerate() {
                        let row = strip.rows.start + i;
                        let keys = strip.seen_by(row, seen);
                        for outside in [0..keys.start, keys.end..width] {
                            weights[outside.clone()].fill(0.0);
                            grads[outside].fill(0.0);
                        }
                        let (lse, delta) =
                            (lse.row(batch, head, row)[0], delta.row(batch, head, row)[0]);
                        let (weights, grads) = (&mut weights[keys.clone()], &mut grads[keys]);
                        for (weight, grad) in weights.iter_mut().zip(grads) {
                            *weight = lanes::exp(*weight - lse);
                            *grad = *weight * (*grad - delta);
                        }
                    }
                },
            );
            let (weights, grads) =
                (Matrix::new(&weights, rows, width), Matrix::new(&grads, rows, width));
            let of_keys = kv_at + strip.keys.start * d..kv_at + strip.keys.end * d;
            let dq = &mut dq[strip.rows.start * d..strip.rows.end * d];
            product(MatrixMut::new(dq, rows, d), Write::Over, scale, grads, k);
            let dk = MatrixMut::new(&mut dk[of_keys.clone()], width, d);
            product(dk, Write::Add, scale, grads.t(), q);
            let dv = MatrixMut::new(&mut dv[of_keys], width, d);
            product(dv, Write::Add, 1.0, weights.t(), dout);
        }
    }
    Ok(BlockGrad {
        dq_bhtd: tensor(dq, (b, h, t, d))?,
        dk_bksd: tensor(dk, (b, kv_heads, s, d))?,
        dv_bksd: tensor(dv, (b, kv_heads, s, d))?,
    })
}

/// The sum of each row of `a b` (B, H, T, D) as (B, H, T, 1).
fn row_dots(a_bhtd: &Tensor, b_bhtd: &Tensor) -> Result<Tensor> {
    if !is_fused(a_bhtd) {
        return (a_bhtd * b_bhtd)?.sum_keepdim(D::Minus1);
    }
    let (b, h, t, _) = a_bhtd.dims4()?;
    let (left, right) = (Heads::of(a_bhtd)?, Heads::of(b_bhtd)?);
    let mut dots = vec![0.0; b * h * t];
    widest(
        #[inline(always)]
        || {
            for (row, dot) in dots.iter_mut().enumerate() {
                let (batch, head, row) = (row / (h * t), row / t % h, row % t);
                let (left, right) = (left.row(batch, head, row), right.row(batch, head, row));
                *dot = lanes::sum_of(left, right, |a, b| a * b);
            }
        },
    );
    tensor(dots, (b, h, t, 1))
}
