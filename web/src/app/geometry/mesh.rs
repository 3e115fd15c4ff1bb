//! Where each rank of a mesh is drawn: axes run across or down, a long one in lines.

use plan::Grid;

/// Side of a rank's cell, in the drawing's own units.
pub const CELL: f64 = 40.0;
/// Space between cells; each further axis in the same direction adds as much again.
const GAP: f64 = 4.0;
/// Width over height that the drawing likes best.
const ASPECT: f64 = 1.5;
/// Longer axes may be folded into lines.
const LONG: usize = 16;

/// A way to move from rank to rank in the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

/// The drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshLayout {
    /// Width in units.
    pub width: f64,
    /// Height in units.
    pub height: f64,
    /// Upper left corner of each rank's cell.
    pub cells: Vec<(f64, f64)>,
}

/// How an axis runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    Across,
    Down,
    Folded,
}

const RUNS: [Run; 3] = [Run::Across, Run::Down, Run::Folded];

/// The drawing of a mesh: the one among all ways to lay its axes that comes nearest to its
/// favourite shape; folding an axis counts against it, and so does an outer axis across an inner.
pub fn layout<const N: usize>(grid: &Grid<N>) -> MeshLayout {
    let axes: Vec<usize> = (0..N).filter(|&axis| grid.size(axis) > 1).collect();
    let ways = RUNS.len().pow(axes.len() as u32);
    let best = (0..ways)
        .filter_map(|way| {
            let runs = runs(way, axes.len());
            let folds = axes
                .iter()
                .zip(&runs)
                .any(|(&axis, &run)| run == Run::Folded && grid.size(axis) <= LONG);
            (!folds).then(|| Plan::new(grid, &axes, &runs))
        })
        .min_by(|one, other| one.cost().total_cmp(&other.cost()));
    // With no axis there is one way, and it folds nothing.
    best.unwrap_or_default().layout(grid)
}

impl MeshLayout {
    /// The rank whose cell holds a point.
    pub fn hit(&self, x: f64, y: f64) -> Option<usize> {
        let inside = |at: f64, start: f64| (start..start + CELL).contains(&at);
        self.cells.iter().position(|&(left, top)| inside(x, left) && inside(y, top))
    }

    /// The rank that a move leads to; at the edge it stays.
    pub fn step(&self, rank: usize, towards: Move) -> usize {
        let Some(&(x, y)) = self.cells.get(rank) else { return 0 };
        let ahead = |&(left, top): &(f64, f64)| match towards {
            Move::Left if top == y => x - left,
            Move::Right if top == y => left - x,
            Move::Up if left == x => y - top,
            Move::Down if left == x => top - y,
            _ => 0.0,
        };
        let nearest = self
            .cells
            .iter()
            .enumerate()
            .map(|(rank, cell)| (rank, ahead(cell)))
            .filter(|(_, distance)| *distance > 0.0)
            .min_by(|(_, one), (_, other)| one.total_cmp(other));
        nearest.map_or(rank, |(rank, _)| rank)
    }

    /// The cells of some ranks as one path.
    pub fn path(&self, ranks: impl IntoIterator<Item = usize>) -> String {
        use std::fmt::Write;
        let mut path = String::new();
        for rank in ranks {
            if let Some((x, y)) = self.cells.get(rank) {
                // Writing to a string does not fail.
                let _ = write!(path, "M{x:.0} {y:.0}h{CELL}v{CELL}h-{CELL}z");
            }
        }
        path
    }
}

fn runs(way: usize, axes: usize) -> Vec<Run> {
    (0..axes).map(|axis| RUNS[way / RUNS.len().pow(axis as u32) % RUNS.len()]).collect()
}

/// An axis with its steps: `across` per place within a line, `down` per line.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Along {
    axis: usize,
    line: usize,
    across: f64,
    down: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Plan {
    alongs: Vec<Along>,
    width: f64,
    height: f64,
    disorder: f64,
}

