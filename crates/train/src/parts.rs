//! What a trainer is built from, each part one decision about how the ranks' shares make a run.

use std::rc::Rc;

use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Recorder};
use model::{Gpt, Head};
use parallel::{CONTRACT, Contract, Cp, CpContext};
use plan::targets::IGNORED;
use plan::{Rank, RunPlan, Sequence};

use crate::Result;
use crate::data::Batch;
use crate::faults;
use crate::pass::LocalBatch;

/// What the trainer needs of its context.
const NEEDS: Contract = Contract::new(1, 0);
const _: () = assert!(CONTRACT.serves(NEEDS), "the trainer was written for another `parallel`");

/// Takes a rank's share of whole sequences.
pub(crate) trait Shard {
    /// The rank's slices, laid end to end; padding is token 0 with no target.
    fn shard(&self, batch: &Batch) -> LocalBatch;
}

/// What a rank's tokens add to the loss.
pub(crate) trait Loss {
    /// The head on x (N, d), with the sum of the losses of those tokens that have a target.
    fn head(&self, model: &Gpt, x_nd: &Tensor, targets: &[i64]) -> candle_core::Result<Head>;
}

/// All that is decided about one rank before its trainer is built.
pub(crate) struct Parts {
    /// Context parallelism, or why there is none.
    pub(crate) cp: Cp,
    /// The version of it that the trainer was written for.
    pub(crate) needs: Contract,
    /// Where this rank's tokens stand, as rotary positions count.
    pub(crate) positions: Vec<u32>,
    /// How it comes by its share of a batch.
    pub(crate) sharder: Box<dyn Shard>,
    /// How its losses are summed.
    pub(crate) loss: Box<dyn Loss>,
}

/// The one place where a rank is put together: whole, or with the fault that the run asks for.
pub(crate) fn assemble(
    plan: &RunPlan,
    world: &Rc<dyn ProcessGroup>,
    recorder: &Rc<Recorder>,
    device: &Device,
) -> Result<Parts> {
    let context = CpContext::new(plan.cp(), world, recorder, DType::F32, device)?;
    let (sequence, rank) = (context.sequence().clone(), context.rank());
    let parts = Parts {
        positions: context.positions().to_vec(),
        cp: Cp::Ready(context),
        needs: NEEDS,
        sharder: Box::new(Slices { sequence, rank }),
        loss: Box::new(SumOfLosses),
    };
    match plan.config().fault {
        Some(fault) => faults::inject(fault, parts, plan, rank),
        None => Ok(parts),
    }
}

/// The slices that the layout gives a rank.
struct Slices {
    sequence: Sequence,
    rank: Rank,
}

impl Shard for Slices {
    fn shard(&self, batch: &Batch) -> LocalBatch {
        let Self { sequence, rank } = self;
        LocalBatch {
            ids: batch.ids.iter().flat_map(|ids| sequence.shard(*rank, ids, 0)).collect(),
            targets: batch
                .targets
                .iter()
                .flat_map(|targets| sequence.shard(*rank, targets, IGNORED))
                .collect(),
            batch: batch.ids.len(),
        }
    }
}

/// Every loss counts once: the sum over all ranks is divided by all valid tokens, at the end.
struct SumOfLosses;

impl Loss for SumOfLosses {
    fn head(&self, model: &Gpt, x_nd: &Tensor, targets: &[i64]) -> candle_core::Result<Head> {
        model.head(x_nd, targets)
    }
}
