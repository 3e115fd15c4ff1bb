//! AdamW and SGD over a model's parameters, with state that can be saved.
//!
//! candle-nn has both, and is the oracle in the tests; its AdamW keeps its moments to itself, so
//! a run could not be saved and resumed with it.

use candle_core::{Result, Tensor, Var};
use kernels::adamw::{Update, squares};
use plan::{Optimizer as Kind, RunConfig};

/// (beta1, beta2, epsilon) of AdamW.
pub const ADAMW_CONSTANTS: (f64, f64, f64) = (BETA1, BETA2, EPS);

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.95;
const EPS: f64 = 1e-8;

/// Updates parameters from gradients.
#[derive(Debug)]
pub enum Optimizer {
    /// w = w - lr g.
    Sgd,
    /// Adam with decoupled weight decay.
    AdamW(AdamW),
}

/// Adam with decoupled weight decay; the formula stands at [`Update`].
#[derive(Debug)]
pub struct AdamW {
    pub(crate) updates: u32,
    pub(crate) first: Vec<Tensor>,
    pub(crate) second: Vec<Tensor>,
    weight_decay: f64,
}

impl Optimizer {
    /// Fresh state for `vars`.
    pub fn new(config: &RunConfig, vars: &[Var]) -> Result<Self> {
        let zeros = || vars.iter().map(|var| var.zeros_like()).collect::<Result<Vec<_>>>();
        Ok(match config.optimizer {
            Kind::Sgd => Self::Sgd,
            Kind::Adamw => Self::AdamW(AdamW {
                updates: 0,
                first: zeros()?,
                second: zeros()?,
                weight_decay: config.weight_decay,
            }),
        })
    }

    /// Which one it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Sgd => Kind::Sgd,
            Self::AdamW(_) => Kind::Adamw,
        }
    }

    /// One update of every parameter by `factor` times its gradient, at learning rate `lr`.
    pub fn step(&mut self, vars: &[Var], gradients: &[Tensor], factor: f64, lr: f64) -> Result<()> {
        match self {
            Self::Sgd => vars.iter().zip(gradients).try_for_each(|(var, gradient)| {
                var.set(&(var.as_tensor() - (gradient * (lr * factor))?)?)
            }),
            Self::AdamW(adam) => adam.step(vars, gradients, factor, lr),
        }
    }
}

impl AdamW {
    fn step(&mut self, vars: &[Var], gradients: &[Tensor], factor: f64, lr: f64) -> Result<()> {
        self.updates += 1;
        let update = Update {
            beta1: BETA1,
            beta2: BETA2,
            eps: EPS,
            lr,
            weight_decay: self.weight_decay,
            updates: self.updates,
        };
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((var, gradient), (m, v)) in vars.iter().zip(gradients).zip(moments) {
            update.apply(var, gradient, factor, m, v)?;
        }
        Ok(())
    }
}

/// Global L2 norm over all gradients, summed in f64.
pub(crate) fn global_norm(gradients: &[Tensor]) -> Result<f64> {
    let squares: f64 = gradients.iter().map(squares).sum::<Result<_>>()?;
    Ok(squares.sqrt())
}

/// What scales gradients of global norm `norm` down to `limit`; a limit of 0 leaves them.
pub(crate) fn clip_factor(norm: f64, limit: f64) -> f64 {
    if limit == 0.0 || norm <= limit { 1.0 } else { limit / norm }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;
    use candle_nn::Optimizer as _;

    /// Five updates of x by the gradient of sum(x^3), ours beside candle-nn's.
    #[test]
    fn adamw_agrees_with_candle_nn() -> Result<()> {
        let start = Tensor::new(&[1f32, -2.0, 0.5, 3.0], &Device::Cpu)?;
        let (ours, theirs) = (Var::from_tensor(&start)?, Var::from_tensor(&start)?);
        let config = RunConfig { weight_decay: 0.1, ..RunConfig::default() };
        let mut optimizer = Optimizer::new(&config, std::slice::from_ref(&ours))?;
        let params = candle_nn::ParamsAdamW {
            lr: 0.01,
            beta1: BETA1,
            beta2: BETA2,
            eps: EPS,
            weight_decay: 0.1,
        };
        let mut oracle = candle_nn::AdamW::new(vec![theirs.clone()], params)?;
        for _ in 0..5 {
            let loss = |x: &Var| x.as_tensor().powf(3.0)?.sum_all();
            let store = loss(&ours)?.backward()?;
            let gradient = store.get(&ours).expect("x is a variable").clone();
            optimizer.step(std::slice::from_ref(&ours), &[gradient], 1.0, 0.01)?;
            oracle.backward_step(&loss(&theirs)?)?;
        }
        let difference = (ours.as_tensor() - theirs.as_tensor())?.abs()?.max_all()?;
        assert!(difference.to_scalar::<f32>()? < 1e-6);
        let moved = (ours.as_tensor() - start)?.abs()?.min_all()?;
        assert!(moved.to_scalar::<f32>()? > 0.01);
        Ok(())
    }

    #[test]
    fn clipping_scales_down_to_the_limit_and_never_up() -> Result<()> {
        let gradients =
            [Tensor::new(&[3f32, 0.0], &Device::Cpu)?, Tensor::new(&[4f32], &Device::Cpu)?];
        assert_eq!(global_norm(&gradients)?, 5.0);
        assert_eq!([1.0, 0.0, 9.0].map(|limit| clip_factor(5.0, limit)), [0.2, 1.0, 1.0]);
        Ok(())
    }
}
