//! The network as segments: embed, then per layer pre, attention from outside, post; then head.

use candle_core::{D, DType, Device, Error, Result, Tensor, Var};

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

/// Parameters of one layer as places in [`Gpt::vars`].
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
        let ids = Tensor::new(ids, self.vars[0].device())?;
        self.vars[0].index_select(&ids, 0)
    }

    /// x (N, d) to the queries, keys and values of `layer`, for `batch` sequences.
    pub fn pre(&self, layer: usize, x_nd: &Tensor, batch: usize, rope: &Rope) -> Result<Qkv> {
        let (c, t) = (&self.config, x_nd.dim(0)? / batch);
        let normed = self.rms_norm(x_nd, self.layer_var(layer, 0))?;
        let fused = linear(&normed, self.layer_var(layer, 1))?;
        let heads = |first: usize, count: usize| {
            fused
                .narrow(1, first * c.head_dim(), count * c.head_dim())?
                .reshape((batch, t, count, c.head_dim()))?
                .transpose(1, 2)?
                .contiguous()
        };
        Ok(Qkv {
            q_bhtd: rope.apply(&heads(0, c.heads)?)?,
            k_bktd: rope.apply(&heads(c.heads, c.kv_heads)?)?,
            v_bktd: heads(c.heads + c.kv_heads, c.kv_heads)?,
        })
    }

    /// x (N, d) and attention's output (B, H, T, D) to the x of the next layer.
    pub fn post(&self, layer: usize, x_nd: &Tensor, out_bhtd: &Tensor) -> Result<Tensor> {
        let out_nd = out_bhtd.transpose(1, 2)?.contiguous()?.reshape(((), self.config.d_model))?;
        let x = (x_nd + linear(&out_nd, self.layer_var(layer, 2))?)?;
        let hidden =
            linear(&self.rms_norm(&x, self.layer_var(layer, 3))?, self.layer_var(layer, 4))?;
        &x + linear(&hidden.gelu()?, self.layer_var(layer, 5))?
    }

    /// x (N, d) to logits (N, V).
    pub fn head(&self, x_nd: &Tensor) -> Result<Tensor> {
        let last = self.vars.len() - 1;
        linear(&self.rms_norm(x_nd, &self.vars[last - 1])?, &self.vars[last])
    }

    fn layer_var(&self, layer: usize, index: usize) -> &Var {
        &self.vars[1 + layer * PER_LAYER + index]
    }

    /// x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich, 2019).
    fn rms_norm(&self, x_nd: &Tensor, weight: &Var) -> Result<Tensor> {
        let mean = x_nd.sqr()?.mean_keepdim(D::Minus1)?;
        let scale = (mean + self.config.norm_eps)?.sqrt()?;
        x_nd.broadcast_div(&scale)?.broadcast_mul(weight)
    }
}

/// y = x W^T.
fn linear(x: &Tensor, weight: &Var) -> Result<Tensor> {
    x.matmul(&weight.t()?)
}
