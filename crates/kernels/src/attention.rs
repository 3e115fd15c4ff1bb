//! Attention of a block of queries over a block of keys, never more than a strip of its scores.
//!
//! s = q k^T / sqrt(D) where seen, m = row max, lse = m + log sum exp(s - m),
//! out = exp(s - lse) v. Backward, from the lse over all keys: p = exp(s - lse), dv = p^T dout,
//! ds = p (dout v^T - delta) with delta = rowsum(dout out), dq = ds k / sqrt(D),
//! dk = ds^T q / sqrt(D) (Dao et al., 2022).
//!
//! Shapes: q, out, dout (B, H, T, D); k, v (B, K, S, D), K dividing H; lse, delta (B, H, T, 1).

mod backward;
mod composed;
mod forward;
mod merge;
mod seen;
mod strip;

pub use backward::{BlockGrad, QueryGrad, backward};
pub use forward::{Partial, forward};
pub use seen::Seen;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};
    use candle_core::{Result, Tensor};

    /// Causal with an offset and a window, so that some rows see nothing and some not the start.
    fn seen(t: usize, s: usize, offset: usize, window: usize) -> Seen {
        let of = |q: usize| {
            let end = (q + 1).saturating_sub(offset).min(s);
            end.saturating_sub(window)..end
        };
        Seen::new((0..t).map(of).collect(), s)
    }

    fn check(h: usize, k: usize, t: usize, s: usize, d: usize, seen: Option<&Seen>) -> Result<()> {
        let b = 2;
        // Narrowed from something longer, as the tiles of a schedule are.
        let cut =
            |heads, len: usize, seed| numbers(&[b, heads, len + 3, d], seed)?.narrow(2, 2, len);
        let (q, dout) = (cut(h, t, 1)?, cut(h, t, 2)?);
        let (keys, values) = (cut(k, s, 3)?, cut(k, s, 4)?);
        let fused = forward(&q, &keys, &values, seen)?;
        let composed = composed::forward(&exact(&q)?, &exact(&keys)?, &exact(&values)?, seen)?;
        assert_close("out", &fused.out_bhtd, &composed.out_bhtd)?;
        assert_close("lse", &fused.lse_bht1, &composed.lse_bht1)?;
        let query = QueryGrad::new(&q, &fused, &dout)?;
        let query_exact = QueryGrad::new(&exact(&q)?, &composed, &exact(&dout)?)?;
        assert_close("delta", &query.delta_bht1, &query_exact.delta_bht1)?;
        let grad = backward(&query, &keys, &values, seen)?;
        let expect = composed::backward(&query_exact, &exact(&keys)?, &exact(&values)?, seen)?;
        assert_close("dq", &grad.dq_bhtd, &expect.dq_bhtd)?;
        assert_close("dk", &grad.dk_bksd, &expect.dk_bksd)?;
        assert_close("dv", &grad.dv_bksd, &expect.dv_bksd)
    }

    #[test]
    fn the_fused_form_agrees_over_odd_sizes_and_masks() -> Result<()> {
        for (h, k) in [(1, 1), (4, 2), (3, 1)] {
            for (t, s, d) in [(1, 1, 2), (5, 7, 3), (65, 64, 16), (130, 257, 20)] {
                check(h, k, t, s, d, None)?;
                check(h, k, t, s, d, Some(&seen(t, s, 0, s)))?;
                check(h, k, t, s, d, Some(&seen(t, s, t / 2, 9)))?;
            }
        }
        Ok(())
    }

    #[test]
    fn a_merge_agrees_with_its_composition() -> Result<()> {
        let (q, k, v) =
            (numbers(&[1, 2, 9, 4], 1)?, numbers(&[1, 2, 8, 4], 2)?, numbers(&[1, 2, 8, 4], 3)?);
        let half = |from: &Tensor, start| from.narrow(2, start, 4);
        let part =
            |start, seen: &Seen| forward(&q, &half(&k, start)?, &half(&v, start)?, Some(seen));
        let (a, b) = (part(0, &seen(9, 4, 2, 4))?, part(4, &seen(9, 4, 4, 3))?);
        let exactly = |p: &Partial| -> Result<Partial> {
            Ok(Partial { out_bhtd: exact(&p.out_bhtd)?, lse_bht1: exact(&p.lse_bht1)? })
        };
        let (fused, composed) = (a.merge(&b)?, exactly(&a)?.merge(&exactly(&b)?)?);
        assert_close("out", &fused.out_bhtd, &composed.out_bhtd)?;
        assert_close("lse", &fused.lse_bht1, &composed.lse_bht1)
    }
}
