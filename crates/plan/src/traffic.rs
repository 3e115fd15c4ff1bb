//! How many messages and bytes each rank sends, to the byte.
//!
//! W ranks, U x R = Ulysses x ring, T = steps of the ring, c = tokens on a rank,
//! KV = 2 B c Hkv D e, Q = B c Hq D e, e bytes an element, r = key/value replicas:
//!
//! | | forward | backward |
//! |---|---|---|
//! | ring | (T-1) KV | (T-1) KV + T KV (0 when T = 1) |
//! | all-gather | (W-1) KV | (W-1) KV gathered again + (W-1) KV reduce_scatter |
//! | ulysses, usp | (U-1)/U (2 Q + r KV) + ring of r KV | the same, + ring of r KV |

use serde::{Deserialize, Serialize};

use crate::{AttentionPlan, StrategyKind, WorldSize};

/// Bytes of an f32.
pub const F32_BYTES: u64 = 4;

/// Messages and bytes that one rank sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Messages, empty ones included.
    pub messages: u64,
    /// Payload bytes; headers are not counted.
    pub bytes: u64,
}

impl Flow {
    /// The same flow `n` times.
    pub fn times(self, n: u64) -> Self {
        Self { messages: self.messages * n, bytes: self.bytes * n }
    }
}

impl std::ops::Add for Flow {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, bytes: self.bytes + other.bytes }
    }
}

/// The sizes of attention that traffic depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionShape {
    /// B: sequences in a batch.
    pub batch: usize,
    /// Hq: query heads.
    pub heads: usize,
    /// Hkv: key/value heads.
    pub kv_heads: usize,
    /// D: size of a head.
    pub head_dim: usize,
}

/// What one rank sends for one layer's attention; it is the same for every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LayerTraffic {
    /// In the forward pass.
    pub forward: Flow,
    /// In the backward pass.
    pub backward: Flow,
}

/// Traffic of one layer's attention in f32.
pub fn attention(plan: &AttentionPlan, shape: AttentionShape) -> LayerTraffic {
    let strategy = plan.strategy();
    let (u, t) = (strategy.ulysses() as u64, plan.steps() as u64);
    let token = (shape.batch * plan.sequence().local_len() * shape.head_dim) as u64 * F32_BYTES;
    let q = token * shape.heads as u64;
    let kv = 2 * token * shape.kv_heads as u64 * strategy.kv_replicas(shape.kv_heads) as u64;
    let hops = |n: u64| Flow { messages: n, bytes: n * kv };
    // Queries, keys and values go in one all_to_all, outputs come back in another.
    let heads_out_and_back = Flow { messages: 2 * (u - 1), bytes: (u - 1) * (2 * q + kv) / u };
    match strategy.kind() {
        StrategyKind::AllGather => {
            LayerTraffic { forward: hops(t - 1), backward: hops(2 * (t - 1)) }
        }
        StrategyKind::Ring | StrategyKind::Ulysses | StrategyKind::Usp => {
            // Gradients of keys and values travel with their block and then go home.
            let gradients = if t > 1 { t } else { 0 };
            LayerTraffic {
                forward: heads_out_and_back + hops(t - 1),
                backward: heads_out_and_back + hops(t - 1 + gradients),
            }
        }
    }
}

/// What one rank sends in a ring all_reduce of `elements` f32, padded to a multiple of the group.
pub fn all_reduce(elements: usize, group: WorldSize) -> Flow {
    let n = group.get() as u64;
    let chunk = elements.div_ceil(group.get()) as u64;
    Flow { messages: 2 * (n - 1), bytes: 2 * (n - 1) * chunk * F32_BYTES }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Mask, Sequence, Strategy};

    fn check(
        kind: StrategyKind,
        w: usize,
        u: Option<usize>,
        kv_heads: usize,
        expect: [(u64, u64); 2],
    ) {
        let world = WorldSize::new(w).expect("a small world");
        let mask = Mask::new(64, &[], None).expect("a plain mask");
        let sequence = Sequence::new(mask, Layout::Zigzag, world).expect("it fits");
        let strategy = Strategy::new(kind, world, 8, kv_heads, u).expect("the heads fit");
        let plan = AttentionPlan::new(sequence, strategy);
        let shape = AttentionShape { batch: 2, heads: 8, kv_heads, head_dim: 4 };
        let got = attention(&plan, shape);
        let pair = |f: Flow| (f.messages, f.bytes);
        assert_eq!([pair(got.forward), pair(got.backward)], expect);
    }

    #[test]
    fn the_formulas_of_the_strategies() {
        // c = 16, Q = 2 * 16 * 8 * 4 * 4 = 4096; KV = 8192 with 8 heads, 2048 with 2, 1024 with 1.
        check(StrategyKind::Ring, 4, None, 8, [(3, 3 * 8192), (7, 7 * 8192)]);
        check(StrategyKind::AllGather, 4, None, 2, [(3, 3 * 2048), (6, 6 * 2048)]);
        let both = (6, 3 * (2 * 4096 + 8192) / 4);
        check(StrategyKind::Ulysses, 4, None, 8, [both, both]);
        // One key/value head on four ranks: four replicas.
        let both = (6, 3 * (2 * 4096 + 4 * 1024) / 4);
        check(StrategyKind::Ulysses, 4, None, 1, [both, both]);
        let exchange = (2 * 4096 + 8192) / 2;
        check(
            StrategyKind::Usp,
            4,
            Some(2),
            8,
            [(2 + 1, exchange + 8192), (2 + 1 + 2, exchange + 3 * 8192)],
        );
        check(StrategyKind::Ring, 1, None, 8, [(0, 0), (0, 0)]);
    }

    #[test]
    fn all_reduce_pads_to_the_group() {
        let world = WorldSize::new(4).expect("4 is a world size");
        assert_eq!(all_reduce(10, world), Flow { messages: 6, bytes: 6 * 3 * 4 });
        assert_eq!(all_reduce(10, WorldSize::ONE), Flow::default());
    }
}
