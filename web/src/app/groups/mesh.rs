//! A mesh with the kinds of groups that its ranks form, Ringside's own or accelerate's.

use std::borrow::Cow;

use crate::t;
use plan::{Grid, Refusal};

use super::ENTRIES;
use crate::app::format;
use crate::app::order::sort_by_key;
use crate::diagnosis::report::{self, AXES, FLATTENED};

/// What ranks have in common, told apart by hue, pattern and word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hue {
    /// Data parallel: other sequences.
    Dp,
    /// Context parallel: slices of the same sequences.
    Cp,
    /// Sequence parallel by DeepSpeed.
    Sp,
    /// Tensor parallel: slices of the same matrices.
    Tp,
}

impl Hue {
    /// Every hue.
    pub const ALL: [Self; 4] = [Self::Dp, Self::Cp, Self::Sp, Self::Tp];

    /// Its name, and its class in the drawing.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dp => "dp",
            Self::Cp => "cp",
            Self::Sp => "sp",
            Self::Tp => "tp",
        }
    }

    /// What its ranks do together, behind the name of a group that has this hue.
    pub fn does(self, group: &str) -> Cow<'static, str> {
        t!(format!("mesh_grid.key.{}", self.name()), group = group)
    }
}

/// One kind of group: the axes that it spans, and whether it is lit in the drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The grid's axes.
    pub over: Vec<usize>,
    /// How it is lit; kinds that lie within or across others are only named.
    pub hue: Option<Hue>,
}

/// Ranks in a group of dp, and in one of cp.
fn lit_sizes(grid: &Grid<5>, kinds: &[Kind]) -> [usize; 2] {
    [Hue::Dp, Hue::Cp].map(|hue| {
        let over = kinds.iter().filter(|kind| kind.hue == Some(hue)).flat_map(|kind| &kind.over);
        over.map(|&axis| grid.size(axis)).product()
    })
}

/// A mesh with the kinds of groups that its ranks form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMesh {
    /// The mesh.
    pub grid: Grid<5>,
    /// Its kinds of groups.
    pub kinds: Vec<Kind>,
}

impl GroupMesh {
    /// Ringside's mesh: dp is replicas x shards, cp is ring x Ulysses.
    pub fn of_sizes(sizes: [usize; 5]) -> Result<Self, Refusal> {
        let mut at = 0;
        let grid = Grid::new(ENTRIES.map(|entry| {
            at += 1;
            (entry.name, sizes[at - 1])
        }))?;
        let lit = |hue: Hue, over: &[usize]| Kind {
            name: hue.name(),
            over: over.to_vec(),
            hue: Some(hue),
        };
        let mut kinds = vec![lit(Hue::Dp, &[0, 1]), lit(Hue::Cp, &[2, 3]), lit(Hue::Tp, &[4])];
        for pair in [[0, 1], [2, 3]] {
            if pair.iter().all(|&axis| grid.size(axis) > 1) {
                kinds.extend(pair.map(|axis| Kind {
                    name: grid.name(axis),
                    over: vec![axis],
                    hue: None,
                }));
            }
        }
        if lit_sizes(&grid, &kinds).iter().all(|&size| size > 1) {
            // Where a sequence is shared, its ranks have gradients to sum as replicas have.
            kinds.push(Kind { name: "dp_cp", over: vec![0, 1, 2, 3], hue: None });
        }
        Ok(Self { grid, kinds })
    }

