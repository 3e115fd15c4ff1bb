//! Which positions of a sequence each rank holds.

use serde::{Deserialize, Serialize};

use crate::{Rank, WorldSize};

/// How a sequence is split over the ranks of a context-parallel group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Rank r holds positions r c .. (r + 1) c.
    #[default]
    Contiguous,
    /// The sequence is cut into 2 W chunks; rank r holds chunks r and 2 W - 1 - r.
    Zigzag,
    /// Position i lives on rank i mod W.
    Striped,
}

impl Layout {
    /// Every layout, in the order in which they are taught.
    pub const ALL: [Self; 3] = [Self::Contiguous, Self::Zigzag, Self::Striped];

    /// The name as typed on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contiguous => "contiguous",
            Self::Zigzag => "zigzag",
            Self::Striped => "striped",
        }
    }

    /// The padded length must be a multiple of this.
    pub fn multiple(self, world: WorldSize) -> usize {
        match self {
            Self::Contiguous | Self::Striped => world.get(),
            Self::Zigzag => 2 * world.get(),
        }
    }

    /// `seq_len` rounded up to what this layout can split evenly.
    pub fn padded_len(self, seq_len: usize, world: WorldSize) -> usize {
        seq_len.next_multiple_of(self.multiple(world))
    }

    /// The positions of `rank`, ascending, for a length that [`Layout::padded_len`] returned.
    pub fn positions(self, padded_len: usize, world: WorldSize, rank: Rank) -> Vec<u32> {
        let (w, r) = (world.get(), rank.index());
        let to_u32 = |range: std::ops::Range<usize>| range.map(|p| p as u32);
        match self {
            Self::Contiguous => {
                let c = padded_len / w;
                to_u32(r * c..(r + 1) * c).collect()
            }
            Self::Zigzag => {
                let c = padded_len / (2 * w);
                let mirror = 2 * w - 1 - r;
                to_u32(r * c..(r + 1) * c).chain(to_u32(mirror * c..(mirror + 1) * c)).collect()
            }
            Self::Striped => (r..padded_len).step_by(w).map(|p| p as u32).collect(),
        }
    }

    /// How many consecutive blocks a rank's positions fall into; a tile is decided block by block.
    pub fn blocks_per_rank(self) -> usize {
        match self {
            Self::Contiguous | Self::Striped => 1,
            Self::Zigzag => 2,
        }
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layout: Layout, seq_len: usize, w: usize, expect: &[&[u32]]) {
        let world = WorldSize::new(w).expect("a small world");
        let padded = layout.padded_len(seq_len, world);
        let got: Vec<_> = world.ranks().map(|r| layout.positions(padded, world, r)).collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn contiguous() {
        check(Layout::Contiguous, 8, 2, &[&[0, 1, 2, 3], &[4, 5, 6, 7]]);
        check(Layout::Contiguous, 3, 2, &[&[0, 1], &[2, 3]]);
    }

    #[test]
    fn zigzag() {
        check(Layout::Zigzag, 8, 2, &[&[0, 1, 6, 7], &[2, 3, 4, 5]]);
        check(Layout::Zigzag, 5, 2, &[&[0, 1, 6, 7], &[2, 3, 4, 5]]);
        check(Layout::Zigzag, 5, 1, &[&[0, 1, 2, 3, 4, 5]]);
    }

    #[test]
    fn striped() {
        check(Layout::Striped, 8, 2, &[&[0, 2, 4, 6], &[1, 3, 5, 7]]);
    }

    proptest::proptest! {
        #[test]
        fn the_ranks_partition_the_padded_sequence(seq_len in 1usize..200, w in 1usize..9) {
            let world = WorldSize::new(w).expect("a small world");
            for layout in Layout::ALL {
                let padded = layout.padded_len(seq_len, world);
                let mut all: Vec<u32> =
                    world.ranks().flat_map(|r| layout.positions(padded, world, r)).collect();
                all.sort_unstable();
                proptest::prop_assert_eq!(all, (0..padded as u32).collect::<Vec<_>>());
                let shares: Vec<_> =
                    world.ranks().map(|r| layout.positions(padded, world, r).len()).collect();
                proptest::prop_assert!(shares.iter().all(|&n| n == padded / w));
            }
        }
    }
}
