//! Linear layers without bias: y = x W^T, dx = dy W, dW += dy^T x, weights (out, in).

use candle_core::{Result, Tensor};

use crate::profile::{self, Kind, Span};
use crate::unsafe_gemm::{Matrix, MatrixMut, Write, new_product, product};
use crate::values::{Values, change, is_fused, tensor};

/// y = x W^T, plus `plus`: `x` (N, in), `weight` (out, in), `plus` (N, out).
pub fn forward(x_ni: &Tensor, weight_oi: &Tensor, plus_no: Option<&Tensor>) -> Result<Tensor> {
    let ((n, i), (o, _)) = (x_ni.dims2()?, weight_oi.dims2()?);
    let _span = span("matmul forward", n, i, o);
    if !is_fused(x_ni) {
        let y = x_ni.matmul(&weight_oi.t()?)?;
        return plus_no.map_or_else(|| Ok(y.clone()), |plus| &y + plus);
    }
    let (x, w) = (Values::of(x_ni)?, Values::of(weight_oi)?);
    let (x, w) = (Matrix::new(&x, n, i), Matrix::new(&w, o, i));
    let y = match plus_no {
        Some(plus) => {
            let mut y = Values::of(plus)?.to_vec();
            product(MatrixMut::new(&mut y, n, o), Write::Add, 1.0, x, w.t());
            y
        }
        None => new_product(x, w.t()),
    };
    tensor(y, (n, o))
}

/// Pulls `dy` (N, out) back: adds to the weight's gradient and returns that of `x` (N, in).
pub fn backward(
    dy_no: &Tensor,
    x_ni: &Tensor,
    weight_oi: &Tensor,
    dweight: &Gradient<'_>,
) -> Result<Tensor> {
    let ((n, i), (o, _)) = (x_ni.dims2()?, weight_oi.dims2()?);
    let of_weight = span("matmul to weight", n, i, o);
    if !is_fused(x_ni) {
        dweight.add(&dy_no.t()?.matmul(x_ni)?)?;
        drop(of_weight);
        let _of_input = span("matmul to input", n, i, o);
        return dy_no.matmul(weight_oi);
    }
    let (dy, x, w) = (Values::of(dy_no)?, Values::of(x_ni)?, Values::of(weight_oi)?);
    let (dy, x, w) = (Matrix::new(&dy, n, o), Matrix::new(&x, n, i), Matrix::new(&w, o, i));
    change(dweight.tensor(), |dw| {
        product(MatrixMut::new(dw, o, i), Write::Add, 1.0, dy.t(), x);
    })?;
    drop(of_weight);
    let _of_input = span("matmul to input", n, i, o);
    tensor(new_product(dy, w), (n, i))
}

/// One product over N, in and out.
fn span(name: &'static str, n: usize, i: usize, o: usize) -> Span {
    profile::products(Kind::Kernel, name, || 2 * (n * i * o) as u64)
}

/// Where the gradient of one parameter is summed: a stretch of the flat bucket of all.
#[derive(Debug)]
pub struct Gradient<'a> {
    flat: &'a Tensor,
    start: usize,
    view: Tensor,
}

impl<'a> Gradient<'a> {
    /// The stretch of `flat` (P) that begins at `start`, shaped like the parameter.
    pub fn new(flat: &'a Tensor, start: usize, shape: &[usize]) -> Result<Self> {
        let len = shape.iter().product();
        Ok(Self { flat, start, view: flat.narrow(0, start, len)?.reshape(shape)? })
    }

    /// Adds `gradient`, shaped like the parameter.
    pub fn add(&self, gradient: &Tensor) -> Result<()> {
        let sum = (&self.view.copy()? + gradient)?;
        self.flat.slice_set(&sum.flatten_all()?, 0, self.start)
    }

    /// A view of the numbers in the bucket.
    pub(crate) fn tensor(&self) -> &Tensor {
        &self.view
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};
    use candle_core::{DType, Device};

    #[test]
    fn the_fused_form_agrees_and_gradients_add_up() -> Result<()> {
        for (n, i, o) in [(1, 1, 1), (3, 5, 7), (64, 33, 17)] {
            let (x, w) = (numbers(&[n, i], 1)?, numbers(&[o, i], 2)?);
            let (dy, plus) = (numbers(&[n, o], 3)?, numbers(&[n, o], 4)?);
            let y = forward(&x, &w, Some(&plus))?;
            assert_close("y", &y, &forward(&exact(&x)?, &exact(&w)?, Some(&exact(&plus)?))?)?;
            let run = |dtype| -> Result<(Tensor, Tensor)> {
                let flat = Tensor::ones(o * i + 2, dtype, &Device::Cpu)?;
                let dw = Gradient::new(&flat, 1, &[o, i])?;
                let of = |t: &Tensor| t.to_dtype(dtype);
                let dx = backward(&of(&dy)?, &of(&x)?, &of(&w)?, &dw)?;
                backward(&of(&dy)?, &of(&x)?, &of(&w)?, &dw)?;
                Ok((dx, flat))
            };
            let (fused, composed) = (run(DType::F32)?, run(DType::F64)?);
            assert_close("dx", &fused.0, &composed.0)?;
            assert_close("dw", &fused.1, &composed.1)?;
        }
        Ok(())
    }
}
