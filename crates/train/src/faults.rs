//! Faults on purpose: each wraps or replaces one part of a rank that is whole, and no other code
//! knows of it. What is not passed around the ring is left out of the plan already.

use std::rc::Rc;

use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Recorder, Solo};
use model::{Gpt, Head};
use parallel::{Contract, Cp, CpContext, NoContext, ParallelError};
use plan::targets::{shift_within, unshifted, valid_by_rank};
use plan::{Fault, Rank, RunPlan};

use crate::Result;
use crate::data::Batch;
use crate::parts::{Loss, Parts, Shard};
use crate::pass::LocalBatch;

/// A version of the context that nobody offers.
const OTHER_CONTRACT: Contract = Contract::new(2, 0);

/// Puts `fault` into the parts of `rank`, its number within its context-parallel group.
pub(crate) fn inject(fault: Fault, parts: Parts, plan: &RunPlan, rank: Rank) -> Result<Parts> {
    Ok(match fault {
        // Its ranks follow a plan without the exchange.
        Fault::NoExchange => parts,
        Fault::ShiftAfterSharding => {
            Parts { sharder: Box::new(ShiftAfterSharding(parts.sharder)), ..parts }
        }
        Fault::MeanOfMeans => {
            let weight = weight(plan, rank);
            Parts { loss: Box::new(MeanOfMeans { inner: parts.loss, weight }), ..parts }
        }
        Fault::LocalPositions => {
            Parts { positions: (0..parts.positions.len() as u32).collect(), ..parts }
        }
        Fault::CpNotConfigured => Parts { cp: Cp::NotConfigured, ..parts },
        Fault::CpBeforeGroup => Parts { cp: Cp::Configured(plan.cp().clone()), ..parts },
        Fault::CpVersion => Parts { needs: OTHER_CONTRACT, ..parts },
        Fault::CpAssumed => Parts { cp: alone(plan)?, ..parts },
    })
}

/// Labels travel unshifted, and each slice is shifted by itself.
struct ShiftAfterSharding(Box<dyn Shard>);

impl Shard for ShiftAfterSharding {
    fn shard(&self, batch: &Batch) -> LocalBatch {
        let labels = batch.targets.iter().map(|targets| unshifted(targets)).collect();
        let local = self.0.shard(&Batch { ids: batch.ids.clone(), targets: labels });
        let slice = (local.targets.len() / local.batch.max(1)).max(1);
        let targets = local.targets.chunks(slice).flat_map(shift_within).collect();
        LocalBatch { targets, ..local }
    }
}

/// Each rank's mean counts the same, however few valid tokens stand behind it: a token weighs
/// (valid tokens of a rank, on average) / (those of its own rank).
struct MeanOfMeans {
    inner: Box<dyn Loss>,
    weight: f64,
}

impl Loss for MeanOfMeans {
    fn head(&self, model: &Gpt, x_nd: &Tensor, targets: &[i64]) -> candle_core::Result<Head> {
        self.inner.head(model, x_nd, targets)?.weighted(self.weight)
    }
}

fn weight(plan: &RunPlan, rank: Rank) -> f64 {
    let valid = valid_by_rank(plan.config().task, plan.attention().sequence());
    let mean = valid.iter().sum::<usize>() as f64 / valid.len() as f64;
    mean / valid[rank.index()].max(1) as f64
}

/// What comes of a context whose rank has a process group of its own: a refusal to remember.
fn alone(plan: &RunPlan) -> Result<Cp> {
    let own: Rc<dyn ProcessGroup> = Rc::new(Solo::default());
    let recorder = Recorder::from_now(0);
    match CpContext::new(plan.cp(), &own, &recorder, DType::F32, &Device::Cpu) {
        Ok(context) => Ok(Cp::Ready(context)),
        Err(ParallelError::NoContext(NoContext::Unsupported(refusal))) => {
            Ok(Cp::Unsupported(refusal))
        }
        Err(other) => Err(other.into()),
    }
}
