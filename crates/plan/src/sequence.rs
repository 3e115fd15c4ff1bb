//! One sequence split over the ranks: the place that positions and padding come from.

use serde::Serialize;

use crate::{Layout, Mask, Rank, Refusal, WorldSize, message};

/// A sequence of tokens as the ranks of a context-parallel group share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    layout: Layout,
    world: WorldSize,
    mask: Mask,
    padded_len: usize,
    positions: Vec<Vec<u32>>,
}

/// What `inspect shard` prints of one rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShardView {
    /// The rank within its context-parallel group.
    pub rank: usize,
    /// Its positions, padding left out.
    pub positions: Vec<u32>,
    /// How many of them there are.
    pub valid: usize,
}

impl Sequence {
    /// Splits the sequence that `mask` describes over `world` ranks.
    pub fn new(mask: Mask, layout: Layout, world: WorldSize) -> Result<Self, Refusal> {
        let seq_len = mask.seq_len();
        if seq_len == 0 {
            return Err(Refusal::new(
                "seq_len",
                0,
                message!("there is nothing to split"),
                message!("try 1 or more"),
            ));
        }
        if world.get() > seq_len {
            return Err(Refusal::new(
                "cp",
                world,
                message!("there are more ranks than the {seq_len} tokens of seq_len", seq_len),
                message!("try at most {seq_len} ranks, or a longer sequence", seq_len),
            ));
        }
        let padded_len = layout.padded_len(seq_len, world);
        let positions =
            world.ranks().map(|rank| layout.positions(padded_len, world, rank)).collect();
        Ok(Self { layout, world, mask, padded_len, positions })
    }

    /// The layout that split it.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The size of the context-parallel group.
    pub fn world(&self) -> WorldSize {
        self.world
    }

    /// What a query may see.
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Tokens that are not padding.
    pub fn seq_len(&self) -> usize {
        self.mask.seq_len()
    }

    /// The length with padding; each rank holds `padded_len / world`.
    pub fn padded_len(&self) -> usize {
        self.padded_len
    }

    /// Tokens on each rank, padding included.
    pub fn local_len(&self) -> usize {
        self.padded_len / self.world.get()
    }

    /// The global positions of `rank`, ascending; those from `seq_len` on are padding.
    pub fn positions(&self, rank: Rank) -> &[u32] {
        &self.positions[rank.index()]
    }

    /// Picks this rank's values from a whole sequence; padding gets `fill`.
    pub fn shard<T: Copy>(&self, rank: Rank, whole: &[T], fill: T) -> Vec<T> {
        self.positions(rank)
            .iter()
            .map(|&p| whole.get(p as usize).copied().unwrap_or(fill))
            .collect()
    }

    /// Puts the ranks' values back in order and drops the padding: the inverse of [`Self::shard`].
    pub fn unshard<T: Copy + Default>(&self, shards: &[Vec<T>]) -> Vec<T> {
        let mut whole = vec![T::default(); self.padded_len];
        for (positions, shard) in self.positions.iter().zip(shards) {
            for (&position, &value) in positions.iter().zip(shard) {
                whole[position as usize] = value;
            }
        }
        whole.truncate(self.seq_len());
        whole
    }

    /// What `inspect shard` prints.
    pub fn view(&self) -> Vec<ShardView> {
        self.world
            .ranks()
            .map(|rank| {
                let seq_len = self.seq_len() as u32;
                let positions: Vec<u32> =
                    self.positions(rank).iter().copied().filter(|&p| p < seq_len).collect();
                ShardView { rank: rank.index(), valid: positions.len(), positions }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_ranks_than_tokens_are_refused() {
        let mask = Mask::new(3, &[], None).expect("a plain mask");
        let world = WorldSize::new(4).expect("4 is a world size");
        let error = Sequence::new(mask, Layout::Contiguous, world).expect_err("4 > 3");
        assert_eq!(error.field, "cp");
        assert_eq!(error.value, "4");
    }

    proptest::proptest! {
        #[test]
        fn shard_then_unshard_is_the_identity(len in 1usize..100, w in 1usize..9) {
            let world = WorldSize::new(w.min(len)).expect("a small world");
            let whole: Vec<u32> = (0..len as u32).map(|i| i * 7 + 1).collect();
            for layout in Layout::ALL {
                let mask = Mask::new(len, &[], None).expect("a plain mask");
                let sequence = Sequence::new(mask, layout, world).expect("it fits");
                let shards: Vec<_> = world.ranks().map(|r| sequence.shard(r, &whole, 0)).collect();
                proptest::prop_assert_eq!(sequence.unshard(&shards), whole.clone());
            }
        }
    }
}
