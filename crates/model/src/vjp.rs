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

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{DType, Device};

    use crate::{GptConfig, Qkv, cross_entropy_sum, reference};

    const VALID: f64 = 9.0;

    /// Attention as a segment of its own, with its vector-Jacobian product by candle.
    struct Attention {
        leaves: [Leaf; 3],
        out: Tensor,
    }

    impl Attention {
        fn new(qkv: &Qkv, sees: &[Vec<bool>]) -> Result<Self> {
            let leaf = |t: &Tensor| Leaf::new(&t.detach());
            let leaves = [leaf(&qkv.q_bhtd)?, leaf(&qkv.k_bktd)?, leaf(&qkv.v_bktd)?];
            let [q_bhtd, k_bktd, v_bktd] = leaves.each_ref().map(|leaf| leaf.tensor().clone());
            let (out, _) = reference::attention(&Qkv { q_bhtd, k_bktd, v_bktd }, sees)?;
            Ok(Self { leaves, out })
        }
    }

    /// embed, pre, attention, post and head, each with its own backward, chained by hand.
    fn chained(
        model: &Gpt,
        ids: &[Vec<u32>],
        targets: &[i64],
        sees: &[Vec<bool>],
    ) -> Result<Vec<Tensor>> {
        let rope = model.rope(&(0..sees.len() as u32).collect::<Vec<_>>())?;
        let mut gradients = Gradients::new(model.vars().len());
        let embedded = model.embed(&ids.concat())?;
        let mut x = Leaf::new(&embedded)?;
        let mut tape = Vec::new();
        for layer in 0..model.config().layers {
            let qkv = model.pre(layer, x.tensor(), ids.len(), &rope)?;
            let attention = Attention::new(&qkv, sees)?;
            let out = Leaf::new(&attention.out)?;
            let y = model.post(layer, x.tensor(), out.tensor())?;
            let next = Leaf::new(&y)?;
            tape.push((x, qkv, attention, out, y));
            x = next;
        }
        let loss = (cross_entropy_sum(&model.head(x.tensor())?, targets)? / VALID)?;
        let one = loss.ones_like()?;
        let mut dx = pull_back(model, &[(&loss, &one)], &[&x], &mut gradients)?.remove(0);
        for (x, qkv, attention, out, y) in tape.iter().rev() {
            let post = pull_back(model, &[(y, &dx)], &[x, out], &mut gradients)?;
            let leaves = attention.leaves.each_ref();
            let cotangents =
                pull_back(model, &[(&attention.out, &post[1])], &leaves, &mut gradients)?;
            let outputs = [
                (&qkv.q_bhtd, &cotangents[0]),
                (&qkv.k_bktd, &cotangents[1]),
                (&qkv.v_bktd, &cotangents[2]),
            ];
            dx = (&post[0] + pull_back(model, &outputs, &[x], &mut gradients)?.remove(0))?;
        }
        pull_back(model, &[(&embedded, &dx)], &[], &mut gradients)?;
        gradients.of(model)
    }

    #[test]
    fn segments_chained_by_hand_give_the_whole_graphs_gradients() -> Result<()> {
        let config = GptConfig::new(11, 8, 4, 2, 3);
        let model = Gpt::new(config, 5, DType::F64, &Device::Cpu)?;
        let ids = vec![vec![1, 5, 3, 0, 10], vec![2, 2, 7, 9, 4]];
        let targets = vec![vec![5, 3, 0, 10, crate::IGNORED], vec![2, 7, 9, 4, 6]];
        let sees: Vec<Vec<bool>> = (0..5).map(|q| (0..5).map(|k| k <= q).collect()).collect();
        let whole = reference::run(&model, &ids, &targets, &sees)?.gradients;
        let by_hand = chained(&model, &ids, &targets.concat(), &sees)?;
        for (((name, _), a), b) in config.parameters().iter().zip(&by_hand).zip(&whole) {
            let difference = (a - b)?.sqr()?.sum_all()?.to_scalar::<f64>()?.sqrt();
            let size = b.sqr()?.sum_all()?.to_scalar::<f64>()?.sqrt();
            assert!(size > 0.0 && difference <= 1e-12 * size, "{name}: {difference} of {size}");
        }
        Ok(())
    }
}
