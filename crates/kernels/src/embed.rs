//! The embedding's backward: each token's row of the gradient is added to its id's row.

use candle_core::{Result, Tensor};

use crate::linear::Gradient;
use crate::profile::{self, Kind};
use crate::values::{Values, change, is_fused};

/// Adds `dx` (N, d), row by row, to the rows `ids` (N) of the table's gradient (V, d).
pub fn backward(dx_nd: &Tensor, ids: &[u32], dtable: &Gradient<'_>) -> Result<()> {
    let _span = profile::span(Kind::Kernel, "embed backward");
    if !is_fused(dx_nd) {
        let ids = Tensor::new(ids, dx_nd.device())?;
        return dtable.add(&dtable.tensor().zeros_like()?.index_add(&ids, dx_nd, 0)?);
    }
    let d = dx_nd.dim(1)?;
    let dx = Values::of(dx_nd)?;
    change(dtable.tensor(), |table| {
        for (row, &id) in dx.chunks_exact(d).zip(ids) {
            let sum = &mut table[id as usize * d..][..d];
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};
    use candle_core::{DType, Device};

    #[test]
    fn rows_of_one_id_add_up() -> Result<()> {
        let (dx, ids) = (numbers(&[4, 3], 1)?, [2, 0, 2, 2]);
        let run = |dtype| -> Result<Tensor> {
            let flat = Tensor::ones(9, dtype, &Device::Cpu)?;
            backward(&dx.to_dtype(dtype)?, &ids, &Gradient::new(&flat, 0, &[3, 3])?)?;
            Ok(flat)
        };
        assert_close("table", &run(DType::F32)?, &run(DType::F64)?)?;
        let expect = (exact(&dx)?.get(1)? + 1.0)?;
        assert_close("row 0", &run(DType::F32)?.narrow(0, 0, 3)?, &expect)?;
        let untouched = run(DType::F32)?.narrow(0, 3, 3)?.to_vec1::<f32>()?;
        assert_eq!(untouched, [1.0; 3]);
        Ok(())
    }
}
