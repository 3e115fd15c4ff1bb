//! Time of a step at three sizes of model, beside the arithmetic in it and what the machine can do.

use std::time::Instant;

use anyhow::Result;
use plan::bench::{ROUNDS, SHAPE_RANKS, SHAPES, Shape, Sizes, Step};

use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

const WARM_UP: u32 = 3;
const STEPS: u32 = 20;

/// Measures every shape; `peak` in GFLOP/s is one core's.
pub fn measure(peak: f64) -> Result<Vec<Shape>> {
    SHAPES.into_iter().map(|sizes| shape(sizes, peak)).collect()
}

fn shape(sizes: Sizes, peak: f64) -> Result<Shape> {
    let steps = WARM_UP + STEPS;
    let shared = SHAPE_RANKS.map(|cp| sizes.run(cp, steps));
    let jobs = shared
        .into_iter()
        .chain([sizes.replicas(steps)])
        .map(|config| Job::of(config, &MachineArgs::CPU))
        .collect::<Result<Vec<_>>>()?;
    let mut quickest = vec![f64::INFINITY; jobs.len()];
    for _ in 0..ROUNDS {
        for (job, quickest) in jobs.iter().zip(&mut quickest) {
            *quickest = quickest.min(seconds(job, WARM_UP)?);
        }
    }
    let mut timed = jobs
        .iter()
        .zip(quickest)
        .map(|(job, seconds)| Step::new(job.plan.mesh().world().get(), gflop(job), seconds, peak));
    let milliseconds = timed.by_ref().take(SHAPE_RANKS.len()).collect();
    let replicas = timed.next().map(Step::by_sequence);
    let Sizes { d_model, heads, layers, seq_len } = sizes;
    let gflop = gflop(&jobs[0]);
    Ok(Shape { d_model, heads, layers, seq_len, gflop, milliseconds, replicas })
}

/// Seconds of the quickest step after `warm_up` of them.
pub fn seconds(job: &Job, warm_up: u32) -> Result<f64> {
    let range = Range { from: 0, to: job.plan.config().steps };
    let mut seconds = f64::INFINITY;
    train(job, range, Clock::Wall, None, false, |step| {
        if step.report.step >= warm_up {
            seconds = seconds.min(step.seconds);
        }
        Ok(())
    })?;
    Ok(seconds)
}

/// In a step's matrix products, all ranks together.
fn gflop(job: &Job) -> f64 {
    let world = job.plan.mesh().world();
    let operations: u64 = world.ranks().map(|rank| plan::work::step(&job.plan, rank)).sum();
    operations as f64 * 1e-9
}

/// GFLOP/s of a large matrix product on one core.
pub fn peak() -> Result<f64> {
    let epoch = Instant::now();
    Ok(kernels::peak::gflops(|| epoch.elapsed().as_nanos() as u64)?)
}

/// The section as people read it.
pub fn table(all: &[Shape]) -> comfy_table::Table {
    let mut rows = table::new([
        "d, heads, layers, tokens",
        "GFLOP",
        "ranks",
        "ms per step",
        "by one rank's",
        "% of peak",
    ]);
    for shape in all {
        let sizes =
            format!("{}, {}, {}, {}", shape.d_model, shape.heads, shape.layers, shape.seq_len);
        let one = shape.milliseconds.first().map_or(f64::NAN, |step| step.milliseconds);
        for (ranks, step) in shape.steps() {
            rows.add_row([
                sizes.as_str().into(),
                table::right(format!("{:.2}", shape.gflop)),
                table::right(ranks),
                table::right(format!("{:.1}", step.milliseconds)),
                super::ratio(step.milliseconds / one),
                table::right(format!("{:.0}", 1e2 * step.of_peak)),
            ]);
        }
    }
    rows
}
