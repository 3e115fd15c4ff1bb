//! GPT-2's initialisation from a seed, the same on every rank and every target.

use candle_core::{DType, Device, Result, Tensor};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::GptConfig;

/// Standard deviation of GPT-2's weights.
const STD: f64 = 0.02;

/// Every parameter's initial value, in the order of [`GptConfig::parameters`].
///
/// Norms begin at 1, weights as N(0, 0.02); projections back into the residual stream are
/// scaled by 1 / sqrt(2 layers), since that many of them add up (Radford et al., 2019).
pub(crate) fn initial_values(
    config: &GptConfig,
    seed: u64,
    dtype: DType,
    device: &Device,
) -> Result<Vec<Tensor>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    config
        .parameters()
        .into_iter()
        .map(|(name, shape)| {
            let len = shape.iter().product();
            let values: Vec<f32> = if name.ends_with("norm.weight") {
                vec![1.0; len]
            } else {
                let into_residual =
                    name.ends_with("attn.out.weight") || name.ends_with("mlp.down.weight");
                let scale = if into_residual { (2.0 * config.layers as f64).sqrt() } else { 1.0 };
                (0..len)
                    .map(|_| {
                        let unit: f64 = StandardNormal.sample(&mut rng);
                        (unit * STD / scale) as f32
                    })
                    .collect()
            };
            // Drawn as f32 whatever the type, so that an f64 reference starts at the same point.
            Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
        })
        .collect()
}
