//! A partial result of attention over some of the keys, and how two of them merge.
//!
//! out = softmax over the keys seen so far, lse = log sum exp of their scores. Over disjoint keys
//! lse = log(exp lse1 + exp lse2), out = exp(lse1 - lse) out1 + exp(lse2 - lse) out2: an
//! associative, commutative merge whose identity is (out 0, lse -inf)
//! (Milakov and Gimelshein, 2018).

use candle_core::{D, Result, Tensor};

use super::Partial;
use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::values::{Values, is_fused, tensor};

/// Stands in for -inf where a difference is taken: -inf minus -inf would be NaN.
pub(super) const VERY_LOW: f64 = -1e30;
/// Keeps 0 / 0 at 0; any sum of weights that is not empty is at least 1.
pub(super) const TINY: f64 = 1e-30;

impl Partial {
    /// The identity of [`Partial::merge`], for queries shaped like `q_bhtd`.
    pub fn nothing(q_bhtd: &Tensor) -> Result<Self> {
        let (b, h, t, _) = q_bhtd.dims4()?;
        let lse_bht1 = Tensor::full(f32::NEG_INFINITY, (b, h, t, 1), q_bhtd.device())?
            .to_dtype(q_bhtd.dtype())?;
        Ok(Self { out_bhtd: q_bhtd.zeros_like()?, lse_bht1 })
    }

    /// The result over both sets of keys, which share none.
    ///
    /// Stable form: both weights are taken relative to the larger lse, so neither overflows.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let _span = profile::span(Kind::Kernel, "attention merge");
        if !is_fused(&self.out_bhtd) {
            return self.merge_composed(other);
        }
        let (b, h, t, d) = self.out_bhtd.dims4()?;
        let (out, lse) = (Values::of(&self.out_bhtd)?, Values::of(&self.lse_bht1)?);
        let (others, other_lse) = (Values::of(&other.out_bhtd)?, Values::of(&other.lse_bht1)?);
        let (mut merged, mut lses) = (out.to_vec(), lse.to_vec());
        widest(
            #[inline(always)]
            || {
                let rows = merged.chunks_exact_mut(d).zip(others.chunks_exact(d));
                for ((out, other), (lse, &other_lse)) in
                    rows.zip(lses.iter_mut().zip(&other_lse[..]))
                {
                    if other_lse == f32::NEG_INFINITY {
                        continue;
                    }
                    let max = lse.max(other_lse);
                    let (weight, other_weight) = ((*lse - max).exp(), (other_lse - max).exp());
                    let sum = weight + other_weight;
                    let (weight, other_weight) = (weight / sum, other_weight / sum);
                    for (out, other) in out.iter_mut().zip(other) {
                        *out = weight * *out + other_weight * other;
                    }
                    *lse = max + sum.ln();
                }
            },
        );
        let (out_bhtd, lse_bht1) = (tensor(merged, (b, h, t, d))?, tensor(lses, (b, h, t, 1))?);
        Ok(Self { out_bhtd, lse_bht1 })
    }

    fn merge_composed(&self, other: &Self) -> Result<Self> {
        let max = self.lse_bht1.maximum(&other.lse_bht1)?.maximum(VERY_LOW)?;
        let weight_a = (&self.lse_bht1 - &max)?.exp()?;
        let weight_b = (&other.lse_bht1 - &max)?.exp()?;
        let sum = (&weight_a + &weight_b)?;
        let out = (self.out_bhtd.broadcast_mul(&weight_a)?
            + other.out_bhtd.broadcast_mul(&weight_b)?)?
        .broadcast_div(&sum.maximum(TINY)?)?;
        Ok(Self { out_bhtd: out, lse_bht1: (sum.log()? + max)? })
    }

    /// Lays results for consecutive queries end to end.
    pub fn concat(parts: &[Self]) -> Result<Self> {
        let outs: Vec<_> = parts.iter().map(|p| &p.out_bhtd).collect();
        let lses: Vec<_> = parts.iter().map(|p| &p.lse_bht1).collect();
        Ok(Self {
            out_bhtd: Tensor::cat(&outs, D::Minus2)?,
            lse_bht1: Tensor::cat(&lses, D::Minus2)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    fn partial(out: f32, lse: f32) -> Result<Partial> {
        let shape = (1, 1, 1, 1);
        Ok(Partial {
            out_bhtd: Tensor::full(out, shape, &Device::Cpu)?,
            lse_bht1: Tensor::full(lse, shape, &Device::Cpu)?,
        })
    }

    fn numbers(p: &Partial) -> Result<(f32, f32)> {
        let read = |t: &Tensor| t.flatten_all()?.to_vec1::<f32>().map(|v| v[0]);
        Ok((read(&p.out_bhtd)?, read(&p.lse_bht1)?))
    }

    const NOTHING: (f32, f32) = (0.0, f32::NEG_INFINITY);

    fn merged(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
        let merge = || numbers(&partial(a.0, a.1)?.merge(&partial(b.0, b.1)?)?);
        merge().expect("two small tensors merge")
    }

    #[test]
    fn nothing_is_the_identity_even_of_itself() {
        assert_eq!(merged(NOTHING, NOTHING), NOTHING);
        assert_eq!(merged((3.0, 2.0), NOTHING), (3.0, 2.0));
        assert_eq!(merged(NOTHING, (3.0, -80.0)), (3.0, -80.0));
    }

    #[test]
    fn far_apart_scores_neither_overflow_nor_vanish() {
        assert_eq!(merged((1.0, 0.0), (2.0, 1000.0)), (2.0, 1000.0));
        assert_eq!(merged((1.0, -1000.0), (2.0, -1000.0)).0, 1.5);
    }

    proptest::proptest! {
        #[test]
        fn the_merge_is_commutative_and_associative(
            a in (-3f32..3.0, -20f32..20.0), b in (-3f32..3.0, -20f32..20.0), c in (-3f32..3.0, -20f32..20.0),
        ) {
            proptest::prop_assert_eq!(merged(a, b), merged(b, a));
            let (left, right) = (merged(merged(a, b), c), merged(a, merged(b, c)));
            proptest::prop_assert!((left.0 - right.0).abs() < 1e-5 && (left.1 - right.1).abs() < 1e-5);
        }
    }
}
