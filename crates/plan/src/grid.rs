//! Named axes and the ranks along them: the arithmetic of every device mesh.

use crate::rank::MAX_WORLD_SIZE;
use crate::refusal::require_range;
use crate::{Refusal, WorldSize};

/// `N` named axes; every combination of places along them is one rank.
///
/// The last axis varies fastest: a rank's number is its places read as digits, so neighbours by
/// number are neighbours along the last axis. torch's `DeviceMesh` counts in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid<const N: usize> {
    axes: [(&'static str, usize); N],
    world: WorldSize,
}

impl<const N: usize> Grid<N> {
    /// A grid of axes with their names and sizes; at most [`MAX_WORLD_SIZE`] ranks in all.
    pub fn new(axes: [(&'static str, usize); N]) -> Result<Self, Refusal> {
        for (name, size) in axes {
            require_range(name, size, 1, MAX_WORLD_SIZE)?;
        }
        let ranks = axes.iter().fold(1usize, |product, (_, size)| product.saturating_mul(*size));
        Ok(Self { axes, world: WorldSize::new(ranks)? })
    }

    /// All ranks.
    pub fn world(&self) -> WorldSize {
        self.world
    }

    /// The axis' name.
    pub fn name(&self, axis: usize) -> &'static str {
        self.axes[axis].0
    }

    /// Ranks along an axis.
    pub fn size(&self, axis: usize) -> usize {
        self.axes[axis].1
    }

    /// The product of several axes' sizes.
    pub fn size_over(&self, over: &[usize]) -> usize {
        over.iter().map(|&axis| self.size(axis)).product()
    }

    /// `rank`'s place along an axis, from 0.
    pub fn coordinate(&self, rank: usize, axis: usize) -> usize {
        rank / self.stride(axis) % self.size(axis)
    }

    /// `rank`'s place along several axes laid end to end, from 0; the last varies fastest.
    pub fn coordinate_over(&self, rank: usize, over: &[usize]) -> usize {
        over.iter().fold(0, |place, &axis| place * self.size(axis) + self.coordinate(rank, axis))
    }

    /// The ranks that differ from `rank` along `over` alone, itself included, in order; `over`
    /// names axes in the grid's order.
    pub fn group(&self, rank: usize, over: &[usize]) -> Vec<usize> {
        let mut members = vec![rank];
        for &axis in over {
            let step = self.stride(axis);
            members = members
                .into_iter()
                .flat_map(|member| {
                    let first = member - self.coordinate(member, axis) * step;
                    (0..self.size(axis)).map(move |place| first + place * step)
                })
                .collect();
        }
        members
    }

    /// The distance in ranks between neighbours along an axis: the product of the axes after it.
    fn stride(&self, axis: usize) -> usize {
        self.axes[axis + 1..].iter().map(|(_, size)| size).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(sizes: [usize; 3]) -> Grid<3> {
        Grid::new([("a", sizes[0]), ("b", sizes[1]), ("c", sizes[2])]).expect("a small grid")
    }

    #[test]
    fn groups_of_2_x_2_x_4() {
        let grid = grid([2, 2, 4]);
        assert_eq!(
            (grid.coordinate(5, 0), grid.coordinate(5, 1), grid.coordinate(5, 2)),
            (0, 1, 1)
        );
        assert_eq!(grid.group(5, &[2]), [4, 5, 6, 7]);
        assert_eq!(grid.group(5, &[1]), [1, 5]);
        assert_eq!(grid.group(5, &[0]), [5, 13]);
        assert_eq!(grid.group(5, &[0, 1]), [1, 5, 9, 13]);
        assert_eq!(grid.coordinate_over(13, &[0, 1]), 3);
    }

    #[test]
    fn what_is_no_grid_names_its_axis() {
        let refused = |sizes: [usize; 2]| {
            Grid::new([("dp", sizes[0]), ("cp", sizes[1])]).expect_err("it is none").field
        };
        assert_eq!(refused([0, 4]), "dp");
        assert_eq!(refused([4, 2000]), "cp");
        assert_eq!(refused([64, 32]), "world_size");
        assert_eq!(refused([1024, usize::MAX]), "cp");
    }

    proptest! {
        #[test]
        fn a_group_holds_its_rank_at_its_place(
            sizes in [1usize..6, 1..6, 1..6],
            rank in 0usize..216,
            over in prop::sample::subsequence(vec![0, 1, 2], 0..=3),
        ) {
            let grid = grid(sizes);
            let rank = rank % grid.world().get();
            let group = grid.group(rank, &over);
            prop_assert_eq!(group.len(), grid.size_over(&over));
            prop_assert!(group.is_sorted());
            prop_assert_eq!(group[grid.coordinate_over(rank, &over)], rank);
            for &member in &group {
                prop_assert_eq!(&grid.group(member, &over), &group);
            }
        }
    }
}
