//! One rank's tiles: which parts are computed, under which mask, recorded as events.

use std::collections::HashMap;
use std::rc::Rc;

use candle_core::{DType, Device, Result, Tensor};
use comm::Recorder;
use plan::schedule::Part;
use plan::{AttentionPlan, EventKind, Pass, Rank, TileKind};

use crate::Partial;
use crate::block::{self, QueryGrad};
use crate::rows::Rows;

/// The tiles of one rank of a context-parallel group.
pub(crate) struct Tiles {
    plan: Rc<AttentionPlan>,
    rank: Rank,
    /// World rank by context-parallel rank, for events.
    world_ranks: Vec<u16>,
    recorder: Rc<Recorder>,
    /// Additive masks of partial parts, by step and place in the tile.
    masks: HashMap<(usize, usize), Tensor>,
}

impl Tiles {
    pub(crate) fn new(
        plan: Rc<AttentionPlan>,
        rank: Rank,
        world_ranks: Vec<u16>,
        recorder: Rc<Recorder>,
        dtype: DType,
        device: &Device,
    ) -> Result<Self> {
        let mut masks = HashMap::new();
        for step in 0..plan.steps() {
            for (index, part) in plan.tile(rank, step).parts.iter().enumerate() {
                if part.kind == TileKind::Partial {
                    let mask = mask(&plan, rank, step, part, dtype, device)?;
                    masks.insert((step, index), mask);
                }
            }
        }
        Ok(Self { plan, rank, world_ranks, recorder, masks })
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
        self.record(layer, step, Pass::Forward, || {
            let (k, v) = split(kv_2bktd)?;
            for (index, part) in self.plan.tile(self.rank, step).parts.iter().enumerate() {
                let q = q_bhtd.narrow(2, part.q.start, part.q.len())?;
                let k = k.narrow(2, part.k.start, part.k.len())?;
                let v = v.narrow(2, part.k.start, part.k.len())?;
                let mask = self.masks.get(&(step, index));
                let partial = block::forward(&q, &k.contiguous()?, &v.contiguous()?, mask)?;
                rows.add(&part.q, partial, Partial::merge)?;
            }
            Ok(())
        })
    }

    /// Backward of the same tile: adds to `dq` and returns the gradient of the keys and values.
    pub(crate) fn backward(
        &self,
        layer: usize,
        step: usize,
        query: &QueryGrad,
        kv_2bktd: &Tensor,
        dq: &mut Rows<Tensor>,
    ) -> Result<Tensor> {
        self.record(layer, step, Pass::Backward, || {
            let (k, v) = split(kv_2bktd)?;
            let (mut dk, mut dv) = (Rows::<Tensor>::new(), Rows::<Tensor>::new());
            for (index, part) in self.plan.tile(self.rank, step).parts.iter().enumerate() {
                let query = query.rows(part.q.start, part.q.len())?;
                let part_k = k.narrow(2, part.k.start, part.k.len())?.contiguous()?;
                let part_v = v.narrow(2, part.k.start, part.k.len())?.contiguous()?;
                let mask = self.masks.get(&(step, index));
                let grad = block::backward(&query, &part_k, &part_v, mask)?;
                let sum = |a: &Tensor, b: &Tensor| a + b;
                dq.add(&part.q, grad.dq_bhtd, sum)?;
                dk.add(&part.k, grad.dk_bksd, sum)?;
                dv.add(&part.k, grad.dv_bksd, sum)?;
            }
            Tensor::stack(&[dk.finish(&k)?, dv.finish(&v)?], 0)
        })
    }

    fn record<T>(
        &self,
        layer: usize,
        step: usize,
        pass: Pass,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let tile = self.plan.tile(self.rank, step);
        let kv_from = self.world_ranks[self.plan.source(self.rank, step).index()];
        self.recorder.time(work, |took_us| EventKind::Tile {
            layer: layer as u16,
            pass,
            ring_step: step as u16,
            kv_from,
            kind: tile.kind,
            pairs: tile.pairs,
            took_us,
        })
    }
}

/// Keys and values of (2, B, K, T, D).
fn split(kv_2bktd: &Tensor) -> Result<(Tensor, Tensor)> {
    Ok((kv_2bktd.get(0)?, kv_2bktd.get(1)?))
}

/// 0 where the plan lets a query see a key, -inf elsewhere.
fn mask(
    plan: &AttentionPlan,
    rank: Rank,
    step: usize,
    part: &Part,
    dtype: DType,
    device: &Device,
) -> Result<Tensor> {
    let queries = &plan.positions(plan.ring_index(rank))[part.q.clone()];
    let keys = &plan.positions(plan.source_index(rank, step))[part.k.clone()];
    let values: Vec<f32> = queries
        .iter()
        .flat_map(|&q| {
            let seen = plan.sequence().mask().keys_of(q);
            keys.iter().map(move |k| if seen.contains(k) { 0.0 } else { f32::NEG_INFINITY })
        })
        .collect();
    Tensor::from_vec(values, (part.q.len(), part.k.len()), &Device::Cpu)?
        .to_dtype(dtype)?
        .to_device(device)
}
