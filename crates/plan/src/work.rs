//! How much arithmetic a training step is: the multiplications and additions of its matrix products.

use crate::run::MLP_RATIO;
use crate::{Rank, RunPlan};

/// Forward, and backward to inputs and to weights: three products of the same size.
const LINEAR_PRODUCTS: u64 = 3;
/// q k^T and p v forward; q k^T again, dout v^T, p^T dout, ds k and ds^T q backward.
const ATTENTION_PRODUCTS: u64 = 7;
/// A multiplication and an addition.
const OPERATIONS: u64 = 2;

/// Floating-point operations of `rank`'s matrix products in one step; norms, GELU, softmax and the
/// optimiser, a few in a hundred, are left out, and of attention only the visible pairs count.
pub fn step(plan: &RunPlan, rank: Rank) -> u64 {
    let (config, model) = (plan.config(), plan.model());
    let (d, layers) = (model.d_model as u64, model.layers as u64);
    let tokens = (config.batch * plan.attention().sequence().local_len()) as u64;
    let head_dim = model.head_dim() as u64;
    let qkv = (model.heads + 2 * model.kv_heads) as u64 * head_dim * d;
    let layer = qkv + d * d + 2 * MLP_RATIO as u64 * d * d;
    let linear = tokens * (layers * layer + model.vocab as u64 * d) * LINEAR_PRODUCTS;
    // A rank sees its ring's pairs for its share of the heads.
    let heads = model.heads as u64 / plan.attention().strategy().ulysses() as u64;
    let pairs = plan.attention().pairs(plan.cp_rank(rank)) * config.batch as u64;
    let attention = pairs * heads * head_dim * layers * ATTENTION_PRODUCTS;
    OPERATIONS * (linear + attention)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, RunConfig, StrategyKind};

    fn all(config: RunConfig) -> Vec<u64> {
        let plan = RunPlan::new(config).expect("a possible run");
        plan.mesh().world().ranks().map(|rank| step(&plan, rank)).collect()
    }

    #[test]
    fn the_default_run_by_hand() {
        // 256 tokens: 12 d^2 a layer and 256 d for the head, thrice; 256 * 257 / 2 pairs.
        let linear = 256 * (2 * 12 * 64 * 64 + 256 * 64) * 3;
        let attention = 256 * 257 / 2 * 64 * 2 * 7;
        let one = all(RunConfig { cp: 1, ..RunConfig::default() });
        assert_eq!(one, [2 * (linear + attention)]);
    }

    #[test]
    fn ranks_share_the_work_of_one() {
        let one = all(RunConfig { cp: 1, ..RunConfig::default() })[0];
        for strategy in StrategyKind::ALL {
            for layout in Layout::ALL {
                let four = all(RunConfig { strategy, layout, ..RunConfig::default() });
                assert_eq!(four.iter().sum::<u64>(), one, "{strategy} {layout}");
            }
        }
    }
}
