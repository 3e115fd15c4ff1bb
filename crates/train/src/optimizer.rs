//! AdamW and SGD over a model's parameters, with state that can be saved.
//!
//! candle-nn has both, and is the oracle in the tests; its AdamW keeps its moments to itself, so
//! a run could not be saved and resumed with it.

use candle_core::{Result, Tensor, Var};
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

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2017):
/// m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
/// w = (1 - lr decay) w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps).
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

    /// One update of every parameter at learning rate `lr`.
    pub fn step(&mut self, vars: &[Var], gradients: &[Tensor], lr: f64) -> Result<()> {
        match self {
            Self::Sgd => vars
                .iter()
                .zip(gradients)
                .try_for_each(|(var, gradient)| var.set(&(var.as_tensor() - (gradient * lr)?)?)),
            Self::AdamW(adam) => adam.step(vars, gradients, lr),
        }
    }
}

impl AdamW {
    fn step(&mut self, vars: &[Var], gradients: &[Tensor], lr: f64) -> Result<()> {
        self.updates += 1;
        let correct = |beta: f64| 1.0 / (1.0 - beta.powf(f64::from(self.updates)));
        let (correct1, correct2) = (correct(BETA1), correct(BETA2));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((var, g), (m, v)) in vars.iter().zip(gradients).zip(moments) {
            *m = ((&*m * BETA1)? + (g * (1.0 - BETA1))?)?;
            *v = ((&*v * BETA2)? + (g.sqr()? * (1.0 - BETA2))?)?;
            let denominator = ((&*v * correct2)?.sqrt()? + EPS)?;
            let update = ((&*m * (lr * correct1))? / denominator)?;
            let decayed = (var.as_tensor() * (1.0 - lr * self.weight_decay))?;
            var.set(&(decayed - update)?)?;
        }
        Ok(())
    }
}

/// Global L2 norm over all gradients, summed in f64.
pub(crate) fn global_norm(gradients: &[Tensor]) -> Result<f64> {
    let squares = gradients
        .iter()
        .map(|g| g.sqr()?.sum_all()?.to_dtype(candle_core::DType::F64)?.to_scalar::<f64>())
        .collect::<Result<Vec<_>>>()?;
    Ok(squares.iter().sum::<f64>().sqrt())
}

/// Scales gradients down to a global norm of `limit`; 0 leaves them.
pub(crate) fn clip(gradients: Vec<Tensor>, norm: f64, limit: f64) -> Result<Vec<Tensor>> {
    if limit == 0.0 || norm <= limit {
        return Ok(gradients);
    }
    gradients.into_iter().map(|g| g * (limit / norm)).collect()
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
            optimizer.step(std::slice::from_ref(&ours), &[gradient], 0.01)?;
            oracle.backward_step(&loss(&theirs)?)?;
        }
        let difference = (ours.as_tensor() - theirs.as_tensor())?.abs()?.max_all()?;
        assert!(difference.to_scalar::<f32>()? < 1e-6);
        let moved = (ours.as_tensor() - start)?.abs()?.min_all()?;
        assert!(moved.to_scalar::<f32>()? > 0.01);
        Ok(())
    }

    #[test]
    fn clipping_keeps_the_direction() -> Result<()> {
        let gradients =
            vec![Tensor::new(&[3f32, 0.0], &Device::Cpu)?, Tensor::new(&[4f32], &Device::Cpu)?];
        let norm = global_norm(&gradients)?;
        assert_eq!(norm, 5.0);
        let clipped = clip(gradients.clone(), norm, 1.0)?;
        assert!((clipped[1].to_vec1::<f32>()?[0] - 0.8).abs() < 1e-6);
        assert_eq!(clip(gradients, norm, 0.0)?[1].to_vec1::<f32>()?, [4.0]);
        Ok(())
    }
}
