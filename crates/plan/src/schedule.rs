//! Who computes which tile of the attention matrix, and when.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Mask, Rank, Sequence, Strategy, StrategyKind};

/// Tokens in a block of queries or keys. Scores are held for one pair of blocks at a time, so a
/// rank's memory grows with its slice and not with its square, and of a long causal tile only the
/// blocks on the diagonal are computed under a mask.
pub const MAX_BLOCK: usize = 256;

/// How much of a tile may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TileKind {
    /// Nothing: it is not computed.
    Skip,
    /// Everything: it needs no mask.
    Full,
    /// Some pairs: it is computed under the mask.
    Partial,
}

impl TileKind {
    fn of(pairs: u64, area: u64) -> Self {
        match pairs {
            0 => Self::Skip,
            _ if pairs == area => Self::Full,
            _ => Self::Partial,
        }
    }
}

/// A block of queries against a block of keys, as ranges of local indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Local query indices.
    pub q: Range<usize>,
    /// Local key indices within the visiting block.
    pub k: Range<usize>,
    /// [`TileKind::Full`] or [`TileKind::Partial`]; skipped parts are not listed.
    pub kind: TileKind,
    /// Visible (query, key) pairs, per head.
    pub pairs: u64,
}

/// What one rank computes in one step: its queries against the keys of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Kind of the whole tile.
    pub kind: TileKind,
    /// Visible (query, key) pairs, per head.
    pub pairs: u64,
    /// The parts to compute; a half-visible tile of zigzag lists only its visible halves.
    pub parts: Vec<Part>,
}

/// Which parts of a tile are computed at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    /// All of them.
    Whole,
    /// About half of the pairs.
    First,
    /// What that leaves; nothing where the tile has one part.
    Rest,
}

impl Tile {
    /// The parts of `share` with their places among all, in order.
    pub fn share(&self, share: Share) -> impl Iterator<Item = (usize, &Part)> {
        let (mut first, mut rest) = (0, 0);
        self.parts.iter().enumerate().filter(move |(_, part)| {
            // Each part goes to the share that has less so far.
            let is_first = first <= rest;
            *(if is_first { &mut first } else { &mut rest }) += part.pairs;
            match share {
                Share::Whole => true,
                Share::First => is_first,
                Share::Rest => !is_first,
            }
        })
    }
}

/// The schedule of one layer's attention over a context-parallel group.
///
/// Queries and keys are grouped by ring index: the U ranks of a Ulysses group bring their
/// positions together, so "ring index" is the rank itself when U = 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionPlan {
    sequence: Sequence,
    strategy: Strategy,
    /// `[query ring index][key ring index]`.
    tiles: Vec<Vec<Tile>>,
    /// Positions by ring index, in the order in which the ranks' slices are laid end to end.
    positions: Vec<Vec<u32>>,
    steps: usize,
}

impl AttentionPlan {
    /// Lays `strategy` over `sequence`; both must be of the same group size.
    pub fn new(sequence: Sequence, strategy: Strategy) -> Self {
        let (u, r) = (strategy.ulysses(), strategy.ring());
        assert_eq!(u * r, sequence.world().get(), "strategy and sequence are of one group");
        let positions: Vec<Vec<u32>> = (0..r)
            .map(|index| {
                members(&sequence, index, u).flat_map(|m| sequence.positions(m).to_vec()).collect()
            })
            .collect();
        let blocks: Vec<Vec<Range<usize>>> = (0..r).map(|_| blocks(&sequence, u)).collect();
        let tiles: Vec<Vec<Tile>> = (0..r)
            .map(|q| {
                (0..r)
                    .map(|k| {
                        tile(
                            sequence.mask(),
                            (&positions[q], &blocks[q]),
                            (&positions[k], &blocks[k]),
                        )
                    })
                    .collect()
            })
            .collect();
        // A ring stops turning after the last step that any rank still needs.
        let steps = match strategy.kind() {
            StrategyKind::AllGather => r,
            _ => (0..r)
                .rev()
                .find(|&step| (0..r).any(|q| tiles[q][(q + r - step) % r].kind != TileKind::Skip))
                .map_or(1, |last| last + 1),
        };
        Self { sequence, strategy, tiles, positions, steps }
    }

    /// The same with nothing passed around the ring: each place on it sees its own block alone,
    /// in one step.
    pub(crate) fn without_exchange(mut self) -> Self {
        for (q, row) in self.tiles.iter_mut().enumerate() {
            for (_, tile) in row.iter_mut().enumerate().filter(|(k, _)| *k != q) {
                *tile = Tile { kind: TileKind::Skip, pairs: 0, parts: Vec::new() };
            }
        }
        Self { steps: 1, ..self }
    }

    /// The sequence that it shares out.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The strategy that it follows.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Steps of the ring, the one on its own block included; later ones would see nothing.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// `rank`'s place on the ring.
    pub fn ring_index(&self, rank: Rank) -> usize {
        rank.index() / self.strategy.ulysses()
    }

