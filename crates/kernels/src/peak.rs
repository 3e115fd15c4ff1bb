//! What one core can do at most: a large matrix product, to hold a step's arithmetic against.

use candle_core::{DType, Device, Result, Tensor};

use crate::linear;

/// Edge of the square matrices.
const EDGE: usize = 512;
const PRODUCTS: u32 = 40;

/// GFLOP/s of a large matrix product in f32 on this thread, the quickest of some, by `clock` in
/// nanoseconds since any moment.
pub fn gflops(clock: impl Fn() -> u64) -> Result<f64> {
    let ones = Tensor::ones((EDGE, EDGE), DType::F32, &Device::Cpu)?;
    let mut quickest = u64::MAX;
    for _ in 0..PRODUCTS {
        let start = clock();
        linear::forward(&ones, &ones, None)?;
        quickest = quickest.min(clock().saturating_sub(start));
    }
    // Operations in a nanosecond are billions in a second.
    Ok(2.0 * (EDGE as f64).powi(3) / quickest.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_quickest_product_counts() {
        let looks = Cell::new(0_u64);
        // A product takes a second but for the third, which takes a millisecond.
        let clock = || {
            let look = looks.replace(looks.get() + 1);
            let quick = if look >= 5 { 999_000_000 } else { 0 };
            look.div_ceil(2) * 1_000_000_000 - quick
        };
        let gflops = gflops(clock).expect("f32 on the CPU");
        assert!((gflops - 2.0 * 512.0_f64.powi(3) / 1e6).abs() < 1e-6, "{gflops}");
    }
}
