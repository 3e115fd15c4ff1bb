//! Forward of one block: strip by strip, scores, softmax, weighted values.

use candle_core::{Result, Tensor};

use super::strip::{Heads, strips};
use super::{Seen, composed, seen::pairs};
use crate::lanes;
use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::unsafe_gemm::{Matrix, MatrixMut, Write, product};
use crate::values::{is_fused, tensor};

/// Attention over some of the keys.
#[derive(Clone, Debug)]
pub struct Partial {
    /// Normalised output (B, H, T, D).
    pub out_bhtd: Tensor,
    /// Log of the sum of exponentiated scores (B, H, T, 1); -inf where nothing was seen.
    pub lse_bht1: Tensor,
}

/// Attention of `q` (B, H, T, D) over `k` and `v` (B, K, S, D); `None` sees everything.
pub fn forward(
    q_bhtd: &Tensor,
    k_bksd: &Tensor,
    v_bksd: &Tensor,
    seen: Option<&Seen>,
) -> Result<Partial> {
    let ((b, h, t, d), (_, kv_heads, s, _)) = (q_bhtd.dims4()?, k_bksd.dims4()?);
    // q k^T and p v.
    let _span = profile::products(Kind::Kernel, "attention forward", || {
        2 * (2 * b * h * d) as u64 * pairs(t, s, seen)
    });
    if !is_fused(q_bhtd) {
        return composed::forward(q_bhtd, k_bksd, v_bksd, seen);
    }
    let (q, k, v) = (Heads::of(q_bhtd)?, Heads::of(k_bksd)?, Heads::of(v_bksd)?);
    let scale = (d as f32).sqrt().recip();
    let mut out = vec![0.0; b * h * t * d];
    let mut lse = vec![f32::NEG_INFINITY; b * h * t];
    let strips = strips(t, s, seen);
    let mut scores = Vec::new();
    for (index, (out, lse)) in out.chunks_exact_mut(t * d).zip(lse.chunks_exact_mut(t)).enumerate()
    {
        let (batch, head) = (index / h, index % h);
        let kv_head = head * kv_heads / h;
        for strip in &strips {
            let (rows, width) = (strip.rows.len(), strip.keys.len());
            scores.resize(rows * width, 0.0);
            product(
                MatrixMut::new(&mut scores, rows, width),
                Write::Over,
                scale,
                q.rows(batch, head, &strip.rows),
                k.rows(batch, kv_head, &strip.keys).t(),
            );
            let lse = &mut lse[strip.rows.clone()];
            widest(
                #[inline(always)]
                || {
                    for (i, row) in scores.chunks_exact_mut(width).enumerate() {
                        let keys = strip.seen_by(strip.rows.start + i, seen);
                        row[..keys.start].fill(0.0);
                        row[keys.end..].fill(0.0);
                        let row = &mut row[keys];
                        if row.is_empty() {
                            continue;
                        }
                        let max = lanes::max(row);
                        let sum = lanes::exp_in_place(row, max);
                        let share = 1.0 / sum;
                        row.iter_mut().for_each(|weight| *weight *= share);
                        lse[i] = max + sum.ln();
                    }
                },
            );
            product(
                MatrixMut::new(&mut out[strip.rows.start * d..][..rows * d], rows, d),
                Write::Over,
                1.0,
                Matrix::new(&scores, rows, width),
                v.rows(batch, kv_head, &strip.keys),
            );
        }
    }
    Ok(Partial { out_bhtd: tensor(out, (b, h, t, d))?, lse_bht1: tensor(lse, (b, h, t, 1))? })
}