    /// The ring index whose keys `rank` holds at `step`.
    pub fn source_index(&self, rank: Rank, step: usize) -> usize {
        let r = self.strategy.ring();
        (self.ring_index(rank) + r - step % r) % r
    }

    /// The rank from which `rank`'s keys at `step` came.
    pub fn source(&self, rank: Rank, step: usize) -> Rank {
        let u = self.strategy.ulysses();
        let index = self.source_index(rank, step) * u + rank.index() % u;
        self.sequence.world().rank(index).expect("a source is a rank of the group")
    }

    /// Global positions at a ring index, in the order of the gathered tensors.
    pub fn positions(&self, ring_index: usize) -> &[u32] {
        &self.positions[ring_index]
    }

    /// The tile of `rank`'s queries against the keys that it holds at `step`.
    pub fn tile(&self, rank: Rank, step: usize) -> &Tile {
        &self.tiles[self.ring_index(rank)][self.source_index(rank, step)]
    }

    /// Visible pairs that `rank` computes per head, over all steps.
    pub fn pairs(&self, rank: Rank) -> u64 {
        (0..self.steps).map(|step| self.tile(rank, step).pairs).sum()
    }

    /// Mean of the ranks' pairs divided by the largest: 1 when all work alike.
    pub fn efficiency(&self) -> f64 {
        let pairs: Vec<u64> = self.sequence.world().ranks().map(|r| self.pairs(r)).collect();
        let largest = pairs.iter().copied().max().unwrap_or(0);
        if largest == 0 {
            return 1.0;
        }
        pairs.iter().sum::<u64>() as f64 / pairs.len() as f64 / largest as f64
    }

    /// What `inspect schedule` prints.
    pub fn view(&self) -> ScheduleView {
        let ranks = self.sequence.world().ranks().map(|rank| RankSchedule {
            rank: rank.index(),
            pairs: self.pairs(rank),
            steps: (0..self.steps)
                .map(|step| {
                    let tile = self.tile(rank, step);
                    StepView {
                        step,
                        kv_from: self.source(rank, step).index(),
                        kind: tile.kind,
                        pairs: tile.pairs,
                    }
                })
                .collect(),
        });
        ScheduleView { efficiency: self.efficiency(), ranks: ranks.collect() }
    }
}

/// What `inspect schedule` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScheduleView {
    /// Mean of the ranks' pairs divided by the largest.
    pub efficiency: f64,
    /// Each rank's work.
    pub ranks: Vec<RankSchedule>,
}

/// One rank's work in one layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankSchedule {
    /// The rank within its context-parallel group.
    pub rank: usize,
    /// Visible pairs per head over all steps.
    pub pairs: u64,
    /// The steps in order.
    pub steps: Vec<StepView>,
}

/// One step of one rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepView {
    /// 0 is the step on the rank's own keys.
    pub step: usize,
    /// The rank whose keys are used.
    pub kv_from: usize,
    /// How much of the tile is seen.
    pub kind: TileKind,
    /// Visible pairs per head.
    pub pairs: u64,
}

/// The ranks at one ring index.
fn members(sequence: &Sequence, ring_index: usize, ulysses: usize) -> impl Iterator<Item = Rank> {
    sequence.world().ranks().skip(ring_index * ulysses).take(ulysses)
}

/// Local index ranges of consecutive positions, none longer than [`MAX_BLOCK`], over the slices of
/// `ulysses` ranks laid end to end.
fn blocks(sequence: &Sequence, ulysses: usize) -> Vec<Range<usize>> {
    let per_rank = sequence.layout().blocks_per_rank();
    let len = sequence.local_len() / per_rank;
    (0..ulysses * per_rank)
        .map(|i| i * len..(i + 1) * len)
        .flat_map(|run| {
            run.clone().step_by(MAX_BLOCK).map(move |start| start..run.end.min(start + MAX_BLOCK))
        })
        .collect()
}