impl Plan {
    fn new<const N: usize>(grid: &Grid<N>, axes: &[usize], runs: &[Run]) -> Self {
        let mut plan = Self { alongs: vec![], width: CELL, height: CELL, disorder: 0.0 };
        let (mut across, mut down) = (0.0, 0.0);
        let mut inner = None;
        for (&axis, &run) in axes.iter().zip(runs).rev() {
            let size = grid.size(axis);
            let line = match run {
                Run::Across => size,
                Run::Down => 1,
                Run::Folded => side(size),
            };
            let lines = size.div_ceil(line);
            // The further out an axis lies, the wider its gaps.
            across += if line > 1 { GAP } else { 0.0 };
            down += if lines > 1 { GAP } else { 0.0 };
            let along = Along { axis, line, across: plan.width + across, down: plan.height + down };
            plan.width += along.across * (line - 1) as f64;
            plan.height += along.down * (lines - 1) as f64;
            plan.alongs.push(along);
            plan.disorder += match (run, inner) {
                (Run::Folded, _) => 0.9,
                (Run::Down, None) => 0.3,
                _ => 0.0,
            };
            inner = Some(run);
        }
        plan
    }

    fn cost(&self) -> f64 {
        (self.width / self.height / ASPECT).ln().abs() + self.disorder
    }

    fn layout<const N: usize>(&self, grid: &Grid<N>) -> MeshLayout {
        let cells = (0..grid.world().get())
            .map(|rank| {
                self.alongs.iter().fold((0.0, 0.0), |(x, y), along| {
                    let place = grid.coordinate(rank, along.axis);
                    let (column, row) = (place % along.line, place / along.line);
                    (x + along.across * column as f64, y + along.down * row as f64)
                })
            })
            .collect();
        MeshLayout { width: self.width.max(CELL), height: self.height.max(CELL), cells }
    }
}

/// Places in a line of a folded axis: a divisor near the square root, where there is a good one.
fn side(size: usize) -> usize {
    let root = (size as f64).sqrt().ceil() as usize;
    (root..=root * 2).find(|&line| size.is_multiple_of(line)).unwrap_or(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(sizes: [usize; 3]) -> MeshLayout {
        layout(&Grid::new([("a", sizes[0]), ("b", sizes[1]), ("c", sizes[2])]).expect("a grid"))
    }

    #[test]
    fn a_small_mesh_reads_in_rows() {
        let mesh = of([2, 1, 4]);
        assert_eq!(mesh.cells[3], (3.0 * (CELL + GAP), 0.0));
        assert_eq!(mesh.cells[4], (0.0, CELL + GAP));
        assert_eq!((mesh.width, mesh.height), (4.0 * CELL + 3.0 * GAP, 2.0 * CELL + GAP));
        assert_eq!(of([1, 1, 1]).cells, [(0.0, 0.0)]);
        assert_eq!(of([1, 8, 1]).height, CELL);
    }

    #[test]
    fn arrows_move_between_neighbours_and_stop_at_the_edge() {
        let mesh = of([2, 1, 4]);
        assert_eq!(mesh.step(1, Move::Right), 2);
        assert_eq!(mesh.step(1, Move::Down), 5);
        assert_eq!(mesh.step(5, Move::Up), 1);
        assert_eq!(mesh.step(4, Move::Left), 4);
        assert_eq!(mesh.step(3, Move::Right), 3);
    }

    #[test]
    fn the_largest_meshes_keep_a_shape_that_fits_a_page() {
        for sizes in [[1, 1024, 1], [1, 1021, 1], [8, 16, 8], [32, 1, 32], [1, 2, 512], [64, 16, 1]]
        {
            let mesh = of(sizes);
            let aspect = mesh.width / mesh.height;
            assert!((0.4..=4.5).contains(&aspect), "{sizes:?}: {aspect}");
        }
    }

    proptest! {
        #[test]
        fn cells_do_not_overlap_and_are_hit(sizes in [1usize..12, 1..12, 1..7]) {
            let mesh = of(sizes);
            for (rank, &(x, y)) in mesh.cells.iter().enumerate() {
                prop_assert!(x >= 0.0 && x + CELL <= mesh.width + 1e-9);
                prop_assert!(y >= 0.0 && y + CELL <= mesh.height + 1e-9);
                prop_assert_eq!(mesh.hit(x + CELL / 2.0, y + CELL / 2.0), Some(rank));
                prop_assert_eq!(mesh.hit(x + CELL - 0.5, y + 0.5), Some(rank));
            }
            prop_assert_eq!(mesh.hit(-1.0, 5.0), None);
        }
    }
}
