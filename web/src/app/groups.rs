//! The groups' view: a mesh of chosen sizes, and the rank whose groups are lit.

pub mod mesh;

use std::borrow::Cow;

use crate::t;
use plan::event::Axis;
use plan::rank::MAX_WORLD_SIZE;
use plan::{Mesh, Refusal, message};

use crate::app::whole::whole;
use mesh::GroupMesh;

/// One axis as it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the mesh and in refusals.
    pub name: &'static str,
}

impl Entry {
    /// The label beside the input.
    pub fn label(self) -> Cow<'static, str> {
        t!(format!("groups.axes.{}.label", self.name))
    }

    /// What it means.
    pub fn hint(self) -> Cow<'static, str> {
        t!(format!("groups.axes.{}.hint", self.name))
    }
}

/// The axes in the mesh's order; the last varies fastest.
pub const ENTRIES: [Entry; 5] = [
    Entry { name: "dp_replicate" },
    Entry { name: "dp_shard" },
    Entry { name: "ring" },
    Entry { name: "ulysses" },
    Entry { name: "tp" },
];

/// What is entered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// Sizes as typed; `None` follows the run.
    entered: Option<[String; 5]>,
    chosen: Option<String>,
}

/// What the user does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Types the size of an axis.
    Size(usize, String),
    /// Takes sizes that show something.
    Sizes([usize; 5]),
    /// Goes back to the run's own mesh.
    Follow,
    /// Types or chooses a rank.
    Choose(String),
}

impl Groups {
    /// Takes what the user does; `run` is the mesh of the run.
    pub fn apply(&mut self, act: Act, run: Mesh) {
        match act {
            Act::Size(axis, text) => {
                let mut sizes = self.sizes(run);
                if let Some(size) = sizes.get_mut(axis) {
                    *size = text;
                }
                self.entered = Some(sizes);
            }
            Act::Sizes(sizes) => self.entered = Some(sizes.map(|size| size.to_string())),
            Act::Follow => self.entered = None,
            Act::Choose(text) => self.chosen = Some(text),
        }
    }

    /// Whether the mesh is the run's.
    pub fn follows(&self) -> bool {
        self.entered.is_none()
    }

    /// The sizes as they stand in the inputs.
    pub fn sizes(&self, run: Mesh) -> [String; 5] {
        self.entered.clone().unwrap_or_else(|| {
            [run.size(Axis::Dp), 1, run.size(Axis::Ring), run.size(Axis::Ulysses), 1]
                .map(|size| size.to_string())
        })
    }

    /// The mesh that the sizes make, or everything that is wrong with them.
    pub fn mesh(&self, run: Mesh) -> Result<GroupMesh, Vec<Refusal>> {
        let mut sizes = [1; 5];
        let mut refusals = Vec::new();
        for ((entry, text), size) in ENTRIES.iter().zip(self.sizes(run)).zip(&mut sizes) {
            match whole(entry.name, &text, 1, MAX_WORLD_SIZE) {
                Ok(number) => *size = number,
                Err(refusal) => refusals.push(refusal),
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        GroupMesh::of_sizes(sizes).map_err(|_| {
            let product: usize = sizes.iter().product();
            let terms: Vec<String> = sizes.iter().map(usize::to_string).collect();
            vec![Refusal::new(
                "world_size",
                product,
                message!(
                    "{sizes} is more than {most} ranks",
                    sizes = terms.join(" × "),
                    most = MAX_WORLD_SIZE
                ),
                message!("make one of the sizes smaller"),
            )]
        })
    }

    /// The rank as it stands in its input.
    pub fn chosen(&self) -> &str {
        self.chosen.as_deref().unwrap_or("0")
    }

    /// The chosen rank of a world, or what is wrong with it.
    pub fn rank(&self, world: usize) -> Result<usize, Refusal> {
        whole("rank", self.chosen(), 0, world - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{RunConfig, RunPlan, StrategyKind};

    fn run() -> Mesh {
        let config =
            RunConfig { dp: 2, cp: 4, strategy: StrategyKind::Usp, ..RunConfig::default() };
        RunPlan::new(config).expect("a small run").mesh()
    }

    #[test]
    fn it_begins_with_the_runs_mesh() {
        let groups = Groups::default();
        let mesh = groups.mesh(run()).expect("the run's mesh is one");
        assert_eq!(groups.sizes(run()), ["2", "1", "2", "2", "1"]);
        for rank in run().world().ranks() {
            for (kind, axis) in [("dp", Axis::Dp), ("cp", Axis::Cp), ("ring", Axis::Ring)] {
                let kind = mesh.kinds.iter().find(|k| k.name == kind).expect("it is there");
                let members: Vec<usize> =
                    run().group(rank, axis).iter().map(|member| member.index()).collect();
                assert_eq!(mesh.grid.group(rank.index(), &kind.over), members);
            }
        }
    }

    #[test]
    fn what_is_typed_is_a_mesh_or_a_message() {
        let mut groups = Groups::default();
        for (axis, text, field) in [
            (0, "0", "dp_replicate"),
            (1, "-4", "dp_shard"),
            (2, "many", "ring"),
            (3, "", "ulysses"),
            (4, "99999999999999999999999", "tp"),
            (4, "1000", "world_size"),
            (0, "2.5", "dp_replicate"),
        ] {
            groups.apply(Act::Follow, run());
            groups.apply(Act::Size(axis, text.into()), run());
            let refusals = groups.mesh(run()).expect_err(text);
            assert_eq!(refusals.len(), 1, "{refusals:?}");
            assert_eq!(refusals[0].field, field, "{text}");
            assert!(!refusals[0].works.is_empty());
        }
        groups.apply(Act::Sizes([4, 4, 8, 4, 2]), run());
        assert!(!groups.follows());
        assert_eq!(groups.mesh(run()).map(|mesh| mesh.world()), Ok(1024));
    }

    #[test]
    fn a_rank_is_one_of_the_world() {
        let mut groups = Groups::default();
        assert_eq!(groups.rank(8), Ok(0));
        for (text, works) in [("7", true), ("8", false), ("-1", false), ("x", false), ("", false)] {
            groups.apply(Act::Choose(text.into()), run());
            assert_eq!(groups.rank(8).is_ok(), works, "{text}");
        }
    }
}
