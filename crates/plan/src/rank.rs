//! Rank and world size as types that cannot be mixed up or be out of range.

use serde::{Deserialize, Serialize};

use crate::{Message, Refusal, message};

/// The most ranks that one run may have.
pub const MAX_WORLD_SIZE: usize = 1024;

/// The number of ranks in a world or a group: at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorldSize(usize);

impl WorldSize {
    /// One rank: the same code with no messages.
    pub const ONE: Self = Self(1);

    /// Checks that `size` lies between 1 and [`MAX_WORLD_SIZE`].
    pub fn new(size: usize) -> Result<Self, Refusal> {
        crate::refusal::require_range("world_size", size, 1, MAX_WORLD_SIZE)?;
        Ok(Self(size))
    }

    /// The number of ranks.
    pub fn get(self) -> usize {
        self.0
    }

    /// Every rank of this world, in order.
    pub fn ranks(self) -> impl DoubleEndedIterator<Item = Rank> + ExactSizeIterator {
        (0..self.0).map(Rank)
    }

    /// `index` as a rank of this world.
    pub fn rank(self, index: usize) -> Result<Rank, Refusal> {
        if index < self.0 {
            return Ok(Rank(index));
        }
        Err(Refusal::new(
            "rank",
            index,
            message!("the world has {world} ranks", world = self.0),
            message!("ranks go from 0 to {last}", last = self.0 - 1),
        ))
    }

    /// The rank `hops` after `rank` on the ring; negative goes back.
    pub fn hop(self, rank: Rank, hops: isize) -> Rank {
        Rank((rank.0 as isize + hops).rem_euclid(self.0 as isize) as usize)
    }
}

/// One rank's number within its world or group, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rank(usize);

impl Rank {
    /// The first rank, which exists in every world.
    pub const ZERO: Self = Self(0);

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0
    }
}

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<WorldSize> for Message {
    fn from(size: WorldSize) -> Self {
        size.get().into()
    }
}

impl std::fmt::Display for WorldSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_wrap_around() {
        let world = WorldSize::new(4).expect("4 is a world size");
        let last = world.rank(3).expect("3 is in a world of 4");
        assert_eq!(world.hop(last, 1), Rank::ZERO);
        assert_eq!(world.hop(Rank::ZERO, -1), last);
        assert_eq!(world.hop(Rank::ZERO, -9), last);
    }

    #[test]
    fn out_of_range_is_refused() {
        assert!(WorldSize::new(0).is_err());
        assert!(WorldSize::new(MAX_WORLD_SIZE + 1).is_err());
        let error = WorldSize::ONE.rank(1).expect_err("a world of 1 has no rank 1");
        assert_eq!(error.field, "rank");
    }
}
