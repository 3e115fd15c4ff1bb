//! One AdamW update of a parameter and its moments where they lie (Loshchilov and Hutter, 2017).
//!
//! m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
//! w = (1 - lr decay) w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps).

use candle_core::{Result, Tensor, Var};

use crate::lanes;
use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::values::{Values, change, is_fused};

/// The numbers of one update.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// b1.
    pub beta1: f64,
    /// b2.
    pub beta2: f64,
    /// Added to the denominator.
    pub eps: f64,
    /// Learning rate.
    pub lr: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
    /// t: updates so far, this one included.
    pub updates: u32,
}

impl Update {
    fn corrections(&self) -> (f64, f64) {
        let correct = |beta: f64| 1.0 / (1.0 - beta.powf(f64::from(self.updates)));
        (correct(self.beta1), correct(self.beta2))
    }

    /// Updates `var` by `factor` times `gradient`, and its moments `m` and `v`.
    pub fn apply(
        &self,
        var: &Var,
        gradient: &Tensor,
        factor: f64,
        m: &mut Tensor,
        v: &mut Tensor,
    ) -> Result<()> {
        let _span = profile::span(Kind::Kernel, "adamw");
        if !is_fused(var.as_tensor()) {
            return self.composed(var, &(gradient * factor)?, m, v);
        }
        let g = Values::of(gradient)?;
        let factor = factor as f32;
        let (correct1, correct2) = self.corrections();
        let (rate, correct2) = ((self.lr * correct1) as f32, correct2 as f32);
        let (keep, eps) = ((1.0 - self.lr * self.weight_decay) as f32, self.eps as f32);
        let (b1, b2) = (self.beta1 as f32, self.beta2 as f32);
        // Three tensors change in one pass, so that each number is fetched once.
        let pass = |w: &mut [f32], m: &mut [f32], v: &mut [f32]| {
            let numbers = w.iter_mut().zip(m).zip(v).zip(&g[..]);
            widest(
                #[inline(always)]
                || {
                    for (((w, m), v), g) in numbers {
                        let g = factor * g;
                        *m = b1 * *m + (1.0 - b1) * g;
                        *v = b2 * *v + (1.0 - b2) * g * g;
                        *w = keep * *w - rate * *m / ((correct2 * *v).sqrt() + eps);
                    }
                },
            );
        };
        change(m, |m| change(v, |v| change(var.as_tensor(), |w| pass(w, m, v))))??
    }

    fn composed(&self, var: &Var, g: &Tensor, m: &mut Tensor, v: &mut Tensor) -> Result<()> {
        let (correct1, correct2) = self.corrections();
        *m = ((&*m * self.beta1)? + (g * (1.0 - self.beta1))?)?;
        *v = ((&*v * self.beta2)? + (g.sqr()? * (1.0 - self.beta2))?)?;
        let denominator = ((&*v * correct2)?.sqrt()? + self.eps)?;
        let update = ((&*m * (self.lr * correct1))? / denominator)?;
        let decayed = (var.as_tensor() * (1.0 - self.lr * self.weight_decay))?;
        var.set(&(decayed - update)?)
    }
}

/// The sum of squares of all numbers of a contiguous tensor, in f64.
pub fn squares(tensor: &Tensor) -> Result<f64> {
    let _span = profile::span(Kind::Kernel, "gradient norm");
    if !is_fused(tensor) {
        return tensor.sqr()?.sum_all()?.to_dtype(candle_core::DType::F64)?.to_scalar();
    }
    let values = Values::of(tensor)?;
    Ok(widest(
        #[inline(always)]
        || lanes::squares(&values),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};

    #[test]
    fn the_fused_form_agrees_over_several_updates() -> Result<()> {
        let start = numbers(&[3, 7], 1)?;
        let fused = Var::from_tensor(&start)?;
        let composed = Var::from_tensor(&exact(&start)?)?;
        let (mut m, mut v) = (fused.zeros_like()?, fused.zeros_like()?);
        let (mut m_exact, mut v_exact) = (composed.zeros_like()?, composed.zeros_like()?);
        for updates in 1..=5 {
            let update =
                Update { beta1: 0.9, beta2: 0.95, eps: 1e-8, lr: 0.01, weight_decay: 0.1, updates };
            let g = numbers(&[3, 7], 10 + u64::from(updates))?;
            update.apply(&fused, &g, 0.5, &mut m, &mut v)?;
            update.apply(&composed, &exact(&g)?, 0.5, &mut m_exact, &mut v_exact)?;
        }
        assert_close("w", fused.as_tensor(), composed.as_tensor())?;
        assert_close("m", &m, &m_exact)?;
        assert_close("v", &v, &v_exact)?;
        assert!((squares(&start)? - squares(&exact(&start)?)?).abs() < 1e-4);
        Ok(())
    }
}
