//! Cross-entropy as a sum over tokens that have a target, with its gradient in the same pass.
//!
//! `loss = sum of lse(logits) - logits[target]`, `d loss / d logits = softmax(logits) - onehot`.

use candle_core::{D, DType, Result, Tensor};

use crate::lanes;
use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::values::{Values, is_fused, tensor};

/// Losses of some tokens and what they pull on.
#[derive(Clone, Debug)]
pub struct Loss {
    /// Sum of the losses in nats, in f64; 0 where no target counts.
    pub sum: f64,
    /// d sum / d logits (N, V); rows without a target are 0.
    pub dlogits_nv: Tensor,
}

/// `logits` (N, V); `targets` N ids, any negative one for none.
pub fn forward(logits_nv: &Tensor, targets: &[i64]) -> Result<Loss> {
    let _span = profile::span(Kind::Kernel, "cross_entropy");
    if !is_fused(logits_nv) {
        return composed(logits_nv, targets);
    }
    let (n, v) = logits_nv.dims2()?;
    let logits = Values::of(logits_nv)?;
    let (mut sum, mut grad) = (0f64, vec![0.0; n * v]);
    let rows = logits.chunks_exact(v).zip(grad.chunks_exact_mut(v)).zip(targets);
    widest(
        #[inline(always)]
        || {
            for ((logits, grad), &target) in rows {
                let Ok(target) = usize::try_from(target) else { continue };
                let max = lanes::max(logits);
                grad.copy_from_slice(logits);
                let weights = lanes::exp_in_place(grad, max);
                let share = 1.0 / weights;
                grad.iter_mut().for_each(|g| *g *= share);
                grad[target] -= 1.0;
                sum += f64::from(weights.ln()) + f64::from(max) - f64::from(logits[target]);
            }
        },
    );
    Ok(Loss { sum, dlogits_nv: tensor(grad, (n, v))? })
}

fn composed(logits_nv: &Tensor, targets: &[i64]) -> Result<Loss> {
    let device = logits_nv.device();
    let counted: Vec<f32> = targets.iter().map(|&t| f32::from(u8::from(t >= 0))).collect();
    let counted = Tensor::new(counted, device)?.to_dtype(logits_nv.dtype())?.unsqueeze(1)?;
    // A token that does not count looks up id 0; its term is multiplied by 0.
    let ids: Vec<u32> = targets.iter().map(|&t| u32::try_from(t).unwrap_or(0)).collect();
    let ids = Tensor::new(ids, device)?.unsqueeze(1)?;
    let max = logits_nv.max_keepdim(D::Minus1)?;
    let weights = logits_nv.broadcast_sub(&max)?.exp()?;
    let sums = weights.sum_keepdim(D::Minus1)?;
    let losses = ((sums.log()? + max)? - logits_nv.gather(&ids, 1)?)?;
    let sum = (losses * &counted)?.sum_all()?.to_dtype(DType::F64)?.to_scalar()?;
    let minus_one = counted.neg()?;
    let softmax = weights.broadcast_div(&sums)?.broadcast_mul(&counted)?;
    Ok(Loss { sum, dlogits_nv: softmax.scatter_add(&ids, &minus_one, 1)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};
    use candle_core::{Device, Var};

    #[test]
    fn the_fused_form_and_candles_graph_agree() -> Result<()> {
        for (n, v) in [(1, 1), (5, 3), (4, 256), (3, 33)] {
            let logits = (numbers(&[n, v], 7)? * 8.0)?;
            let targets: Vec<i64> =
                (0..n as i64).map(|i| if i == 1 { -100 } else { i * 5 % v as i64 }).collect();
            let loss = forward(&logits, &targets)?;
            let var = Var::from_tensor(&exact(&logits)?)?;
            let composed = forward(var.as_tensor(), &targets)?;
            assert!((loss.sum - composed.sum).abs() <= 1e-5 * composed.sum.abs().max(1.0));
            assert_close("composed and fused", &loss.dlogits_nv, &composed.dlogits_nv)?;

            let log_probs =
                (var.as_tensor() - var.exp()?.sum_keepdim(1)?.log()?.broadcast_as((n, v))?)?;
            let mut sum = log_probs.zeros_like()?.sum_all()?;
            for (row, &target) in targets.iter().enumerate().filter(|(_, t)| **t >= 0) {
                sum = (sum - log_probs.get(row)?.get(target as usize)?)?;
            }
            let store = sum.backward()?;
            assert_close("graph", &loss.dlogits_nv, store.get(&var).expect("it takes part"))?;
        }
        Ok(())
    }

    #[test]
    fn nothing_valid_is_0_and_pulls_on_nothing() -> Result<()> {
        let loss = forward(&Tensor::new(&[[1f32, 2.0]], &Device::Cpu)?, &[-100])?;
        assert_eq!((loss.sum, loss.dlogits_nv.to_vec2::<f32>()?), (0.0, vec![vec![0.0, 0.0]]));
        Ok(())
    }
}
