//! Rotary position embedding on position ids that the caller gives.
//!
//! For each pair (x_i, x_{i + D/2}) and position p the pair is turned by the angle
//! p theta^(-2 i / D): the half-split form of GPT-NeoX and Llama (Su et al., 2021).

use candle_core::{D, DType, Device, Result, Tensor};

/// Cosines and sines for the tokens of one slice.
#[derive(Clone, Debug)]
pub struct Rope {
    cos: Tensor,
    sin: Tensor,
}

impl Rope {
    /// Tables (T, D/2) for tokens at global `positions`; `head_dim` is even.
    pub fn new(
        positions: &[u32],
        head_dim: usize,
        theta: f64,
        dtype: DType,
        device: &Device,
    ) -> Result<Self> {
        let half = head_dim / 2;
        let angles: Vec<f64> = positions
            .iter()
            .flat_map(|&position| {
                (0..half).map(move |i| {
                    f64::from(position) * theta.powf(-2.0 * i as f64 / head_dim as f64)
                })
            })
            .collect();
        // In f64 until the end: an angle of thousands of radians has no digits to spare in f32.
        let table = |f: fn(f64) -> f64| {
            let values: Vec<f64> = angles.iter().copied().map(f).collect();
            Tensor::from_vec(values, (positions.len(), half), &Device::Cpu)?
                .to_dtype(dtype)?
                .to_device(device)
        };
        Ok(Self { cos: table(f64::cos)?, sin: table(f64::sin)? })
    }

    /// Cosines (T, D/2).
    pub(crate) fn cos(&self) -> &Tensor {
        &self.cos
    }

    /// Sines (T, D/2).
    pub(crate) fn sin(&self) -> &Tensor {
        &self.sin
    }

    /// Turns `x` (B, H, T, D), keeping its shape.
    pub fn apply(&self, x_bhtd: &Tensor) -> Result<Tensor> {
        let half = x_bhtd.dim(D::Minus1)? / 2;
        let first = x_bhtd.narrow(D::Minus1, 0, half)?;
        let second = x_bhtd.narrow(D::Minus1, half, half)?;
        let turned_first = (first.broadcast_mul(&self.cos)? - second.broadcast_mul(&self.sin)?)?;
        let turned_second = (second.broadcast_mul(&self.cos)? + first.broadcast_mul(&self.sin)?)?;
        Tensor::cat(&[turned_first, turned_second], D::Minus1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(q_position: u32, k_position: u32) -> Result<f32> {
        let unit = Tensor::new(&[[[[1f32, 0.0]]]], &Device::Cpu)?;
        let turn = |p| Rope::new(&[p], 2, 1.0, DType::F32, &Device::Cpu)?.apply(&unit);
        (turn(q_position)? * turn(k_position)?)?.sum_all()?.to_scalar()
    }

    #[test]
    fn a_score_depends_on_the_distance_of_global_positions() -> Result<()> {
        assert!((score(4, 3)? - 1f32.cos()).abs() < 1e-6);
        // What local positions would give: the query at 0 of its slice, the key at 3 of its own.
        assert!((score(0, 3)? + 0.989_992_5).abs() < 1e-6);
        assert!((score(1004, 1003)? - 1f32.cos()).abs() < 1e-4);
        Ok(())
    }
}
