//! Time of a step at three sizes of model, beside the arithmetic in it and what the machine can do.

use std::time::Instant;

use anyhow::Result;
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
    let step = |sizes: Sizes, cp: usize| -> Result<(f64, f64)> {
        let steps = WARM_UP + STEPS;
        let job = Job::of(sizes.run(cp, steps), &MachineArgs::CPU)?;
        let mut quickest = f64::INFINITY;
        train(&job, Range { from: 0, to: steps }, Clock::Wall, None, false, |step| {
            if step.report.step >= WARM_UP {
                quickest = quickest.min(step.seconds);
            }
            Ok(())
        })?;
        let ranks = job.plan.mesh().world().ranks();
        let operations: u64 = ranks.map(|rank| plan::work::step(&job.plan, rank)).sum();
        Ok((quickest, operations as f64 * 1e-9))
    };
    SHAPES
        .into_iter()
        .map(|sizes| {
            let mut gflop = 0.0;
            let milliseconds = SHAPE_RANKS
                .into_iter()
                .map(|world_size| {
                    let (seconds, work) = step(sizes, world_size)?;
                    gflop = work;
                    let of_peak = work / seconds / (peak * world_size as f64);
                    Ok(Step { world_size, milliseconds: 1e3 * seconds, of_peak })
                })
                .collect::<Result<_>>()?;
            let Sizes { d_model, heads, layers, seq_len } = sizes;
            Ok(Shape { d_model, heads, layers, seq_len, gflop, milliseconds })
        })
        .collect()
}

/// GFLOP/s of a large matrix product on one core.
pub fn peak() -> Result<f64> {
    let epoch = Instant::now();
    Ok(kernels::peak::gflops(|| epoch.elapsed().as_nanos() as u64)?)
}

/// The section as people read it.
pub fn table(all: &[Shape]) -> comfy_table::Table {
    let mut rows =
        table::new(["d, heads, layers, tokens", "GFLOP", "ranks", "ms per step", "% of peak"]);
    for shape in all {
        let sizes =
            format!("{}, {}, {}, {}", shape.d_model, shape.heads, shape.layers, shape.seq_len);
        for step in &shape.milliseconds {
            rows.add_row([
                sizes.as_str().into(),
                table::right(format!("{:.2}", shape.gflop)),
                table::right(step.world_size),
                table::right(format!("{:.1}", step.milliseconds)),
                table::right(format!("{:.0}", 1e2 * step.of_peak)),
            ]);
        }
    }
    rows
}