fn tile(
    mask: &Mask,
    (q_positions, q_blocks): (&[u32], &[Range<usize>]),
    (k_positions, k_blocks): (&[u32], &[Range<usize>]),
) -> Tile {
    let area = |q: &Range<usize>, k: &Range<usize>| (q.len() * k.len()) as u64;
    let parts: Vec<Part> = q_blocks
        .iter()
        .flat_map(|q| k_blocks.iter().map(move |k| (q, k)))
        .map(|(q, k)| {
            let pairs = mask.pairs(&q_positions[q.clone()], &k_positions[k.clone()]);
            Part { q: q.clone(), k: k.clone(), kind: TileKind::of(pairs, area(q, k)), pairs }
        })
        .filter(|part| part.kind != TileKind::Skip)
        .collect();
    let pairs = parts.iter().map(|part| part.pairs).sum();
    let whole = (q_positions.len() * k_positions.len()) as u64;
    Tile { kind: TileKind::of(pairs, whole), pairs, parts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, WorldSize};

    fn plan(seq_len: usize, w: usize, layout: Layout, kind: StrategyKind) -> AttentionPlan {
        windowed(seq_len, w, layout, kind, None)
    }

    fn windowed(
        seq_len: usize,
        w: usize,
        layout: Layout,
        kind: StrategyKind,
        window: Option<usize>,
    ) -> AttentionPlan {
        let world = WorldSize::new(w).expect("a small world");
        let mask = Mask::new(seq_len, &[], window).expect("a plain mask");
        let sequence = Sequence::new(mask, layout, world).expect("it fits");
        AttentionPlan::new(sequence, Strategy::new(kind, world, 8, 8, None).expect("8 heads fit"))
    }

    fn pairs(plan: &AttentionPlan) -> Vec<u64> {
        plan.sequence().world().ranks().map(|r| plan.pairs(r)).collect()
    }

    #[test]
    fn causal_work_of_the_three_layouts() {
        for (layout, expect, percent) in [
            (Layout::Contiguous, [10, 26], 69),
            (Layout::Striped, [16, 20], 90),
            (Layout::Zigzag, [18, 18], 100),
        ] {
            let plan = plan(8, 2, layout, StrategyKind::Ring);
            assert_eq!(pairs(&plan), expect);
            assert_eq!((plan.efficiency() * 100.0).round() as u32, percent);
        }
    }

    #[test]
    fn a_contiguous_ring_is_bounded_by_w_over_2w_minus_1() {
        let plan = plan(8192, 8, Layout::Contiguous, StrategyKind::Ring);
        assert!((plan.efficiency() - 8.0 / 15.0).abs() < 1e-3);
    }

    #[test]
    fn zigzag_balances_from_64_tokens_a_rank() {
        for w in [2, 3, 4, 8] {
            for seq_len in (64 * w..66 * w + 1).chain([4096, 8192]) {
                let plan = plan(seq_len, w, Layout::Zigzag, StrategyKind::Ring);
                let slowest_by_mean = 1.0 / plan.efficiency();
                // Padding takes work from the rank that holds the end of the sequence.
                let bound = if seq_len.is_multiple_of(2 * w) { 1.0 } else { 1.06 };
                assert!(slowest_by_mean <= bound, "{seq_len} tokens, {w} ranks: {slowest_by_mean}");
            }
        }
    }

    #[test]
    fn a_long_causal_tile_is_masked_on_its_diagonal_only() {
        let plan = plan(8 * MAX_BLOCK, 2, Layout::Contiguous, StrategyKind::Ring);
        let parts = &plan.tile(Rank::ZERO, 0).parts;
        let masked = parts.iter().filter(|part| part.kind == TileKind::Partial).count();
        assert_eq!((parts.len(), masked), (10, 4));
    }

    #[test]
    fn zigzag_computes_half_tiles_as_halves() {
        let plan = plan(16, 2, Layout::Zigzag, StrategyKind::Ring);
        let rank = Rank::ZERO;
        // Rank 0 holds chunks 0 and 3; of rank 1's chunks 1 and 2 only chunk 3 sees any.
        let tile = plan.tile(rank, 1);
        assert_eq!(tile.kind, TileKind::Partial);
        assert!(tile.parts.iter().all(|p| p.q == (4..8) && p.kind == TileKind::Full));
    }

    #[test]
    fn two_shares_make_the_whole_and_halve_a_tile_of_zigzag() {
        for (layout, halves) in [(Layout::Zigzag, true), (Layout::Striped, false)] {
            let plan = plan(64, 2, layout, StrategyKind::Ring);
            let tile = plan.tile(Rank::ZERO, 0);
            let of = |share| tile.share(share).map(|(place, _)| place).collect::<Vec<_>>();
            let pairs = |share| tile.share(share).map(|(_, part)| part.pairs).sum::<u64>();
            let mut both = [of(Share::First), of(Share::Rest)].concat();
            both.sort_unstable();
            assert_eq!(both, of(Share::Whole), "{layout}");
            // Chunks of 16: two triangles of 136 against one square of 256.
            let expect = if halves { (272, 256) } else { (tile.pairs, 0) };
            assert_eq!((pairs(Share::First), pairs(Share::Rest)), expect, "{layout}");
        }
    }

    #[test]
    fn the_ring_stops_when_nobody_sees_more() {
        assert_eq!(plan(64, 4, Layout::Contiguous, StrategyKind::Ring).steps(), 4);
        let near = |kind| windowed(64, 4, Layout::Contiguous, kind, Some(8)).steps();
        assert_eq!(near(StrategyKind::Ring), 2);
        assert_eq!(near(StrategyKind::AllGather), 4);
    }

    proptest::proptest! {
        #[test]
        fn every_visible_pair_is_computed_once(len in 1usize..80, w in 1usize..9, window in proptest::option::of(1usize..20)) {
            let w = w.min(len);
            for layout in Layout::ALL {
                for kind in [StrategyKind::Ring, StrategyKind::AllGather, StrategyKind::Usp] {
                    let plan = windowed(len, w, layout, kind, window);
                    let all: Vec<u32> = (0..len as u32).collect();
                    let expect = plan.sequence().mask().pairs(&all, &all) * plan.strategy().ulysses() as u64;
                    proptest::prop_assert_eq!(pairs(&plan).iter().sum::<u64>(), expect);
                }
            }
        }
    }
}