    /// accelerate's mesh, as the doctor reports it; `None` where its ranks cannot be listed.
    pub fn of_doctor(mesh: &report::Mesh) -> Option<Self> {
        let known = |name: &str| AXES.into_iter().chain(FLATTENED).find(|&known| known == name);
        let named = mesh.kinds.iter().filter_map(|(name, over)| Some((known(name)?, over.clone())));
        let named: Vec<(&'static str, Vec<usize>)> = named.collect();
        let mut axes = AXES.into_iter();
        let sizes = mesh.sizes?.map(|size| (axes.next().unwrap_or_default(), size));
        let has_dp = named.iter().any(|(name, _)| *name == "dp");
        let hue = |name: &str| match name {
            "dp" => Some(Hue::Dp),
            "dp_replicate" | "dp_shard" if !has_dp => Some(Hue::Dp),
            "cp" => Some(Hue::Cp),
            "sp" => Some(Hue::Sp),
            "tp" => Some(Hue::Tp),
            _ => None,
        };
        let mut kinds: Vec<Kind> =
            named.into_iter().map(|(name, over)| Kind { name, hue: hue(name), over }).collect();
        // A group that is the same as another is told once, under the name that is lit.
        let lit: Vec<Vec<usize>> =
            kinds.iter().filter(|kind| kind.hue.is_some()).map(|kind| kind.over.clone()).collect();
        kinds.retain(|kind| kind.hue.is_some() || !lit.contains(&kind.over));
        sort_by_key(&mut kinds, |kind| kind.hue.map_or(u64::MAX, |hue| hue as u64));
        Some(Self { grid: Grid::new(sizes).ok()?, kinds })
    }

    /// Ranks in all.
    pub fn world(&self) -> usize {
        self.grid.world().get()
    }

    /// The kinds that are lit, each with the other ranks of `rank`'s group.
    pub fn lit(&self, rank: usize) -> Vec<(Hue, Vec<usize>)> {
        self.kinds.iter().filter_map(|kind| Some((kind.hue?, self.peers(rank, kind)))).collect()
    }

    /// The other ranks of `rank`'s group of a kind.
    pub fn peers(&self, rank: usize, kind: &Kind) -> Vec<usize> {
        let mut members = self.grid.group(rank, &kind.over);
        members.retain(|&member| member != rank);
        members
    }

    /// `rank`'s place, axis by axis: `dp_shard 1, ring 2`; axes of one rank are left out.
    pub fn place(&self, rank: usize) -> String {
        let places: Vec<String> = (0..ENTRIES.len())
            .filter(|&axis| self.grid.size(axis) > 1)
            .map(|axis| format!("{} {}", self.grid.name(axis), self.grid.coordinate(rank, axis)))
            .collect();
        if places.is_empty() { t!("groups.only").into_owned() } else { format::listed(places) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerates_mesh_has_the_groups_that_the_doctor_names() {
        let kind = |name: &str, over: &[usize]| (name.to_owned(), over.to_vec());
        let mesh = GroupMesh::of_doctor(&report::Mesh {
            axes: vec![("dp_shard".into(), 4), ("cp".into(), 2)],
            world_size: 8,
            sizes: Some([1, 4, 2, 1, 1]),
            kinds: vec![
                kind("dp_shard", &[1]),
                kind("cp", &[2]),
                kind("dp", &[1]),
                kind("dp_shard_cp", &[1, 2]),
                kind("dp_cp", &[1, 2]),
            ],
            note: None,
        })
        .expect("eight ranks can be listed");
        assert_eq!((mesh.world(), mesh.place(5)), (8, "dp_shard 2, cp 1".to_owned()));
        assert_eq!(mesh.lit(5), [(Hue::Dp, vec![1, 3, 7]), (Hue::Cp, vec![4])]);
        let names: Vec<&str> = mesh.kinds.iter().map(|kind| kind.name).collect();
        assert_eq!(names, ["dp", "cp", "dp_shard_cp", "dp_cp"]);
    }

    #[test]
    fn a_lit_rank_is_in_one_group_alone() {
        let mesh = GroupMesh::of_sizes([2, 2, 4, 2, 2]).expect("64 ranks");
        let mut seen = vec![0; mesh.world()];
        for (_, peers) in mesh.lit(37) {
            peers.iter().for_each(|&peer| seen[peer] += 1);
        }
        assert!(seen.iter().all(|&count| count <= 1));
        assert_eq!(seen.iter().sum::<i32>(), 3 + 7 + 1);
        assert_eq!(mesh.place(37), "dp_replicate 1, dp_shard 0, ring 1, ulysses 0, tp 1");
    }
}
