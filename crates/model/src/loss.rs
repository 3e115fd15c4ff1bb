//! Cross-entropy as a sum, so that ranks can add theirs up before dividing.

use candle_core::{D, Result, Tensor};

/// The target of a token that does not count.
pub const IGNORED: i64 = -100;

/// Sum over tokens with a target of `logsumexp(logits) - logits[target]`.
///
/// `logits` (N, V), `targets` N ids, [`IGNORED`] for none. Differentiable; 0, not NaN, when no
/// target counts.
pub fn cross_entropy_sum(logits_nv: &Tensor, targets: &[i64]) -> Result<Tensor> {
    let device = logits_nv.device();
    let counted: Vec<f32> = targets.iter().map(|&t| f32::from(u8::from(t != IGNORED))).collect();
    let counted = Tensor::new(counted, device)?.to_dtype(logits_nv.dtype())?;
    // A token that does not count looks up id 0; its term is multiplied by 0.
    let ids: Vec<u32> = targets.iter().map(|&t| u32::try_from(t).unwrap_or(0)).collect();
    let ids = Tensor::new(ids, device)?.unsqueeze(1)?;
    let max = logits_nv.max_keepdim(D::Minus1)?.detach();
    let lse = (logits_nv.broadcast_sub(&max)?.exp()?.sum_keepdim(D::Minus1)?.log()? + max)?;
    let picked = logits_nv.gather(&ids, 1)?;
    ((lse - picked)?.squeeze(1)? * counted)?.sum_all()
}

#[cfg(test)]
fn as_f64(scalar: &Tensor) -> Result<f64> {
    scalar.to_dtype(candle_core::DType::F64)?.to_scalar()
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{Device, Var};

    #[test]
    fn ignored_targets_neither_count_nor_pull() -> Result<()> {
        let logits = Var::new(&[[0f32, 0.0], [1.0, 2.0], [5.0, -5.0]], &Device::Cpu)?;
        let loss = cross_entropy_sum(logits.as_tensor(), &[0, IGNORED, 1])?;
        let expect = 2f64.ln() + 10.0 + (-10f64).exp().ln_1p();
        assert!((as_f64(&loss)? - expect).abs() < 1e-5);
        let grads = loss.backward()?;
        let grad = grads.get(&logits).expect("logits are a variable").to_vec2::<f32>()?;
        assert_eq!(grad[1], [0.0, 0.0]);
        let none = cross_entropy_sum(logits.as_tensor(), &[IGNORED; 3])?;
        assert_eq!(as_f64(&none)?, 0.0);
        Ok(())
    }
}
