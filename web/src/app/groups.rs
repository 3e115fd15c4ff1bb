//! The groups' view: a mesh of chosen sizes, and the rank whose groups are lit.

use plan::event::Axis;
use plan::rank::MAX_WORLD_SIZE;
use plan::{Grid, Mesh, Refusal};

/// One axis as it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the mesh and in refusals.
    pub name: &'static str,
    /// The label beside the input.
    pub label: &'static str,
    /// What it means.
    pub hint: &'static str,
}

const fn entry(name: &'static str, label: &'static str, hint: &'static str) -> Entry {
    Entry { name, label, hint }
}

/// The axes in the mesh's order; the last varies fastest.
pub const ENTRIES: [Entry; 5] = [
    entry("dp_replicate", "Replicas", "dp_replicate: whole copies"),
    entry("dp_shard", "Shards", "dp_shard: parameters split"),
    entry("ring", "Ring", "cp: keys and values travel"),
    entry("ulysses", "Ulysses", "cp: heads are exchanged"),
    entry("tp", "Tensor", "tp: matrices split"),
];

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

    /// What its ranks do together.
    pub fn does(self) -> &'static str {
        match self {
            Self::Dp => "sum their gradients",
            Self::Cp => "share a sequence",
            Self::Sp => "share a sequence by its heads",
            Self::Tp => "share each matrix",
        }
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
        Ok(Self { grid, kinds })
    }

    /// accelerate's mesh, as the doctor reports it; `None` where its ranks cannot be listed.
    pub fn of_doctor(mesh: &doctor::Mesh) -> Option<Self> {
        let named = mesh.kinds();
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
        kinds.sort_by_key(|kind| (kind.hue.is_none(), kind.hue));
        Some(Self { grid: mesh.grid?, kinds })
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
        if places.is_empty() { "the only one".to_owned() } else { places.join(", ") }
    }
}

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
                format!("{} is more than {MAX_WORLD_SIZE} ranks", terms.join(" × ")),
                "make one of the sizes smaller",
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

/// The whole number in `text`, within both ends.
pub fn whole(field: &str, text: &str, low: usize, high: usize) -> Result<usize, Refusal> {
    let works = format!("try a number from {low} to {high}");
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let shown = if text.is_empty() { "empty".to_owned() } else { brief(text) };
        return Err(Refusal::new(field, shown, "it is not a whole number", works));
    }
    match text.parse::<usize>() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        Ok(_) | Err(_) => {
            let why = format!("it must lie between {low} and {high}");
            Err(Refusal::new(field, brief(text), why, works))
        }
    }
}

/// Enough of what was typed to recognise it by.
fn brief(text: &str) -> String {
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
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
