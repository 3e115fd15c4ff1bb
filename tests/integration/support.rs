//! What the tests share: small worlds on threads and the distance between tensors.

use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Recorder, Traced, threads};
use plan::{Event, RunConfig, RunPlan};
use train::Trainer;

/// No test waits longer than this for a message.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// What the whole project holds its ranks to: relative norm against an f64 reference.
pub const TOLERANCE: f64 = 1e-5;

/// ||a - b|| / ||b||, in f64; 0 when both are 0.
pub fn relative_norm(a: &Tensor, b: &Tensor) -> Result<f64> {
    ensure!(a.dims() == b.dims(), "shapes differ: {:?} and {:?}", a.dims(), b.dims());
    let (a, b) = (a.to_dtype(DType::F64)?, b.to_dtype(DType::F64)?);
    let norm = |t: &Tensor| anyhow::Ok(t.sqr()?.sum_all()?.to_scalar::<f64>()?.sqrt());
    let (difference, size) = (norm(&(a - &b)?)?, norm(&b)?);
    Ok(if difference == 0.0 { 0.0 } else { difference / size })
}

/// Fails unless `a` is within [`TOLERANCE`] of `b`; NaN fails too.
pub fn assert_close(what: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    let distance = relative_norm(a, b).with_context(|| what.to_owned())?;
    ensure!(distance <= TOLERANCE, "{what}: relative norm {distance:e} is above {TOLERANCE:e}");
    Ok(())
}

/// Every element's bits, to tell equal from almost equal.
pub fn bits(tensor: &Tensor) -> Result<Vec<u32>> {
    Ok(tensor.flatten_all()?.to_vec1::<f32>()?.into_iter().map(f32::to_bits).collect())
}

/// Runs `program` on every rank of `config`'s world, each with its own trainer, and returns what
/// each gave with the events that it recorded.
pub fn on_ranks<T: Send>(
    config: &RunConfig,
    program: impl AsyncFn(&mut Trainer) -> Result<T> + Sync,
) -> Result<Vec<(T, Vec<Event>)>> {
    let plan = RunPlan::new(config.clone())?;
    let results = threads::run(plan.mesh().world(), TIMEOUT, async |group| {
        let recorder = Recorder::from_now(group.rank().index());
        let world: Rc<dyn ProcessGroup> = Rc::new(Traced::new(group, recorder.clone()));
        let mut trainer = Trainer::new(plan.clone(), None, world, recorder.clone(), &Device::Cpu)?;
        let value = program(&mut trainer).await?;
        anyhow::Ok((value, recorder.drain()))
    });
    results.into_iter().collect()
}

/// A small run that every test can afford: 2 layers, width 32.
pub fn small() -> RunConfig {
    RunConfig { seq_len: 48, d_model: 32, heads: 4, cp: 1, steps: 5, ..RunConfig::default() }
}

/// Logits of the whole batch (B S, V) from each rank's slices, for dp = 1.
pub fn gather_logits(plan: &RunPlan, shards: &[Tensor]) -> Result<Tensor> {
    let sequence = plan.attention().sequence();
    let (local, batch) = (sequence.local_len(), plan.config().batch);
    let mut rows = Vec::new();
    for index in 0..batch {
        for position in 0..sequence.seq_len() as u32 {
            let owner = sequence
                .world()
                .ranks()
                .find_map(|rank| {
                    let place = sequence.positions(rank).iter().position(|&p| p == position)?;
                    Some((rank.index(), place))
                })
                .context("every position has an owner")?;
            rows.push(shards[owner.0].narrow(0, index * local + owner.1, 1)?);
        }
    }
    Ok(Tensor::cat(&rows, 0)?)
}
