//! GELU by its sigmoid form: gelu(x) = x s(2u), u = sqrt(2 / pi) (x + 0.044715 x^3), s the
//! logistic function; the same number as the tanh form, 0.5 x (1 + tanh u)
//! (Hendrycks and Gimpel, 2016).

use candle_core::{Result, Tensor};

use crate::lanes::exp;
use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::values::{Values, is_fused, tensor};

/// 2 sqrt(2 / pi).
const SLOPE: f64 = 1.595_769_121_605_730_8;
const CUBIC: f64 = 0.044_715;

/// gelu of every number.
pub fn forward(x: &Tensor) -> Result<Tensor> {
    let _span = profile::span(Kind::Kernel, "gelu forward");
    if !is_fused(x) {
        return x.gelu();
    }
    let values = Values::of(x)?;
    let mut y = vec![0.0; values.len()];
    widest(
        #[inline(always)]
        || {
            for (y, &x) in y.iter_mut().zip(&values[..]) {
                *y = x * sigmoid(inner(x));
            }
        },
    );
    tensor(y, x.shape())
}

/// Pulls `dy` back through gelu at `x`.
pub fn backward(dy: &Tensor, x: &Tensor) -> Result<Tensor> {
    let _span = profile::span(Kind::Kernel, "gelu backward");
    if !is_fused(x) {
        let inner = ((x + (x.powf(3.0)? * CUBIC)?)? * SLOPE)?;
        let s = (inner.neg()?.exp()? + 1.0)?.recip()?;
        let steep = ((x.sqr()? * (3.0 * CUBIC))? + 1.0)? * SLOPE;
        let bent = ((x * &s)? * (1.0 - &s)?)? * steep?;
        return dy * (s + bent?)?;
    }
    let (dys, xs) = (Values::of(dy)?, Values::of(x)?);
    let mut dx = vec![0.0; xs.len()];
    widest(
        #[inline(always)]
        || {
            for ((dx, &x), &dy) in dx.iter_mut().zip(&xs[..]).zip(&dys[..]) {
                let s = sigmoid(inner(x));
                let steep = SLOPE as f32 * (1.0 + 3.0 * CUBIC as f32 * x * x);
                *dx = dy * (s + x * s * (1.0 - s) * steep);
            }
        },
    );
    tensor(dx, x.shape())
}

/// 2u.
#[inline(always)]
fn inner(x: f32) -> f32 {
    SLOPE as f32 * (x + CUBIC as f32 * x * x * x)
}

#[inline(always)]
fn sigmoid(z: f32) -> f32 {
    1.0 / (1.0 + exp(-z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};
    use candle_core::Var;

    #[test]
    fn the_fused_form_and_candles_graph_agree() -> Result<()> {
        for n in [1, 7, 64, 1001] {
            let (x, dy) = ((numbers(&[n], 1)? * 4.0)?, numbers(&[n], 2)?);
            let var = Var::from_tensor(&exact(&x)?)?;
            let y = var.gelu()?;
            let store = (&y * exact(&dy)?)?.sum_all()?.backward()?;
            let grad = store.get(&var).expect("it takes part");
            assert_close("y", &forward(&x)?, &y)?;
            assert_close("dx", &backward(&dy, &x)?, grad)?;
            assert_close("composed dx", &backward(&exact(&dy)?, &var.detach())?, grad)?;
        }
        Ok(())
    }
}
