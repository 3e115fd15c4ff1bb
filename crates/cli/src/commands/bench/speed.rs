//! Time of a step of the default run on 1, 2 and 4 ranks.

use anyhow::Result;
use plan::RunConfig;
use serde::Serialize;

use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

const RANKS: [usize; 3] = [1, 2, 4];
/// Caches and the allocator settle in these.
const WARM_UP: u32 = 5;
const STEPS: u32 = 30;

/// How fast a world of some size is.
#[derive(Debug, Serialize)]
pub struct Speed {
    world_size: usize,
    /// Cores that the system grants this process.
    cores: usize,
    /// Median over the steps.
    seconds_per_step: f64,
    tokens_per_s: f64,
    /// Time of one rank by (ranks x time of these).
    efficiency: f64,
}

/// Trains the default run for a few steps on each number of ranks.
pub fn measure(machine: &MachineArgs) -> Result<Vec<Speed>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut one = None;
    RANKS
        .into_iter()
        .map(|cp| {
            let steps = WARM_UP + STEPS;
            let job = Job::of(RunConfig { cp, steps, ..RunConfig::default() }, machine)?;
            let (mut seconds, mut tokens) = (Vec::new(), 0);
            train(&job, Range { from: 0, to: steps }, Clock::Wall, None, false, |step| {
                if step.report.step >= WARM_UP {
                    seconds.push(step.seconds);
                }
                tokens = step.report.valid_tokens;
                Ok(())
            })?;
            let seconds_per_step = median(seconds);
            let one = *one.get_or_insert(seconds_per_step);
            Ok(Speed {
                world_size: cp,
                cores,
                seconds_per_step,
                tokens_per_s: tokens as f64 / seconds_per_step,
                efficiency: one / (cp as f64 * seconds_per_step),
            })
        })
        .collect()
}

/// The value in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The section as people read it.
pub fn table(all: &[Speed]) -> comfy_table::Table {
    let mut rows = table::new(["ranks", "cores", "ms per step", "tokens/s", "efficiency"]);
    for speed in all {
        rows.add_row([
            table::right(speed.world_size),
            table::right(speed.cores),
            table::right(format!("{:.1}", 1e3 * speed.seconds_per_step)),
            table::right(table::grouped(speed.tokens_per_s as u64)),
            super::ratio(speed.efficiency),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_does_not_mind_one_slow_step() {
        assert_eq!(median(vec![1.0, 900.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
