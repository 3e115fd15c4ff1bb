//! The gradient of every parameter, summed in one flat bucket that lies in pieces.

use candle_core::{Error, Result, Tensor};
use kernels::linear::Gradient;

use crate::Gpt;

/// The gradients of all parameters laid end to end, in the order of
/// [`crate::GptConfig::parameters`], with room behind the first piece's for numbers that ride along.
///
/// A piece is memory of its own: what is complete can be read, by other ranks too, while the rest
/// is still being summed.
#[derive(Debug)]
pub struct Gradients {
    pieces: Vec<Tensor>,
    places: Vec<Place>,
}

/// Where a parameter's gradient is.
#[derive(Debug)]
struct Place {
    piece: usize,
    start: usize,
    shape: Vec<usize>,
}

impl Gradients {
    /// Zeros for the parameters of `model`, cut into `pieces` of so many numbers; the first one has
    /// room for `extras` more.
    ///
    /// Errors: a piece ends within a parameter, or the pieces hold fewer or more than all.
    pub fn new(model: &Gpt, pieces: &[usize], extras: usize) -> Result<Self> {
        let mut places = Vec::with_capacity(model.vars().len());
        let (mut piece, mut start) = (0, 0);
        for var in model.vars() {
            if pieces.get(piece) == Some(&start) {
                (piece, start) = (piece + 1, 0);
            }
            places.push(Place { piece, start, shape: var.dims().to_vec() });
            start += var.elem_count();
            if pieces.get(piece).is_none_or(|&len| start > len) {
                return Err(Error::Msg(format!("pieces of {pieces:?} cut through a parameter")));
            }
        }
        if (piece + 1, pieces.last()) != (pieces.len(), Some(&start)) {
            return Err(Error::Msg(format!("pieces of {pieces:?} hold more than all parameters")));
        }
        let first = &model.vars()[0];
        let zeros = |(piece, &len): (usize, &usize)| {
            let len = if piece == 0 { len + extras } else { len };
            Tensor::zeros(len, first.dtype(), first.device())
        };
        let pieces = pieces.iter().enumerate().map(zeros).collect::<Result<_>>()?;
        Ok(Self { pieces, places })
    }

    /// Sets all sums and what rides along back to 0, for the next step.
    pub fn clear(&self) -> Result<()> {
        self.pieces.iter().try_for_each(Tensor::zero_set)
    }

    /// Where the gradient of a parameter is summed.
    pub(crate) fn of(&self, parameter: usize) -> Result<Gradient<'_>> {
        let Place { piece, start, shape } = &self.places[parameter];
        Gradient::new(&self.pieces[*piece], *start, shape)
    }

    /// The pieces in the order of their parameters, each of one dimension.
    pub fn pieces(&self) -> &[Tensor] {
        &self.pieces
    }

    /// The first of the pieces that are complete when the backward pass comes from `post` of `layer`
    /// to its attention: those after it are complete as well.
    pub fn complete_from(&self, model: &Gpt, layer: usize) -> usize {
        let done = &self.places[model.layer(layer).out];
        done.piece + usize::from(done.start > 0)
    }

    /// The gradients in `pieces`, shaped like the parameters: views, nothing is copied.
    pub fn views(&self, pieces: &[Tensor]) -> Result<Vec<Tensor>> {
        let view = |Place { piece, start, shape }: &Place| {
            let len = shape.iter().product();
            pieces[*piece].narrow(0, *start, len)?.reshape(shape.as_slice())
        };
        self.places.iter().map(view).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GptConfig;
    use candle_core::{DType, Device};

    #[test]
    fn pieces_end_where_parameters_do() -> Result<()> {
        let model = Gpt::new(GptConfig::new(5, 4, 2, 2, 2), 1, DType::F32, &Device::Cpu)?;
        // Embedding 20; a layer's norm and qkv 52, the rest 148; norm and head 24.
        let pieces = [20 + 52, 148 + 52, 148 + 24];
        let gradients = Gradients::new(&model, &pieces, 2)?;
        let lens: Vec<usize> = gradients.pieces().iter().map(Tensor::elem_count).collect();
        assert_eq!(lens, [pieces[0] + 2, pieces[1], pieces[2]]);
        assert_eq!([0, 1].map(|layer| gradients.complete_from(&model, layer)), [1, 2]);
        for (view, var) in gradients.views(gradients.pieces())?.iter().zip(model.vars()) {
            assert_eq!(view.dims(), var.dims());
        }
        let whole = Gradients::new(&model, &[pieces.iter().sum()], 0)?;
        assert_eq!([0, 1].map(|layer| whole.complete_from(&model, layer)), [1, 1]);
        for wrong in [&[72, 200][..], &[71, 201, 172], &[72, 200, 173], &[72, 200, 172, 5], &[]] {
            assert!(Gradients::new(&model, wrong, 0).is_err(), "{wrong:?}");
        }
        Ok(())
    }
}
