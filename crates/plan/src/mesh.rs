//! Which ranks belong together: the device mesh and the groups along its axes.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::event::Axis;
use crate::grid::Grid;
use crate::{Rank, Refusal, Strategy, WorldSize};

/// dp x cp ranks, cp itself being ring x ulysses; the last axis varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    grid: Grid<3>,
}

impl Mesh {
    /// A mesh of `dp` replicas of a context-parallel group that `strategy` shares out.
    pub fn new(dp: usize, strategy: Strategy) -> Result<Self, Refusal> {
        let grid =
            Grid::new([("dp", dp), ("ring", strategy.ring()), ("ulysses", strategy.ulysses())])?;
        Ok(Self { grid })
    }

    /// All ranks.
    pub fn world(&self) -> WorldSize {
        self.grid.world()
    }

    /// The size of an axis.
    pub fn size(&self, axis: Axis) -> usize {
        self.grid.size_over(over(axis))
    }

    /// `rank`'s place along an axis, from 0.
    pub fn coordinate(&self, rank: Rank, axis: Axis) -> usize {
        self.grid.coordinate_over(rank.index(), over(axis))
    }

    /// The ranks that differ from `rank` along `axis` alone, itself included, in order.
    pub fn group(&self, rank: Rank, axis: Axis) -> Vec<Rank> {
        let members = self.grid.group(rank.index(), over(axis));
        members.into_iter().filter_map(|member| self.world().rank(member).ok()).collect()
    }

    /// What `inspect mesh` prints; ring and ulysses appear only where cp is split in two.
    pub fn view(&self) -> MeshView {
        let mut axes = vec![Axis::Dp, Axis::Cp];
        if self.size(Axis::Ring) > 1 && self.size(Axis::Ulysses) > 1 {
            axes.extend([Axis::Ring, Axis::Ulysses]);
        }
        let by_axis = |f: &dyn Fn(Axis) -> usize| {
            axes.iter().map(|&a| (a.name().to_owned(), f(a))).collect::<BTreeMap<_, _>>()
        };
        let ranks = self
            .world()
            .ranks()
            .map(|rank| MeshRank {
                rank: rank.index(),
                coordinate: by_axis(&|a| self.coordinate(rank, a)),
                groups: axes
                    .iter()
                    .map(|&a| {
                        let group = self.group(rank, a).iter().map(|r| r.index()).collect();
                        (a.name().to_owned(), group)
                    })
                    .collect(),
            })
            .collect();
        MeshView { axes: by_axis(&|a| self.size(a)), ranks }
    }
}

/// The grid's axes that an axis of the run spans.
fn over(axis: Axis) -> &'static [usize] {
    match axis {
        Axis::World => &[0, 1, 2],
        Axis::Dp => &[0],
        Axis::Cp => &[1, 2],
        Axis::Ring => &[1],
        Axis::Ulysses => &[2],
    }
}

/// What `inspect mesh` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeshView {
    /// Size by axis.
    pub axes: BTreeMap<String, usize>,
    /// Every rank of the world.
    pub ranks: Vec<MeshRank>,
}

/// One rank's place in the mesh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeshRank {
    /// The rank within the world.
    pub rank: usize,
    /// Its place by axis.
    pub coordinate: BTreeMap<String, usize>,
    /// The ranks of its group by axis, itself included.
    pub groups: BTreeMap<String, Vec<usize>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StrategyKind;

    fn mesh(dp: usize, cp: usize, ulysses: usize) -> Mesh {
        let cp = WorldSize::new(cp).expect("a small world");
        let strategy =
            Strategy::new(StrategyKind::Usp, cp, 8, 8, Some(ulysses)).expect("8 heads fit");
        Mesh::new(dp, strategy).expect("a small mesh")
    }

    #[test]
    fn groups_of_dp_2_cp_4() {
        let view = mesh(2, 4, 1).view();
        assert_eq!(view.axes, BTreeMap::from([("dp".into(), 2), ("cp".into(), 4)]));
        let five = &view.ranks[5];
        assert_eq!(five.coordinate["dp"], 1);
        assert_eq!(five.coordinate["cp"], 1);
        assert_eq!(five.groups["cp"], [4, 5, 6, 7]);
        assert_eq!(five.groups["dp"], [1, 5]);
    }

    #[test]
    fn ulysses_neighbours_are_neighbours_by_number() {
        let mesh = mesh(1, 4, 2);
        let rank = mesh.world().rank(2).expect("2 < 4");
        let group = |axis| mesh.group(rank, axis).iter().map(|r| r.index()).collect::<Vec<_>>();
        assert_eq!(group(Axis::Ulysses), [2, 3]);
        assert_eq!(group(Axis::Ring), [0, 2]);
    }

    #[test]
    fn every_group_holds_its_own_rank_and_has_the_axis_size() {
        let mesh = mesh(2, 8, 2);
        for rank in mesh.world().ranks() {
            for axis in Axis::ALL {
                let group = mesh.group(rank, axis);
                assert_eq!(group.len(), mesh.size(axis));
                assert_eq!(group[mesh.coordinate(rank, axis)], rank);
            }
        }
    }
}
