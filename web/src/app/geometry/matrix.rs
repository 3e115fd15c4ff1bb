//! The attention matrix as blocks of queries and keys: who computes which tile, and when.

use plan::{AttentionPlan, Mask, TileKind};

use crate::app::order::sort_by_key;

/// Consecutive local positions of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The rank, within its context-parallel group, that holds it.
    pub rank: usize,
    /// Its global positions, padding included.
    pub positions: Vec<u32>,
    ring_index: usize,
    local: std::ops::Range<usize>,
}

/// One block of queries against one block of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Index of the queries' block.
    pub row: usize,
    /// Index of the keys' block.
    pub column: usize,
    /// Ranks that compute it, each for its share of the heads.
    pub ranks: Vec<usize>,
    /// Step of the ring.
    pub step: usize,
    /// How much of it is seen.
    pub kind: TileKind,
    /// Visible pairs per head.
    pub pairs: u64,
}

/// All blocks and all tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Blocks in the order of their first positions.
    pub blocks: Vec<Block>,
    /// Tiles row by row.
    pub cells: Vec<Cell>,
}

/// The matrix of `plan`'s schedule.
pub fn matrix(plan: &AttentionPlan) -> Matrix {
    let sequence = plan.sequence();
    let per_rank = sequence.layout().blocks_per_rank();
    let len = sequence.local_len() / per_rank;
    let (u, r) = (plan.strategy().ulysses(), plan.strategy().ring());
    let mut blocks: Vec<Block> = (0..r)
        .flat_map(|ring_index| (0..u * per_rank).map(move |block| (ring_index, block)))
        .map(|(ring_index, block)| {
            let local = block * len..(block + 1) * len;
            Block {
                rank: ring_index * u + block / per_rank,
                positions: plan.positions(ring_index)[local.clone()].to_vec(),
                ring_index,
                local,
            }
        })
        .collect();
    sort_by_key(&mut blocks, |block| block.positions.first().copied().map_or(0, u64::from));
    let cells = blocks
        .iter()
        .enumerate()
        .flat_map(|(row, q)| {
            blocks.iter().enumerate().map(move |(column, k)| cell(plan, (row, q), (column, k)))
        })
        .collect();
    Matrix { blocks, cells }
}

impl Matrix {
    /// Which cells belong to what is lit, all ranks being those of the group: where `rank` has the
    /// queries or computes, where the keys are those of `block`, or both.
    pub fn lit(
        &self,
        plan: &AttentionPlan,
        rank: Option<usize>,
        block: Option<usize>,
    ) -> Vec<bool> {
        let index = block.map(|block| block / plan.strategy().ulysses());
        self.cells
            .iter()
            .map(|cell| {
                rank.is_none_or(|rank| cell.ranks.contains(&rank))
                    && index.is_none_or(|index| self.blocks[cell.column].ring_index == index)
            })
            .collect()
    }
}

/// A stretch of queries that see the same share of a block of keys; all in shares of the tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// First query.
    pub top: f64,
    /// Behind the last query.
    pub bottom: f64,
    /// First key.
    pub left: f64,
    /// Behind the last key.
    pub right: f64,
}

/// Queries that are looked at for the shape of a tile.
const ROWS: usize = 24;

/// What `queries` see of `keys`, both ascending: the tile's shape.
pub fn bands(mask: &Mask, queries: &[u32], keys: &[u32]) -> Vec<Band> {
    let rows = queries.len().min(ROWS);
    let mut bands: Vec<Band> = Vec::new();
    for row in 0..rows {
        let query = queries[(2 * row + 1) * queries.len() / (2 * rows)];
        let seen = mask.keys_of(query);
        let share = |p: u32| keys.partition_point(|&k| k < p) as f64 / keys.len() as f64;
        let (left, right) = (share(seen.start), share(seen.end));
        let (top, bottom) = (row as f64 / rows as f64, (row + 1) as f64 / rows as f64);
        match bands.last_mut() {
            _ if left >= right => {}
            Some(last) if (last.left, last.right, last.bottom) == (left, right, top) => {
                last.bottom = bottom;
            }
            _ => bands.push(Band { top, bottom, left, right }),
        }
    }
    bands
}

