//! Time of a step at three sizes of model, beside the arithmetic in it and what the machine can do.

use std::time::Instant;

use anyhow::Result;
use candle_core::{Device, Tensor};
use plan::{Layout, RunConfig};
use serde::Serialize;

use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

/// (d_model, heads, layers, tokens).
const SHAPES: [(usize, usize, usize, usize); 3] =
    [(64, 4, 2, 256), (128, 4, 4, 256), (128, 4, 4, 1024)];
const RANKS: [usize; 2] = [1, 2];
const WARM_UP: u32 = 3;
const STEPS: u32 = 20;
/// Edge of the matrices whose product gives the machine's peak.
const EDGE: usize = 512;
const PRODUCTS: u32 = 40;

/// A step of one shape.
#[derive(Debug, Serialize)]
pub struct Shape {
    d_model: usize,
    heads: usize,
    layers: usize,
    seq_len: usize,
    /// Billions of floating-point operations in a step's matrix products, all ranks together.
    gflop: f64,
    /// The quickest step, optimiser included, by number of ranks.
    milliseconds: Vec<Step>,
}

/// The quickest step on some ranks.
#[derive(Debug, Serialize)]
pub struct Step {
    world_size: usize,
    milliseconds: f64,
    /// GFLOP/s by those of a large matrix product on one core and as many cores as ranks.
    of_peak: f64,
}

/// Measures every shape; `peak` in GFLOP/s is one core's.
pub fn measure(peak: f64) -> Result<Vec<Shape>> {
    let step = |shape: (usize, usize, usize, usize), cp: usize| -> Result<(f64, f64)> {
        let (d_model, heads, layers, seq_len) = shape;
        let steps = WARM_UP + STEPS;
        let layout = Layout::Zigzag;
        let default = RunConfig::default();
        let config = RunConfig { d_model, heads, layers, seq_len, cp, layout, steps, ..default };
        let job = Job::of(config, &MachineArgs::CPU)?;
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
        .map(|shape| {
            let mut gflop = 0.0;
            let milliseconds = RANKS
                .into_iter()
                .map(|world_size| {
                    let (seconds, work) = step(shape, world_size)?;
                    gflop = work;
                    let of_peak = work / seconds / (peak * world_size as f64);
                    Ok(Step { world_size, milliseconds: 1e3 * seconds, of_peak })
                })
                .collect::<Result<_>>()?;
            let (d_model, heads, layers, seq_len) = shape;
            Ok(Shape { d_model, heads, layers, seq_len, gflop, milliseconds })
        })
        .collect()
}

/// GFLOP/s of a large matrix product on one core, the quickest of some.
pub fn peak() -> Result<f64> {
    let ones = Tensor::ones((EDGE, EDGE), candle_core::DType::F32, &Device::Cpu)?;
    let mut quickest = f64::INFINITY;
    for _ in 0..PRODUCTS {
        let start = Instant::now();
        kernels::linear::forward(&ones, &ones, None)?;
        quickest = quickest.min(start.elapsed().as_secs_f64());
    }
    Ok(2e-9 * (EDGE as f64).powi(3) / quickest)
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
