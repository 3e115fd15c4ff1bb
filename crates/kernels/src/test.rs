//! What the tests of the fused forms share: every one is held against its composition in f64.

use candle_core::{DType, Device, Result, Tensor};

/// Numbers between -2 and 2 that look random and are the same every time.
pub(crate) fn numbers(shape: &[usize], seed: u64) -> Result<Tensor> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let count = shape.iter().product();
    let values: Vec<f32> = (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 22) as f32 - 2.0
        })
        .collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

/// The same numbers in f64, for which the composition runs.
pub(crate) fn exact(tensor: &Tensor) -> Result<Tensor> {
    tensor.to_dtype(DType::F64)
}

/// |a - b| / |b| over all numbers, infinities compared for equality.
pub(crate) fn rel_norm(a: &Tensor, b: &Tensor) -> Result<f64> {
    assert_eq!(a.dims(), b.dims());
    let read = |t: &Tensor| t.flatten_all()?.to_dtype(DType::F64)?.to_vec1::<f64>();
    let (mut difference, mut size) = (0.0, 0.0);
    for (a, b) in read(a)?.into_iter().zip(read(b)?) {
        if a != b {
            difference += (a - b) * (a - b);
        }
        if b.is_finite() {
            size += b * b;
        }
    }
    Ok(if difference == 0.0 { 0.0 } else { (difference / size).sqrt() })
}

/// Fails unless `fused` is `exact` to 1e-6.
#[track_caller]
pub(crate) fn assert_close(what: &str, fused: &Tensor, exact: &Tensor) -> Result<()> {
    let off = rel_norm(fused, exact)?;
    assert!(off <= 1e-6, "{what} {:?}: off by {off:e}", fused.dims());
    Ok(())
}
