//! The run on one device, whole sequences, no ranks: what every world is measured against.

use candle_core::{DType, Device};
use model::Gpt;
use model::reference::Outcome;
use plan::RunPlan;

use crate::Result;
use crate::data::{Data, Split};
use crate::trainer::gpt_config;

/// Loss, logits and every gradient of the global batch of `step` at the initial parameters, by
/// candle's own backward over one graph with the T x T attention matrix in memory.
pub fn run(plan: &RunPlan, text: Option<&[u8]>, step: u32, dtype: DType) -> Result<Outcome> {
    let config = plan.config();
    let model = Gpt::new(gpt_config(plan), config.seed, dtype, &Device::Cpu)?;
    let batch = Data::new(plan, text)?.batch(Split::Train, step, 0..config.dp * config.batch);
    Ok(model::reference::run(&model, &batch.ids, &batch.targets, &visibility(plan))?)
}

/// `[query][key]` over the whole sequence without padding.
pub fn visibility(plan: &RunPlan) -> Vec<Vec<bool>> {
    let mask = plan.attention().sequence().mask();
    let positions = 0..mask.seq_len() as u32;
    positions.clone().map(|q| positions.clone().map(|k| mask.sees(q, k)).collect()).collect()
}
