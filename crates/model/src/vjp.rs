//! Pulls a cotangent back through one segment of the network.
//!
//! The chain rule is driven by hand from segment to segment, because what lies between them,
//! attention over ranks, is asynchronous and outside candle's graph. A segment's own
//! vector-Jacobian product is candle's: backward() of sum(output * cotangent).

use candle_core::{Result, Tensor, Var};

use crate::Gpt;

/// An input of a segment, cut off from what computed it.
#[derive(Clone, Debug)]
pub struct Leaf(Var);

impl Leaf {
    /// A fresh leaf with `value`.
    pub fn new(value: &Tensor) -> Result<Self> {
        Ok(Self(Var::from_tensor(value)?))
    }

    /// The value, as the segment's graph begins with it.
    pub fn tensor(&self) -> &Tensor {
        self.0.as_tensor()
    }
}

/// The gradient of every parameter, by its place in [`crate::GptConfig::parameters`].
#[derive(Clone, Debug)]
pub struct Gradients(Vec<Option<Tensor>>);

impl Gradients {
    /// Nothing yet, for a model of `parameters` parameters.
    pub fn new(parameters: usize) -> Self {
        Self(vec![None; parameters])
    }

    /// The gradient of each parameter of `model`; zeros where nothing came.
    pub fn of(&self, model: &Gpt) -> Result<Vec<Tensor>> {
        let pairs = self.0.iter().zip(model.vars());
        pairs.map(|(g, var)| g.clone().map_or_else(|| var.zeros_like(), Ok)).collect()
    }

    fn add(&mut self, index: usize, gradient: Tensor) -> Result<()> {
        let slot = &mut self.0[index];
        *slot = Some(match slot.take() {
            Some(sum) => (sum + gradient)?,
            None => gradient,
        });
        Ok(())
    }
}

/// Pulls `cotangents` of `outputs` back: adds the parameters' gradients to `gradients` and
/// returns the gradient of each of `leaves`.
pub fn pull_back(
    model: &Gpt,
    outputs: &[(&Tensor, &Tensor)],
    leaves: &[&Leaf],
    gradients: &mut Gradients,
) -> Result<Vec<Tensor>> {
    let mut inner: Option<Tensor> = None;
    for (output, cotangent) in outputs {
        let term = (*output * *cotangent)?.sum_all()?;
        inner = Some(match inner {
            Some(sum) => (sum + term)?,
            None => term,
        });
    }
    let Some(inner) = inner else {
        return leaves.iter().map(|leaf| leaf.tensor().zeros_like()).collect();
    };
    let mut store = inner.backward()?;
    for (index, var) in model.vars().iter().enumerate() {
        if let Some(gradient) = store.remove(var) {
            gradients.add(index, gradient)?;
        }
    }
    leaves
        .iter()
        .map(|leaf| store.remove(leaf.tensor()).map_or_else(|| leaf.tensor().zeros_like(), Ok))
        .collect()
}
