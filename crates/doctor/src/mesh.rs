//! The device mesh that accelerate builds from the sizes, and each rank's groups in it.

use plan::{Grid, Message, message};
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

use crate::ordered::Ordered;
use crate::setup::{Axis, Kind, Parallelism, Setup, Sizes};

/// Groups that accelerate flattens out of axes.
const FLATTENED: [(&str, &[Axis]); 3] = [
    ("dp", &[Axis::DpReplicate, Axis::DpShard]),
    ("dp_shard_cp", &[Axis::DpShard, Axis::Cp]),
    ("dp_cp", &[Axis::DpReplicate, Axis::DpShard, Axis::Cp]),
];

/// The mesh that results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// Sizes above 1, in the mesh's order.
    pub axes: Ordered<u64>,
    /// Groups that span several axes, and their sizes.
    pub flattened: Ordered<u64>,
    /// Ranks in all.
    pub world_size: u64,
    /// The axes as a grid, [`Axis::ALL`]'s place by place; `None` where there are too many ranks
    /// to list or the sizes do not fit.
    pub grid: Option<Grid<5>>,
    /// Why two groups of the same ranks both have a name, where there are such.
    pub same: Option<Message>,
    /// What else there is to say.
    pub note: Option<Message>,
}

/// One rank's place and groups.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct MeshRank {
    /// The rank within the world.
    pub rank: usize,
    /// Its place by axis.
    pub coordinate: Ordered<usize>,
    /// The ranks of its group by axis, itself included.
    pub groups: Ordered<Vec<usize>>,
}

impl Mesh {
    /// Every rank with its groups, one after the other; none without a grid.
    ///
    /// A mesh holds none of them: a thousand ranks have a million members in their groups.
    pub fn ranks(&self) -> impl ExactSizeIterator<Item = MeshRank> + '_ {
        let world = self.grid.map_or(0, |grid| grid.world().get());
        (0..world).map(|rank| self.place(rank))
    }

    /// Groups by name with the axes that they span: single axes first, then the flattened ones.
    pub fn kinds(&self) -> Vec<(&'static str, Vec<usize>)> {
        let axes = self.spread();
        let singles = axes.iter().map(|&axis| (axis.name(), vec![axis as usize]));
        let several = flattened(&axes)
            .map(|(name, over)| (name, over.into_iter().map(|axis| axis as usize).collect()));
        singles.chain(several).collect()
    }

    fn spread(&self) -> Vec<Axis> {
        Axis::ALL.into_iter().filter(|axis| self.axes.get(axis.name()).is_some()).collect()
    }

    fn place(&self, rank: usize) -> MeshRank {
        let Some(grid) = self.grid else {
            return MeshRank { rank, coordinate: Ordered::default(), groups: Ordered::default() };
        };
        let along = |axis: &Axis| (axis.name(), grid.coordinate(rank, *axis as usize));
        MeshRank {
            rank,
            coordinate: self.spread().iter().map(along).collect(),
            groups: self
                .kinds()
                .into_iter()
                .map(|(name, over)| (name, grid.group(rank, &over)))
                .collect(),
        }
    }
}

impl Serialize for Mesh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let more = usize::from(self.same.is_some()) + usize::from(self.note.is_some());
        let mut mesh = serializer.serialize_struct("Mesh", 4 + more)?;
        mesh.serialize_field("axes", &self.axes)?;
        mesh.serialize_field("flattened", &self.flattened)?;
        mesh.serialize_field("world_size", &self.world_size)?;
        mesh.serialize_field("ranks", &Ranks(self))?;
        if let Some(same) = &self.same {
            mesh.serialize_field("same", same)?;
        }
        if let Some(note) = &self.note {
            mesh.serialize_field("note", note)?;
        }
        mesh.end()
    }
}

/// The ranks as they are printed.
struct Ranks<'a>(&'a Mesh);

impl Serialize for Ranks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ranks = self.0.ranks();
        let mut list = serializer.serialize_seq(Some(ranks.len()))?;
        for rank in ranks {
            list.serialize_element(&rank)?;
        }
        list.end()
    }
}

/// The mesh of a run; `None` where too little is known.
pub fn mesh(setup: &Setup) -> Option<Mesh> {
    let sizes = effective(setup)?;
    let world_size = sizes.product();
    let note = note(setup, world_size);
    let axes: Vec<Axis> = Axis::ALL.into_iter().filter(|&axis| sizes.get(axis) > 1).collect();
    let grid = if note.is_none() { grid(&sizes) } else { None };
    let many =
        || grid.is_none().then(|| message!("{world_size} ranks are too many to list", world_size));
    Some(Mesh {
        axes: axes.iter().map(|&axis| (axis.name(), sizes.get(axis))).collect(),
        flattened: flattened(&axes)
            .map(|(name, over)| (name, over.iter().map(|&axis| sizes.get(axis)).product()))
            .collect(),
        world_size,
        same: same(&axes),
        note: note.or_else(many),
        grid,
    })
}

/// The sizes as a grid, unless it would be larger than any that can be listed.
fn grid(sizes: &Sizes) -> Option<Grid<5>> {
    let size = |axis| usize::try_from(sizes.get(axis)).unwrap_or(usize::MAX);
    Grid::new(Axis::ALL.map(|axis| (axis.name(), size(axis)))).ok()
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

fn note(setup: &Setup, world_size: u64) -> Option<Message> {
    let processes = setup.processes.filter(|&processes| processes != world_size)?;
    Some(message!(
        "the sizes give {world_size} ranks and num_processes is {processes}",
        world_size,
        processes
    ))
}

/// Without replicas FSDP's group has the same ranks as the loss's.
fn same(axes: &[Axis]) -> Option<Message> {
    let over = |name: &str| flattened(axes).find(|(known, _)| *known == name).map(|(_, over)| over);
    let both =
        over("dp_shard_cp").is_some_and(|ranks| ranks.len() > 1 && over("dp_cp") == Some(ranks));
    both.then(|| {
        message!(
            "dp_shard_cp and dp_cp have the same ranks here: over the first FSDP shards the model, over \
             the second the loss is averaged."
        )
    })
}

fn flattened(axes: &[Axis]) -> impl Iterator<Item = (&'static str, Vec<Axis>)> {
    FLATTENED.into_iter().filter_map(|(name, over)| {
        let there: Vec<Axis> = over.iter().copied().filter(|axis| axes.contains(axis)).collect();
        (!there.is_empty()).then_some((name, there))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_2_x_2_x_4() {
        let sizes = Sizes { dp_replicate: 2, dp_shard: 2, cp: 4, sp: 1, tp: 1 };
        let axes = [("dp_replicate", 2), ("dp_shard", 2), ("cp", 4)];
        let mesh = Mesh {
            axes: axes.into_iter().collect(),
            flattened: Ordered::default(),
            world_size: 16,
            grid: grid(&sizes),
            same: None,
            note: None,
        };
        let five = mesh.ranks().nth(5).expect("there are 16");
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
