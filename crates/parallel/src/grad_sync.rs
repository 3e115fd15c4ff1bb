//! Sums gradients over all ranks in one flat bucket.

use candle_core::{DType, Tensor};
use comm::ProcessGroup;
use kernels::profile::{self, Kind};

use crate::Result;

/// What comes back from [`all_reduce`].
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The summed bucket (P + E).
    pub bucket: Tensor,
    /// The summed numbers behind the gradients.
    pub extras: Vec<f64>,
}

/// One all_reduce over `group` for every gradient in `bucket` (P + E), and for the E numbers of
/// `extras`, which are written behind them first.
///
/// Each rank gives the gradient of its own sum of losses; the sum over dp x cp, divided by the
/// valid tokens of the whole batch, is the gradient of the mean loss.
pub async fn all_reduce(
    group: &dyn ProcessGroup,
    bucket: &Tensor,
    extras: &[f64],
) -> Result<Reduced> {
    let _span = profile::span(Kind::Exchange, "all_reduce");
    let start = bucket.elem_count() - extras.len();
    let tail = Tensor::new(extras, bucket.device())?.to_dtype(bucket.dtype())?;
    bucket.slice_set(&tail, 0, start)?;
    let bucket = group.all_reduce(bucket).await?;
    let extras = bucket.narrow(0, start, extras.len())?.to_dtype(DType::F64)?.to_vec1()?;
    Ok(Reduced { bucket, extras })
}
