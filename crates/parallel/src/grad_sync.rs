//! Sums gradients over all ranks in one flat bucket.

use candle_core::{DType, Tensor};
use comm::ProcessGroup;

use crate::Result;

/// What comes back from [`all_reduce`].
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The summed gradients, shaped as they were given.
    pub gradients: Vec<Tensor>,
    /// The summed numbers that rode along.
    pub extras: Vec<f64>,
}

/// One all_reduce over `group` for every gradient and a few numbers behind them.
///
/// Each rank gives the gradient of its own sum of losses; the sum over dp x cp, divided by the
/// valid tokens of the whole batch, is the gradient of the mean loss.
pub async fn all_reduce(
    group: &dyn ProcessGroup,
    gradients: &[Tensor],
    extras: &[f64],
) -> Result<Reduced> {
    let Some(first) = gradients.first() else {
        let extras = Tensor::new(extras, &group.device())?.to_dtype(DType::F32)?;
        let sums = group.all_reduce(&extras).await?;
        return Ok(Reduced { gradients: Vec::new(), extras: numbers(&sums)? });
    };
    let mut flat = gradients.iter().map(Tensor::flatten_all).collect::<Result<Vec<_>, _>>()?;
    flat.push(Tensor::new(extras, first.device())?.to_dtype(first.dtype())?);
    let bucket = group.all_reduce(&Tensor::cat(&flat, 0)?).await?;
    let mut start = 0;
    let mut summed = Vec::with_capacity(gradients.len());
    for gradient in gradients {
        let len = gradient.elem_count();
        summed.push(bucket.narrow(0, start, len)?.reshape(gradient.shape())?);
        start += len;
    }
    Ok(Reduced { gradients: summed, extras: numbers(&bucket.narrow(0, start, extras.len())?)? })
}

fn numbers(tensor: &Tensor) -> Result<Vec<f64>> {
    Ok(tensor.to_dtype(DType::F64)?.to_vec1()?)
}
