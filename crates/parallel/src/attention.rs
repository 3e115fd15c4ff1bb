//! A rank's attention over the ranks of its group, forward and backward, by its strategy.

use candle_core::Tensor;
use kernels::attention::{Partial, QueryGrad};
use kernels::profile::{self, Kind};
use model::Qkv;
use plan::StrategyKind;

use crate::all_gather::Gathered;
use crate::exchange::Exchange;
use crate::ring::Ring;
use crate::{CpContext, ParallelError, Result};

/// Attention's output, and what its backward pass needs.
#[derive(Clone, Debug)]
pub struct Attended {
    /// Output for this rank's tokens (B, H, c, D).
    pub out_bhtd: Tensor,
    /// Queries and keys/values after the exchange of heads; this rank's own without one.
    q: Tensor,
    kv: Tensor,
    partial: Partial,
}

impl Attended {
    /// Log-sum-exp of the queries as attention was computed: (B, H/U, c U, 1).
    pub fn lse(&self) -> &Tensor {
        &self.partial.lse_bht1
    }
}

impl CpContext {
    /// Attention of this rank's queries (B, H, c, D) over the keys and values (B, K, c, D) of all
    /// ranks of the group, under the plan's mask.
    pub async fn forward(
        &self,
        layer: usize,
        q_bhtd: &Tensor,
        k_bktd: &Tensor,
        v_bktd: &Tensor,
    ) -> Result<Attended> {
        self.check("q", q_bhtd, self.heads.query)?;
        self.check("k", k_bktd, self.heads.kv)?;
        self.check("v", v_bktd, self.heads.kv)?;
        let own_kv = {
            let _span = profile::span(Kind::Upkeep, "keys beside values");
            Tensor::stack(&[k_bktd, v_bktd], 0)?
        };
        let (q, kv) = self.exchange().to_heads(q_bhtd, &own_kv).await?;
        let partial = match self.plan.strategy().kind() {
            StrategyKind::AllGather => self.gathered().forward(layer, &q, &kv).await?,
            _ => self.ring().forward(layer, &q, &kv).await?,
        };
        let out_bhtd = self.exchange().to_sequence(&partial.out_bhtd).await?;
        Ok(Attended { out_bhtd, q, kv, partial })
    }

    /// Pulls d loss / d out (B, H, c, D) back: the gradients of this rank's queries, keys and
    /// values.
    pub async fn backward(
        &self,
        layer: usize,
        attended: &Attended,
        dout_bhtd: &Tensor,
    ) -> Result<Qkv> {
        self.check("dout", dout_bhtd, self.heads.query)?;
        let dout = self.exchange().gradient_to_heads(dout_bhtd).await?;
        let query = QueryGrad::new(&attended.q, &attended.partial, &dout)?;
        let (dq, dkv) = match self.plan.strategy().kind() {
            StrategyKind::AllGather => {
                self.gathered().backward(layer, &query, &attended.kv).await?
            }
            _ => self.ring().backward(layer, &query, &attended.kv).await?,
        };
        let (dq, dkv) = self.exchange().gradients_to_sequence(&dq, &dkv).await?;
        Ok(Qkv { q_bhtd: dq, k_bktd: dkv.get(0)?, v_bktd: dkv.get(1)? })
    }

    fn exchange(&self) -> Exchange<'_> {
        Exchange {
            group: &self.ulysses,
            strategy: self.plan.strategy(),
            heads: self.heads.query,
            kv_heads: self.heads.kv,
        }
    }

    fn ring(&self) -> Ring<'_> {
        Ring { group: &self.ring, steps: self.plan.steps(), tiles: &self.tiles }
    }

    fn gathered(&self) -> Gathered<'_> {
        Gathered { group: &self.ring, tiles: &self.tiles }
    }

    fn check(&self, what: &'static str, tensor: &Tensor, heads: usize) -> Result<()> {
        let batch = tensor.dims().first().copied().unwrap_or(0);
        let expected = vec![batch, heads, self.plan.sequence().local_len(), self.heads.dim];
        if !self.is_at_home(tensor) {
            let got = format!("{:?} on {:?}", tensor.dtype(), tensor.device().location());
            return Err(ParallelError::Elsewhere { rank: self.rank(), what, got });
        }
        if tensor.dims() == expected {
            return Ok(());
        }
        let got = tensor.dims().to_vec();
        Err(ParallelError::Shape { rank: self.rank(), what, expected, got })
    }
}
