//! What sharing a sequence costs: the computing of all ranks together by that of one, and what
//! it saves in time.

use anyhow::Result;
use plan::bench::{SHARING_RANKS, Sharing, Sizes};

use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

const WARM_UP: u32 = 1;
const STEPS: u32 = 5;

/// Measures every number of ranks; a thread's own clock leaves waiting for a core out.
pub fn measure() -> Result<Vec<Sharing>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut one, mut one_wall) = (None, None);
    SHARING_RANKS
        .into_iter()
        .map(|cp| {
            let steps = WARM_UP + STEPS;
            let job = Job::of(Sizes::shared().run(cp, steps), &MachineArgs::CPU)?;
            let mut quickest = vec![f64::INFINITY; cp];
            train(&job, Range { from: 0, to: steps }, Clock::Computing, None, false, |step| {
                if step.report.step >= WARM_UP {
                    for (quickest, events) in quickest.iter_mut().zip(&step.events) {
                        *quickest = quickest.min(step_seconds(events));
                    }
                }
                Ok(())
            })?;
            let seconds: f64 = quickest.iter().sum();
            let one = *one.get_or_insert(seconds);
            let mut wall_seconds = f64::INFINITY;
            train(&job, Range { from: 0, to: steps }, Clock::Wall, None, false, |step| {
                if step.report.step >= WARM_UP {
                    wall_seconds = wall_seconds.min(step.seconds);
                }
                Ok(())
            })?;
            let one_wall = *one_wall.get_or_insert(wall_seconds);
            let efficiency = one_wall / (wall_seconds * cp.min(cores) as f64);
            let (seconds, ratio) = (Some(seconds), Some(seconds / one));
            Ok(Sharing { world_size: cp, seconds, ratio, wall_seconds, efficiency })
        })
        .collect()
}

/// What the rank's own clock says of its step, messages and events included.
fn step_seconds(events: &[plan::Event]) -> f64 {
    events
        .iter()
        .map(|event| match event.kind {
            plan::EventKind::StepEnd { took_us } => took_us as f64 * 1e-6,
            _ => 0.0,
        })
        .sum()
}

/// The section as people read it.
pub fn table(all: &[Sharing]) -> comfy_table::Table {
    let mut rows = table::new([
        "ranks",
        "ms computed, all ranks",
        "by one rank's",
        "ms per step",
        "efficiency",
    ]);
    let known = |text: Option<String>| table::right(text.unwrap_or_default());
    for sharing in all {
        rows.add_row([
            table::right(sharing.world_size),
            known(sharing.seconds.map(|seconds| format!("{:.0}", 1e3 * seconds))),
            known(sharing.ratio.map(|ratio| format!("{ratio:.2}"))),
            table::right(format!("{:.1}", 1e3 * sharing.wall_seconds)),
            super::ratio(sharing.efficiency),
        ]);
    }
    rows
}
