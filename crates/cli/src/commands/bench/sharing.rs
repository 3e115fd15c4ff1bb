//! What sharing a sequence costs: the computing of all ranks together by that of one, and what
//! it saves in time.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use anyhow::Result;
use plan::RunConfig;
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
    // By how many cores are busy.
    let mut alone = BTreeMap::new();
    SHARING_RANKS
        .into_iter()
        .map(|cp| {
            let steps = WARM_UP + STEPS;
            let busy = cp.min(cores);
            let job = Job::of(Sizes::shared().run(cp, steps), &MachineArgs::CPU)?;
            let seconds = computed(&job)?;
            let one = *one.get_or_insert(seconds);
            if let Entry::Vacant(entry) = alone.entry(busy) {
                let replicas = RunConfig { dp: busy, ..Sizes::shared().run(1, steps) };
                let replicas = Job::of(replicas, &MachineArgs::CPU)?;
                entry.insert(computed(&replicas)? / busy as f64);
            }
            let mut wall_seconds = f64::INFINITY;
            train(&job, Range { from: 0, to: steps }, Clock::Wall, None, false, |step| {
                if step.report.step >= WARM_UP {
                    wall_seconds = wall_seconds.min(step.seconds);
                }
                Ok(())
            })?;
            let one_wall = *one_wall.get_or_insert(wall_seconds);
            Ok(Sharing {
                world_size: cp,
                seconds: Some(seconds),
                ratio: Some(seconds / one),
                busy_ratio: Some(seconds / alone[&busy]),
                wall_seconds,
                efficiency: one_wall / (wall_seconds * busy as f64),
            })
        })
        .collect()
}

/// Seconds that the ranks of a step compute, all together, each in its quickest step.
fn computed(job: &Job) -> Result<f64> {
    let mut quickest = vec![f64::INFINITY; job.plan.mesh().world().get()];
    let range = Range { from: 0, to: job.plan.config().steps };
    train(job, range, Clock::Computing, None, false, |step| {
        if step.report.step >= WARM_UP {
            for (quickest, events) in quickest.iter_mut().zip(&step.events) {
                *quickest = quickest.min(step_seconds(events));
            }
        }
        Ok(())
    })?;
    Ok(quickest.iter().sum())
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
        "by one of busy cores",
        "ms per step",
        "efficiency",
    ]);
    let known = |text: Option<String>| table::right(text.unwrap_or_default());
    for sharing in all {
        rows.add_row([
            table::right(sharing.world_size),
            known(sharing.seconds.map(|seconds| format!("{:.0}", 1e3 * seconds))),
            known(sharing.ratio.map(|ratio| format!("{ratio:.2}"))),
            known(sharing.busy_ratio.map(|ratio| format!("{ratio:.2}"))),
            table::right(format!("{:.1}", 1e3 * sharing.wall_seconds)),
            super::ratio(sharing.efficiency),
        ]);
    }
    rows
}
