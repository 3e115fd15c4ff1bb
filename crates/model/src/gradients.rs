//! The gradient of every parameter, summed in one flat bucket.

use candle_core::{Result, Tensor};
use kernels::linear::Gradient;

use crate::Gpt;

/// The gradients of all parameters laid end to end, in the order of
/// [`crate::GptConfig::parameters`], with room behind them for numbers that ride along.
#[derive(Debug)]
pub struct Gradients {
    bucket: Tensor,
    /// Where each parameter begins, and its shape.
    places: Vec<(usize, Vec<usize>)>,
}

impl Gradients {
    /// Zeros for the parameters of `model`, and `extras` numbers behind them.
    pub fn new(model: &Gpt, extras: usize) -> Result<Self> {
        let mut end = 0;
        let mut places = Vec::with_capacity(model.vars().len());
        for var in model.vars() {
            places.push((end, var.dims().to_vec()));
            end += var.elem_count();
        }
        let first = &model.vars()[0];
        let bucket = Tensor::zeros(end + extras, first.dtype(), first.device())?;
        Ok(Self { bucket, places })
    }

    /// Sets all sums and what rides along back to 0, for the next step.
    pub fn clear(&self) -> Result<()> {
        self.bucket.zero_set()
    }

    /// Where the gradient of a parameter is summed.
    pub(crate) fn of(&self, parameter: usize) -> Result<Gradient<'_>> {
        let (start, shape) = &self.places[parameter];
        Gradient::new(&self.bucket, *start, shape)
    }

    /// The bucket (P + extras).
    pub fn bucket(&self) -> &Tensor {
        &self.bucket
    }

    /// The gradients in `bucket`, shaped like the parameters: views, nothing is copied.
    pub fn views(&self, bucket: &Tensor) -> Result<Vec<Tensor>> {
        let view = |(start, shape): &(usize, Vec<usize>)| {
            bucket.narrow(0, *start, shape.iter().product())?.reshape(shape.as_slice())
        };
        self.places.iter().map(view).collect()
    }
}
