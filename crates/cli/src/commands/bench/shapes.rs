//! Time of a step at three sizes of model, beside the arithmetic in it and what the machine can do.

use std::time::Instant;

use anyhow::Result;
use plan::RunConfig;
use plan::bench::{SHAPE_RANKS, SHAPES, Shape, Sizes, Step};

use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

const WARM_UP: u32 = 3;
const STEPS: u32 = 20;

/// Measures every shape; `peak` in GFLOP/s is one core's.
pub fn measure(peak: f64) -> Result<Vec<Shape>> {
    SHAPES
        .into_iter()
        .map(|sizes| {
            let steps = WARM_UP + STEPS;
            let mut gflop = 0.0;
            let milliseconds = SHAPE_RANKS
                .into_iter()
                .map(|cp| {
                    let (step, work) = step(sizes.run(cp, steps), peak)?;
                    gflop = work;
                    Ok(step)
                })
                .collect::<Result<_>>()?;
            let replicas = Some(step(sizes.replicas(steps), peak)?.0.by_sequence());
            let Sizes { d_model, heads, layers, seq_len } = sizes;
            Ok(Shape { d_model, heads, layers, seq_len, gflop, milliseconds, replicas })
        })
        .collect()
}

/// The quickest step of `config`, and the GFLOP in it.
fn step(config: RunConfig, peak: f64) -> Result<(Step, f64)> {
    let job = Job::of(config, &MachineArgs::CPU)?;
    let range = Range { from: 0, to: job.plan.config().steps };
    let mut seconds = f64::INFINITY;
    train(&job, range, Clock::Wall, None, false, |step| {
        if step.report.step >= WARM_UP {
            seconds = seconds.min(step.seconds);
        }
        Ok(())
    })?;
    let world = job.plan.mesh().world();
    let operations: u64 = world.ranks().map(|rank| plan::work::step(&job.plan, rank)).sum();
    let gflop = operations as f64 * 1e-9;
    Ok((Step::new(world.get(), gflop, seconds, peak), gflop))
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