fn cell(plan: &AttentionPlan, (row, q): (usize, &Block), (column, k): (usize, &Block)) -> Cell {
    let (u, r) = (plan.strategy().ulysses(), plan.strategy().ring());
    let step = (q.ring_index + r - k.ring_index) % r;
    let ranks: Vec<usize> = (q.ring_index * u..(q.ring_index + 1) * u).collect();
    let first = plan.sequence().world().ranks().nth(q.ring_index * u);
    // A step that the ring never reaches computes nothing.
    let part = first.filter(|_| step < plan.steps()).and_then(|rank| {
        plan.tile(rank, step).parts.iter().find(|part| part.q == q.local && part.k == k.local)
    });
    let (kind, pairs) = part.map_or((TileKind::Skip, 0), |part| (part.kind, part.pairs));
    Cell { row, column, ranks, step, kind, pairs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Layout, RunConfig, RunPlan, StrategyKind};

    fn of(cp: usize, layout: Layout, strategy: StrategyKind, window: Option<usize>) -> RunPlan {
        let config = RunConfig { cp, layout, strategy, window, seq_len: 64, ..Default::default() };
        RunPlan::new(config).expect("a possible run")
    }

    #[test]
    fn every_visible_pair_is_in_one_cell() {
        for layout in Layout::ALL {
            for strategy in StrategyKind::ALL {
                for window in [None, Some(5)] {
                    let plan = of(4, layout, strategy, window);
                    let attention = plan.attention();
                    let matrix = matrix(attention);
                    let all: Vec<u32> = (0..64).collect();
                    let expect = attention.sequence().mask().pairs(&all, &all);
                    assert_eq!(matrix.cells.iter().map(|c| c.pairs).sum::<u64>(), expect);
                    for rank in attention.sequence().world().ranks() {
                        let cells = matrix.cells.iter().filter(|c| c.ranks.contains(&rank.index()));
                        assert_eq!(cells.map(|c| c.pairs).sum::<u64>(), attention.pairs(rank));
                    }
                }
            }
        }
    }

    #[test]
    fn zigzag_in_order_of_position_is_a_triangle() {
        let matrix = matrix(of(2, Layout::Zigzag, StrategyKind::Ring, None).attention());
        let owners: Vec<_> = matrix.blocks.iter().map(|b| b.rank).collect();
        assert_eq!(owners, [0, 1, 1, 0]);
        for cell in &matrix.cells {
            let expect = match cell.column.cmp(&cell.row) {
                std::cmp::Ordering::Less => TileKind::Full,
                std::cmp::Ordering::Equal => TileKind::Partial,
                std::cmp::Ordering::Greater => TileKind::Skip,
            };
            assert_eq!(cell.kind, expect);
        }
    }

    #[test]
    fn steps_count_from_the_own_block() {
        let matrix = matrix(of(4, Layout::Contiguous, StrategyKind::Ring, None).attention());
        let step = |row, column| {
            matrix.cells.iter().find(|c| (c.row, c.column) == (row, column)).map(|c| c.step)
        };
        assert_eq!(
            [step(0, 0), step(1, 0), step(3, 0), step(0, 1)].map(Option::unwrap),
            [0, 1, 3, 3]
        );
    }

    #[test]
    fn a_rank_lights_its_rows_a_block_its_columns_and_both_their_tiles() {
        let plan = of(4, Layout::Zigzag, StrategyKind::Ring, None);
        let matrix = matrix(plan.attention());
        let lit = |rank, block| {
            let lit = matrix.lit(plan.attention(), rank, block);
            let cells = matrix.cells.iter().zip(lit);
            cells.filter(|(_, lit)| *lit).map(|(c, _)| (c.row, c.column)).collect::<Vec<_>>()
        };
        // Rank 1 has the second and the last but one of eight blocks.
        assert!(lit(Some(1), None).iter().all(|(row, _)| [1, 6].contains(row)));
        assert!(lit(None, Some(1)).iter().all(|(_, column)| [1, 6].contains(column)));
        assert_eq!((lit(Some(1), None).len(), lit(None, Some(1)).len()), (16, 16));
        assert_eq!(lit(Some(1), Some(0)), [(1, 0), (1, 7), (6, 0), (6, 7)]);
        let shared = of(4, Layout::Contiguous, StrategyKind::Usp, None);
        let matrix = super::matrix(shared.attention());
        let lit = matrix.lit(shared.attention(), None, Some(1));
        assert_eq!(lit.iter().filter(|lit| **lit).count(), 8, "ranks 0 and 1 bring a block");
    }

    #[test]
    fn a_full_tile_is_one_band_and_a_diagonal_one_a_staircase() {
        let mask = Mask::new(8, &[], None).expect("a plain mask");
        let whole = Band { top: 0.0, bottom: 1.0, left: 0.0, right: 1.0 };
        assert_eq!(bands(&mask, &[4, 5, 6, 7], &[0, 1, 2, 3]), [whole]);
        assert_eq!(bands(&mask, &[0, 1], &[2, 3]), []);
        let stairs: Vec<f64> =
            bands(&mask, &[0, 1, 2, 3], &[0, 1, 2, 3]).into_iter().map(|band| band.right).collect();
        assert_eq!(stairs, [0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn ulysses_shares_each_tile_by_heads() {
        let matrix = matrix(of(4, Layout::Contiguous, StrategyKind::Ulysses, None).attention());
        assert!(matrix.cells.iter().all(|cell| cell.ranks == [0, 1, 2, 3] && cell.step == 0));
    }
}
