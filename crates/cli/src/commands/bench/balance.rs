//! How evenly the layouts share attention: counted in pairs beside measured in tile times.

use anyhow::Result;
use plan::{EventKind, Layout, RunConfig};
use serde::Serialize;

use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

/// Ranks in every measurement.
pub const RANKS: usize = 4;
/// Tokens in every measurement.
pub const SEQ_LEN: usize = 2048;
const WARM_UP: u32 = 1;
const STEPS: u32 = 12;

/// The slowest rank's work by the mean.
#[derive(Debug, Serialize)]
pub struct Balance {
    layout: Layout,
    /// In pairs of query and key, by the plan.
    pairs: f64,
    /// In time computed on tiles, the quickest of the steps for each rank: waiting for a core is
    /// left out, and so is what a neighbour on the same core takes.
    tile_time: f64,
}

/// Measures every layout.
pub fn measure() -> Result<Vec<Balance>> {
    Layout::ALL
        .into_iter()
        .map(|layout| {
            let steps = WARM_UP + STEPS;
            let config =
                RunConfig { seq_len: SEQ_LEN, cp: RANKS, layout, steps, ..RunConfig::default() };
            let job = Job::of(config, &MachineArgs::CPU)?;
            let mut times = vec![Vec::new(); RANKS];
            train(&job, Range { from: 0, to: steps }, Clock::Computing, None, false, |step| {
                if step.report.step >= WARM_UP {
                    for (times, events) in times.iter_mut().zip(&step.events) {
                        times.push(events.iter().map(tile_us).sum::<u64>() as f64);
                    }
                }
                Ok(())
            })?;
            Ok(Balance {
                layout,
                pairs: 1.0 / job.plan.attention().efficiency(),
                tile_time: slowest_by_mean(times.into_iter().map(quickest).collect()),
            })
        })
        .collect()
}

fn tile_us(event: &plan::Event) -> u64 {
    match event.kind {
        EventKind::Tile { took_us, .. } => took_us,
        _ => 0,
    }
}

fn quickest(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

fn slowest_by_mean(times: Vec<f64>) -> f64 {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.into_iter().fold(0.0, f64::max) / mean
}

/// The section as people read it.
pub fn table(all: &[Balance]) -> comfy_table::Table {
    let mut rows = table::new(["layout", "in pairs", "in tile time"]);
    for balance in all {
        rows.add_row([
            balance.layout.name().into(),
            super::ratio(balance.pairs),
            super::ratio(balance.tile_time),
        ]);
    }
    rows
}
