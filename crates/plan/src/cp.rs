//! Context parallelism as it is asked for, and as it can be had before any rank exists.

use serde::{Deserialize, Serialize};

use crate::refusal::require_range;
use crate::{
    AttentionPlan, Layout, Mask, Mesh, Refusal, Sequence, Strategy, StrategyKind, message,
};
use crate::{WorldSize, run};

/// Context parallelism as it is asked for.
///
/// Whether it is on is a function of `size` alone: no name of a backend, equal to a default or
/// not, turns it off. A size of 1 is the same code without messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpConfig {
    /// Ranks that share each sequence.
    pub size: usize,
    /// How they share attention.
    pub strategy: StrategyKind,
    /// U of U x R ranks; `None` lets the strategy choose.
    pub ulysses_degree: Option<usize>,
    /// Which positions each of them holds.
    pub layout: Layout,
}

/// The heads of the attention that is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Query heads, H.
    pub query: usize,
    /// Key/value heads, K.
    pub kv: usize,
    /// Size of a head, D.
    pub dim: usize,
}

/// Context parallelism that is configured and checked, and has no ranks yet.
#[derive(Clone, Debug, PartialEq)]
pub struct CpPlan {
    attention: AttentionPlan,
    heads: Heads,
}

impl CpConfig {
    /// Checks it for one attention: sequences under `mask`, shared by heads.
    ///
    /// Errors: sizes, heads and lengths that do not fit each other, by the field's name.
    pub fn plan(&self, mask: Mask, heads: Heads) -> Result<CpPlan, Refusal> {
        let (sequence, strategy) = self.lower(mask, heads)?;
        Ok(CpPlan { attention: AttentionPlan::new(sequence, strategy), heads })
    }

    /// What it comes down to, before any table is derived.
    pub(crate) fn lower(&self, mask: Mask, heads: Heads) -> Result<(Sequence, Strategy), Refusal> {
        run::check_heads(heads.query, heads.kv)?;
        require_range("head_dim", heads.dim, 1, 4096)?;
        let size = WorldSize::new(self.size)
            .map_err(|refusal| Refusal { field: "cp".to_owned(), ..refusal })?;
        let sequence = Sequence::new(mask, self.layout, size)?;
        let strategy =
            Strategy::new(self.strategy, size, heads.query, heads.kv, self.ulysses_degree)?;
        Ok((sequence, strategy))
    }
}

impl CpPlan {
    /// Attention's schedule within a group, the split of the sequence included.
    pub fn attention(&self) -> &AttentionPlan {
        &self.attention
    }

    /// The heads of the attention that is shared.
    pub fn heads(&self) -> Heads {
        self.heads
    }

    /// The same with nothing passed around the ring.
    pub(crate) fn without_exchange(self) -> Self {
        Self { attention: self.attention.without_exchange(), ..self }
    }

    /// Ranks that share each sequence.
    pub fn size(&self) -> WorldSize {
        self.attention.sequence().world()
    }

    /// The groups that `world` ranks form; refuses a world that does not split into whole ones.
    pub fn mesh(&self, world: WorldSize) -> Result<Mesh, Refusal> {
        let (world, cp) = (world.get(), self.size().get());
        if world.is_multiple_of(cp) {
            return Mesh::new(world / cp, self.attention.strategy());
        }
        Err(Refusal::new(
            "world_size",
            world,
            message!(
                "cp = {cp} ranks share a sequence, and {cp} does not divide {world}",
                cp,
                world
            ),
            message!(
                "start {ranks} ranks, or choose a cp that divides {world}",
                ranks = world.next_multiple_of(cp),
                world
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(size: usize, heads: Heads) -> Result<CpPlan, Refusal> {
        let config = CpConfig {
            size,
            strategy: StrategyKind::Ulysses,
            ulysses_degree: None,
            layout: Layout::Zigzag,
        };
        config.plan(Mask::new(64, &[], None)?, heads)
    }

    const HEADS: Heads = Heads { query: 8, kv: 2, dim: 4 };

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let field = |size, heads| plan(size, heads).expect_err("it must be refused").field;
        assert_eq!(field(0, HEADS), "cp");
        assert_eq!(field(65, HEADS), "cp");
        assert_eq!(field(3, HEADS), "strategy");
        assert_eq!(field(4, Heads { query: 0, ..HEADS }), "heads");
        assert_eq!(field(4, Heads { kv: 3, ..HEADS }), "kv_heads");
        assert_eq!(field(4, Heads { dim: 0, ..HEADS }), "head_dim");
    }

    #[test]
    fn a_world_splits_into_whole_groups_or_is_refused() -> Result<(), Refusal> {
        let plan = plan(4, HEADS)?;
        assert_eq!(plan.mesh(WorldSize::new(8)?)?.size(crate::Axis::Dp), 2);
        let refusal = plan.mesh(WorldSize::new(6)?).expect_err("4 does not divide 6");
        assert_eq!(refusal.field, "world_size");
        assert_eq!(refusal.value, "6");
        assert!(refusal.works.contains("start 8 ranks"), "{refusal}");
        Ok(())
    }
}
