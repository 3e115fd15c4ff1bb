//! The model's parameters, and where each of them is.

use candle_core::{DType, Device, Error, Result, Tensor, Var};
use kernels::profile::{self, Kind};

use crate::{GptConfig, Rope, init};

/// Queries (B, H, T, D), keys and values (B, K, T, D), keys and queries already turned by RoPE.
#[derive(Clone, Debug)]
pub struct Qkv {
    /// Queries.
    pub q_bhtd: Tensor,
    /// Keys.
    pub k_bktd: Tensor,
    /// Values.
    pub v_bktd: Tensor,
}

/// Where the parameters of one layer are in [`Gpt::vars`].
pub(crate) struct Layer {
    pub(crate) attn_norm: usize,
    pub(crate) qkv: usize,
    pub(crate) out: usize,
    pub(crate) mlp_norm: usize,
    pub(crate) up: usize,
    pub(crate) down: usize,
}

const PER_LAYER: usize = 6;

/// The model: its sizes and its parameters.
#[derive(Clone, Debug)]
pub struct Gpt {
    config: GptConfig,
    vars: Vec<Var>,
}

impl Gpt {
    /// Parameters drawn from `seed`.
    pub fn new(config: GptConfig, seed: u64, dtype: DType, device: &Device) -> Result<Self> {
        Self::from_values(config, init::initial_values(&config, seed, dtype, device)?)
    }

    /// Parameters given, in the order of [`GptConfig::parameters`].
    pub fn from_values(config: GptConfig, values: Vec<Tensor>) -> Result<Self> {
        let expected = config.parameters();
        if values.len() != expected.len() {
            return Err(Error::Msg(format!(
                "the model has {} parameters, {} were given",
                expected.len(),
                values.len()
            )));
        }
        for ((name, shape), value) in expected.iter().zip(&values) {
            if value.dims() != shape {
                return Err(Error::Msg(format!(
                    "parameter {name}: expected shape {shape:?}, got {:?}",
                    value.dims()
                )));
            }
        }
        let vars = values.iter().map(Var::from_tensor).collect::<Result<_>>()?;
        Ok(Self { config, vars })
    }

    /// The sizes.
    pub fn config(&self) -> &GptConfig {
        &self.config
    }

    /// Every parameter, in the order of [`GptConfig::parameters`].
    pub fn vars(&self) -> &[Var] {
        &self.vars
    }

    /// RoPE's tables for tokens at global `positions`.
    pub fn rope(&self, positions: &[u32]) -> Result<Rope> {
        let (dtype, device) = (self.vars[0].dtype(), self.vars[0].device());
        Rope::new(positions, self.config.head_dim(), self.config.rope_theta, dtype, device)
    }

    /// Token ids (N) to x (N, d).
    pub fn embed(&self, ids: &[u32]) -> Result<Tensor> {
        let _span = profile::span(Kind::Kernel, "embed forward");
        let ids = Tensor::new(ids, self.vars[0].device())?;
        self.vars[0].index_select(&ids, 0)
    }

    pub(crate) fn layer(&self, layer: usize) -> Layer {
        let first = 1 + layer * PER_LAYER;
        Layer {
            attn_norm: first,
            qkv: first + 1,
            out: first + 2,
            mlp_norm: first + 3,
            up: first + 4,
            down: first + 5,
        }
    }

    /// Where the last norm and the head are in [`Self::vars`].
    pub(crate) fn head_parameters(&self) -> (usize, usize) {
        (self.vars.len() - 2, self.vars.len() - 1)
    }
}
