//! The device mesh that accelerate builds from the sizes, and each rank's groups in it.

use serde::Serialize;

use crate::ordered::Ordered;
use crate::setup::{Axis, Kind, Parallelism, Setup, Sizes};

/// The most ranks that are listed.
pub const MAX_LISTED: u64 = 1024;

/// Groups that accelerate flattens out of axes.
const FLATTENED: [(&str, &[Axis]); 3] = [
    ("dp", &[Axis::DpReplicate, Axis::DpShard]),
    ("dp_shard_cp", &[Axis::DpShard, Axis::Cp]),
    ("dp_cp", &[Axis::DpReplicate, Axis::DpShard, Axis::Cp]),
];

/// The mesh that results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mesh {
    /// Sizes above 1, in the mesh's order.
    pub axes: Ordered<u64>,
    /// Groups that span several axes, and their sizes.
    pub flattened: Ordered<u64>,
    /// Ranks in all.
    pub world_size: u64,
    /// Every rank, unless there are too many or the sizes do not fit.
    pub ranks: Vec<MeshRank>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One rank's place and groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeshRank {
    /// The rank within the world.
    pub rank: u64,
    /// Its place by axis.
    pub coordinate: Ordered<u64>,
    /// The ranks of its group by axis, itself included.
    pub groups: Ordered<Vec<u64>>,
}

/// The mesh of a run; `None` where too little is known.
pub fn mesh(setup: &Setup) -> Option<Mesh> {
    let sizes = effective(setup)?;
    let world_size = sizes.product();
    let note = note(setup, world_size);
    let axes: Vec<Axis> = Axis::ALL.into_iter().filter(|&axis| sizes.get(axis) > 1).collect();
    let fits = note.is_none() && world_size <= MAX_LISTED;
    let ranks = if fits {
        (0..world_size).map(|rank| place(rank, &sizes, &axes)).collect()
    } else {
        vec![]
    };
    let many =
        || (world_size > MAX_LISTED).then(|| format!("{world_size} ranks are too many to list"));
    Some(Mesh {
        axes: axes.iter().map(|&axis| (axis.name(), sizes.get(axis))).collect(),
        flattened: flattened(&axes)
            .map(|(name, over)| (name, over.iter().map(|&axis| sizes.get(axis)).product()))
            .collect(),
        world_size,
        ranks,
        note: note.or_else(many),
    })
}

/// The sizes that take effect.
fn effective(setup: &Setup) -> Option<Sizes> {
    let sizes = match setup.parallelism {
        Parallelism::On => setup.asked,
        Parallelism::Unasked | Parallelism::Ignored(_) | Parallelism::Unsupported => Sizes::ONES,
    };
    if sizes.product() > 1 {
        return Some(sizes);
    }
    let processes = setup.processes?;
    let mut sizes = Sizes::ONES;
    let sharded = matches!(setup.kind, Kind::Fsdp(_));
    sizes.set(if sharded { Axis::DpShard } else { Axis::DpReplicate }, processes);
    Some(sizes)
}

fn note(setup: &Setup, world_size: u64) -> Option<String> {
    let processes = setup.processes.filter(|&processes| processes != world_size)?;
    Some(format!("the sizes give {world_size} ranks and num_processes is {processes}"))
}

fn flattened(axes: &[Axis]) -> impl Iterator<Item = (&'static str, Vec<Axis>)> {
    FLATTENED.into_iter().filter_map(|(name, over)| {
        let there: Vec<Axis> = over.iter().copied().filter(|axis| axes.contains(axis)).collect();
        (!there.is_empty()).then_some((name, there))
    })
}

fn place(rank: u64, sizes: &Sizes, axes: &[Axis]) -> MeshRank {
    let coordinate = axes.iter().map(|&axis| (axis.name(), along(rank, sizes, axis))).collect();
    let singles = axes.iter().map(|&axis| (axis.name(), vec![axis]));
    let groups = singles
        .chain(flattened(axes))
        .map(|(name, over)| (name, group(rank, sizes, axes, &over)))
        .collect();
    MeshRank { rank, coordinate, groups }
}

/// The distance in ranks between neighbours along an axis: the product of the axes after it.
fn stride(sizes: &Sizes, axis: Axis) -> u64 {
    Axis::ALL.into_iter().filter(|&after| after > axis).map(|after| sizes.get(after)).product()
}

fn along(rank: u64, sizes: &Sizes, axis: Axis) -> u64 {
    rank / stride(sizes, axis) % sizes.get(axis)
}

/// The ranks that differ from `rank` along `over` alone, in order.
fn group(rank: u64, sizes: &Sizes, axes: &[Axis], over: &[Axis]) -> Vec<u64> {
    let mut members = vec![rank];
    for &axis in axes.iter().filter(|axis| over.contains(axis)) {
        let step = stride(sizes, axis);
        members = members
            .into_iter()
            .flat_map(|member| {
                let first = member - along(member, sizes, axis) * step;
                (0..sizes.get(axis)).map(move |place| first + place * step)
            })
            .collect();
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_2_x_2_x_4() {
        let sizes = Sizes { dp_replicate: 2, dp_shard: 2, cp: 4, sp: 1, tp: 1 };
        let axes = [Axis::DpReplicate, Axis::DpShard, Axis::Cp];
        let five = place(5, &sizes, &axes);
        assert_eq!(five.coordinate.get("dp_shard"), Some(&1));
        assert_eq!(five.coordinate.get("cp"), Some(&1));
        assert_eq!(five.groups.get("cp"), Some(&vec![4, 5, 6, 7]));
        assert_eq!(five.groups.get("dp_shard"), Some(&vec![1, 5]));
        assert_eq!(five.groups.get("dp_replicate"), Some(&vec![5, 13]));
        assert_eq!(five.groups.get("dp"), Some(&vec![1, 5, 9, 13]));
        assert_eq!(five.groups.get("dp_shard_cp"), Some(&(0..8).collect()));
        assert_eq!(five.groups.get("dp_cp"), Some(&(0..16).collect()));
    }
}
