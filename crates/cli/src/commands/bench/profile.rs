//! Where a step's time goes, operation by operation.

use std::time::Instant;

use anyhow::{Context, Result};
use plan::profile::{Kind, Profile};
use plan::{Layout, RunConfig};
use serde::Serialize;
use train::Trainer;

use crate::args::{MachineArgs, ProfileShape};
use crate::job::Job;
use crate::output::table;
use crate::ranks::{self, Clock};

/// Caches and the allocator settle in these.
const WARM_UP: u32 = 5;
const STEPS: u32 = 50;

/// The profile of one shape.
#[derive(Debug, Serialize)]
pub struct View {
    d_model: usize,
    heads: usize,
    layers: usize,
    seq_len: usize,
    world_size: usize,
    /// GFLOP/s of a large matrix product on one core.
    peak_gflops: f64,
    /// Mean over ranks and steps.
    mean: Profile,
    /// Mean over steps, by rank.
    ranks: Vec<Profile>,
}

/// Profiles the default run at this shape on some ranks.
pub fn measure(shape: ProfileShape, ranks: usize, peak_gflops: f64) -> Result<View> {
    let steps = WARM_UP + STEPS;
    let layout = Layout::Zigzag;
    let ProfileShape { d_model, heads, layers, seq_len } = shape;
    let default = RunConfig::default();
    let config = RunConfig { d_model, heads, layers, seq_len, cp: ranks, layout, steps, ..default };
    let ranks = of_ranks(&Job::of(config, &MachineArgs::CPU)?, WARM_UP, STEPS)?;
    let mean = Profile::mean(&ranks).context("a world has ranks")?;
    let world_size = ranks.len();
    Ok(View { d_model, heads, layers, seq_len, world_size, peak_gflops, mean, ranks })
}

/// Each rank's steps, after some that do not count.
fn of_ranks(job: &Job, warm_up: u32, steps: u32) -> Result<Vec<Profile>> {
    let epoch = Instant::now();
    let profiles = ranks::run(&job.place, Clock::Wall, async |seat| {
        let (world, recorder) = (seat.world, seat.recorder);
        let mut trainer =
            Trainer::new(job.plan.clone(), job.text(), world.clone(), recorder, &seat.device)?;
        for _ in 0..warm_up {
            trainer.step().await?;
        }
        world.barrier().await?;
        Ok(trainer.profile(steps, move || epoch.elapsed().as_nanos() as u64).await?)
    })?;
    Ok(profiles)
}

/// What stands above the table.
pub fn title(view: &View) -> String {
    format!(
        "A step of d {}, {} heads, {} layers, {} tokens on {} ranks, the mean of {} steps: {:.3} ms, \
         {:.3} GFLOP a rank; the peak is {:.0} GFLOP/s a core, of a large matrix product.",
        view.d_model,
        view.heads,
        view.layers,
        view.seq_len,
        view.world_size,
        view.mean.steps,
        1e3 * view.mean.seconds,
        view.mean.gflop(),
        view.peak_gflops,
    )
}

/// The operations as people read them.
pub fn table(view: &View) -> comfy_table::Table {
    let Profile { seconds, operations, .. } = &view.mean;
    let mut rows = table::new(["operation", "times", "ms", "%", "GFLOP", "GFLOP/s", "% of peak"]);
    let of_step = |part: f64| table::right(format!("{:.1}", 1e2 * part / seconds));
    let ms = |seconds: f64| table::right(format!("{:.3}", 1e3 * seconds));
    for operation in operations {
        let known = |value: Option<f64>, digits: usize| {
            table::right(value.map_or_else(String::new, |value| format!("{value:.digits$}")))
        };
        let rate = operation.gflops();
        rows.add_row([
            operation.operation.as_str().into(),
            table::right(format!("{:.0}", operation.count)),
            ms(operation.seconds),
            of_step(operation.seconds),
            known(rate.map(|_| operation.gflop), 4),
            known(rate, 1),
            known(rate.map(|rate| 1e2 * rate / view.peak_gflops), 0),
        ]);
    }
    let rest = view.mean.rest();
    rows.add_row(["the rest".into(), "".into(), ms(rest), of_step(rest)]);
    rows
}

/// What stands below it.
pub fn summary(view: &View) -> String {
    let percent = |kind| 1e2 * view.mean.share(kind);
    format!(
        "{:.1} % in kernels, {:.1} % in messages and waiting, {:.1} % outside both",
        percent(Kind::Kernel),
        percent(Kind::Exchange),
        percent(Kind::Upkeep)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::StrategyKind;

    /// What the profile of a small run tells, beside the plan of it.
    fn check(config: RunConfig) {
        let told = format!("{config:?}");
        let job = Job::of(config, &MachineArgs::CPU).expect("a possible run");
        let (steps, plan) = (2, &job.plan);
        let ranks = of_ranks(&job, 1, steps).expect("it trains");
        let ids = plan.mesh().world().ranks();
        for (rank, profile) in ids.zip(&ranks) {
            let gflop = plan::work::step(plan, rank) as f64 * 1e-9;
            assert!((profile.gflop() - gflop).abs() <= 1e-9 * gflop, "{told} {rank:?}");
            assert_eq!(profile.steps, steps);
            assert!(profile.rest() >= 0.0, "{profile:?}");
            assert!(profile.operations.iter().all(|o| o.count > 0.0 && o.seconds >= 0.0));
            let shares = [Kind::Kernel, Kind::Exchange, Kind::Upkeep].map(|k| profile.share(k));
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
            assert!(shares[0] > 0.0);
        }
        let counts = |name: &str| {
            let found = ranks[0].operations.iter().find(|o| o.operation == name);
            found.map_or(0.0, |o| o.count)
        };
        let layers = (plan.model().layers * plan.config().grad_accum) as f64;
        assert_eq!(counts("qkv matmul forward"), layers);
        assert_eq!(counts("gelu backward"), layers);
        assert_eq!(counts("all_reduce"), plan.bucket_pieces().len() as f64);
        assert_eq!(counts("all_reduce, wait"), 1.0);
    }

    #[test]
    fn the_operations_are_within_the_step_and_their_arithmetic_is_the_plans() {
        let small = RunConfig { d_model: 16, seq_len: 50, cp: 1, steps: 3, ..RunConfig::default() };
        check(small.clone());
        check(RunConfig { kv_heads: Some(2), batch: 2, grad_accum: 2, ..small.clone() });
        for strategy in StrategyKind::ALL {
            for layout in Layout::ALL {
                check(RunConfig { cp: 4, strategy, layout, ..small.clone() });
            }
        }
        check(RunConfig { cp: 2, window: Some(9), ..small });
    }
}
