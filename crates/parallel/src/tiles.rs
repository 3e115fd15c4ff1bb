//! One rank's tiles: which parts are computed, under which mask, recorded as events.

use std::collections::HashMap;
use std::rc::Rc;

use candle_core::{Result, Tensor};
use comm::Recorder;
use kernels::attention::{self, Partial, QueryGrad, Seen};
use kernels::profile::{self, Kind};
use plan::schedule::{Part, Share, Tile};
use plan::{AttentionPlan, EventKind, Pass, Rank, TileKind};

use crate::rows::{Rows, added};

/// The tiles of one rank of a context-parallel group.
pub(crate) struct Tiles {
    plan: Rc<AttentionPlan>,
    rank: Rank,
    /// World rank by context-parallel rank, for events.
    world_ranks: Vec<u16>,
    recorder: Rc<Recorder>,
    /// What partial parts see, by step and place in the tile.
    seen: HashMap<(usize, usize), Seen>,
}

impl Tiles {
    pub(crate) fn new(
        plan: Rc<AttentionPlan>,
        rank: Rank,
        world_ranks: Vec<u16>,
        recorder: Rc<Recorder>,
    ) -> Self {
        let mut seen_by_part = HashMap::new();
        for step in 0..plan.steps() {
            for (index, part) in plan.tile(rank, step).parts.iter().enumerate() {
                if part.kind == TileKind::Partial {
                    seen_by_part.insert((step, index), seen(&plan, rank, step, part));
                }
            }
        }
        Self { plan, rank, world_ranks, recorder, seen: seen_by_part }
    }

    /// Whether the tile on this rank's own keys falls into two shares.
    pub(crate) fn has_rest(&self) -> bool {
        self.plan.tile(self.rank, 0).share(Share::Rest).next().is_some()
    }

    /// Computes this rank's tile at `step` on the keys and values that it holds.
    pub(crate) fn forward(
        &self,
        layer: usize,
        step: usize,
        q_bhtd: &Tensor,
        kv_2bktd: &Tensor,
        rows: &mut Rows<Partial>,
    ) -> Result<()> {
        self.record(layer, step, Share::Whole, Pass::Forward, |tile| {
            let (k, v) = split(kv_2bktd)?;
            for (index, part) in tile.share(Share::Whole) {
                let q = q_bhtd.narrow(2, part.q.start, part.q.len())?;
                let k = k.narrow(2, part.k.start, part.k.len())?;
                let v = v.narrow(2, part.k.start, part.k.len())?;
                let partial = attention::forward(&q, &k, &v, self.seen.get(&(step, index)))?;
                rows.add(&part.q, partial, Partial::merge)?;
            }
            Ok(())
        })
    }

    /// Backward of a share of the same tile: adds to `dq` and returns the gradient of the keys and
    /// values.
    pub(crate) fn backward(
        &self,
        layer: usize,
        step: usize,
        share: Share,
        query: &QueryGrad,
        kv_2bktd: &Tensor,
        dq: &mut Rows<Tensor>,
    ) -> Result<Tensor> {
        self.record(layer, step, share, Pass::Backward, |tile| {
            let (k, v) = split(kv_2bktd)?;
            let (mut dk, mut dv) = (Rows::<Tensor>::new(), Rows::<Tensor>::new());
            for (index, part) in tile.share(share) {
                let query = query.rows(part.q.start, part.q.len())?;
                let part_k = k.narrow(2, part.k.start, part.k.len())?;
                let part_v = v.narrow(2, part.k.start, part.k.len())?;
                let seen = self.seen.get(&(step, index));
                let grad = attention::backward(&query, &part_k, &part_v, seen)?;
                dq.add(&part.q, grad.dq_bhtd, added)?;
                dk.add(&part.k, grad.dk_bksd, added)?;
                dv.add(&part.k, grad.dv_bksd, added)?;
            }
            let (dk, dv) = (dk.finish(&k)?, dv.finish(&v)?);
            let _span = profile::span(Kind::Upkeep, "keys beside values");
            Tensor::stack(&[dk, dv], 0)
        })
    }

    fn record<T>(
        &self,
        layer: usize,
        step: usize,
        share: Share,
        pass: Pass,
        work: impl FnOnce(&Tile) -> Result<T>,
    ) -> Result<T> {
        let tile = self.plan.tile(self.rank, step);
        let kv_from = self.world_ranks[self.plan.source(self.rank, step).index()];
        self.recorder.time(
            || work(tile),
            |took_us| EventKind::Tile {
                layer: layer as u16,
                pass,
                ring_step: step as u16,
                kv_from,
                kind: tile.kind,
                pairs: tile.share(share).map(|(_, part)| part.pairs).sum(),
                took_us,
            },
        )
    }
}

/// Keys and values of (2, B, K, T, D).
fn split(kv_2bktd: &Tensor) -> Result<(Tensor, Tensor)> {
    Ok((kv_2bktd.get(0)?, kv_2bktd.get(1)?))
}

/// The keys of a part that each of its queries sees.
fn seen(plan: &AttentionPlan, rank: Rank, step: usize, part: &Part) -> Seen {
    let queries = &plan.positions(plan.ring_index(rank))[part.q.clone()];
    let keys = &plan.positions(plan.source_index(rank, step))[part.k.clone()];
    let place = |position: u32| keys.partition_point(|&key| key < position);
    let of = |&query: &u32| {
        let seen = plan.sequence().mask().keys_of(query);
        place(seen.start)..place(seen.end)
    };
    Seen::new(queries.iter().map(of).collect(), keys.len())
}
