//! RMSNorm: y = x r w with r = 1 / sqrt(mean(x^2) + eps) (Zhang and Sennrich, 2019).
//!
//! Backward, with g = dy w: dx = r (g - x r^2 mean(g x)), dw = sum over rows of dy x r.

use candle_core::{D, Result, Tensor};

use crate::lanes;
use crate::linear::Gradient;
use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::values::{Values, change, is_fused, tensor};

/// The normalised rows, and what the backward needs of them.
#[derive(Clone, Debug)]
pub struct Normed {
    /// (N, d).
    pub y_nd: Tensor,
    /// r of each row (N, 1).
    pub scale_n1: Tensor,
}

/// Normalises the rows of `x` (N, d) by `weight` (d).
pub fn forward(x_nd: &Tensor, weight_d: &Tensor, eps: f64) -> Result<Normed> {
    let _span = profile::span(Kind::Kernel, "rms_norm forward");
    if !is_fused(x_nd) {
        let mean = x_nd.sqr()?.mean_keepdim(D::Minus1)?;
        let scale_n1 = (mean + eps)?.sqrt()?.recip()?;
        let y_nd = x_nd.broadcast_mul(&scale_n1)?.broadcast_mul(weight_d)?;
        return Ok(Normed { y_nd, scale_n1 });
    }
    let (n, d) = x_nd.dims2()?;
    let (x, w) = (Values::of(x_nd)?, Values::of(weight_d)?);
    let (mut y, mut scales) = (vec![0.0; n * d], vec![0.0; n]);
    widest(
        #[inline(always)]
        || {
            let rows = x.chunks_exact(d).zip(y.chunks_exact_mut(d)).zip(&mut scales);
            for ((row, y), scale) in rows {
                let mean = lanes::sum_of(row, row, |a, b| a * b) / d as f32;
                *scale = 1.0 / (mean + eps as f32).sqrt();
                for ((y, x), w) in y.iter_mut().zip(row).zip(&w[..]) {
                    *y = x * *scale * w;
                }
            }
        },
    );
    Ok(Normed { y_nd: tensor(y, (n, d))?, scale_n1: tensor(scales, (n, 1))? })
}

/// Pulls `dy` (N, d) back: adds to the weight's gradient and returns that of `x`, plus `plus`.
pub fn backward(
    dy_nd: &Tensor,
    x_nd: &Tensor,
    weight_d: &Tensor,
    scale_n1: &Tensor,
    plus_nd: Option<&Tensor>,
    dweight: &Gradient<'_>,
) -> Result<Tensor> {
    let _span = profile::span(Kind::Kernel, "rms_norm backward");
    if !is_fused(x_nd) {
        let hat = x_nd.broadcast_mul(scale_n1)?;
        dweight.add(&(dy_nd * &hat)?.sum(0)?)?;
        let g = dy_nd.broadcast_mul(weight_d)?;
        let along = (&g * &hat)?.mean_keepdim(D::Minus1)?;
        let dx = (g - hat.broadcast_mul(&along)?)?.broadcast_mul(scale_n1)?;
        return plus_nd.map_or_else(|| Ok(dx.clone()), |plus| &dx + plus);
    }
    let (n, d) = x_nd.dims2()?;
    let (dy, x) = (Values::of(dy_nd)?, Values::of(x_nd)?);
    let (w, scales) = (Values::of(weight_d)?, Values::of(scale_n1)?);
    let plus = plus_nd.map(Values::of).transpose()?;
    let mut dx = match &plus {
        Some(plus) => plus.to_vec(),
        None => vec![0.0; n * d],
    };
    let mut dw = vec![0.0; d];
    widest(
        #[inline(always)]
        || {
            let mut g = vec![0.0; d];
            let rows = dy.chunks_exact(d).zip(x.chunks_exact(d)).zip(&scales[..]);
            for (((dy, x), &scale), dx) in rows.zip(dx.chunks_exact_mut(d)) {
                for i in 0..d {
                    g[i] = dy[i] * w[i];
                    dw[i] += dy[i] * x[i] * scale;
                }
                let along = lanes::sum_of(&g, x, |a, b| a * b) / d as f32 * scale * scale;
                for i in 0..d {
                    dx[i] += scale * (g[i] - x[i] * along);
                }
            }
        },
    );
    change(dweight.tensor(), |sum| sum.iter_mut().zip(&dw).for_each(|(sum, dw)| *sum += dw))?;
    tensor(dx, (n, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};
    use candle_core::{DType, Device, Var};

    #[test]
    fn the_fused_form_and_candles_graph_agree() -> Result<()> {
        for (n, d) in [(1, 1), (3, 5), (7, 64), (2, 100)] {
            let [x, dy, plus] = [1, 2, 3].map(|seed| numbers(&[n, d], seed));
            let (x, dy, plus, w) = (x?, dy?, plus?, numbers(&[d], 4)?);
            let flat = Tensor::zeros(d + 3, DType::F32, &Device::Cpu)?;
            let dw = Gradient::new(&flat, 2, &[d])?;
            let normed = forward(&x, &w, 1e-5)?;
            let dx = backward(&dy, &x, &w, &normed.scale_n1, Some(&plus), &dw)?;

            let (vx, vw) = (Var::from_tensor(&exact(&x)?)?, Var::from_tensor(&exact(&w)?)?);
            let composed = forward(vx.as_tensor(), vw.as_tensor(), 1e-5)?;
            let store = (&composed.y_nd * exact(&dy)?)?.sum_all()?.backward()?;
            let grad = |var: &Var| store.get(var).expect("it takes part").clone();
            assert_close("y", &normed.y_nd, &composed.y_nd)?;
            assert_close("dx", &dx, &(grad(&vx) + exact(&plus)?)?)?;
            assert_close("dw", dw.tensor(), &grad(&vw))?;

            let flat = Tensor::zeros(d, DType::F64, &Device::Cpu)?;
            let dw = Gradient::new(&flat, 0, &[d])?;
            let (x, w, dy) = (vx.as_tensor(), vw.as_tensor(), exact(&dy)?);
            let dx = backward(&dy, x, w, &composed.scale_n1, None, &dw)?;
            assert_close("composed dx", &dx, &grad(&vx))?;
            assert_close("composed dw", &flat, &grad(&vw))?;
        }
        Ok(())
    }
}
