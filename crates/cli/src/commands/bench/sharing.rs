//! What sharing a sequence costs: the computing of all ranks together by that of one, and what
//! it saves in time.

use std::collections::BTreeMap;

use anyhow::Result;
use plan::RunConfig;
use plan::bench::{ROUNDS, SHARING_RANKS, Sharing, Sizes};

use super::shapes;
use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

const WARM_UP: u32 = 1;
const STEPS: u32 = 3;

/// A run, and what was found of it so far.
struct Timed {
    job: Job,
    /// Seconds of computing in each rank's quickest step.
    computed: Vec<f64>,
    /// Seconds of the quickest step on the wall, where that is asked for.
    wall: f64,
}

/// Measures every number of ranks, [`ROUNDS`] times in turn; a thread's own clock leaves waiting for
/// a core out.
pub fn measure() -> Result<Vec<Sharing>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let busy = |cp: usize| cp.min(cores);
    let shared = |cp: usize, dp: usize| {
        Timed::new(RunConfig { dp, ..Sizes::shared().run(cp, WARM_UP + STEPS) })
    };
    let mut ranks =
        SHARING_RANKS.into_iter().map(|cp| shared(cp, 1)).collect::<Result<Vec<_>>>()?;
    // A rank by itself on each of so many cores.
    let mut alone = BTreeMap::new();
    for cp in SHARING_RANKS.map(busy) {
        alone.insert(cp, shared(1, cp)?);
    }
    for _ in 0..ROUNDS {
        for timed in ranks.iter_mut() {
            timed.computing()?;
            timed.wall = timed.wall.min(shapes::seconds(&timed.job, WARM_UP)?);
        }
        for timed in alone.values_mut() {
            timed.computing()?;
        }
    }
    let found = SHARING_RANKS.into_iter().zip(&ranks).map(|(cp, timed)| {
        let seconds = timed.computed();
        let cores = busy(cp);
        Sharing {
            world_size: cp,
            seconds: Some(seconds),
            ratio: Some(seconds / ranks[0].computed()),
            busy_ratio: Some(seconds / (alone[&cores].computed() / cores as f64)),
            wall_seconds: timed.wall,
            efficiency: ranks[0].wall / (timed.wall * cores as f64),
        }
    });
    Ok(found.collect())
}

impl Timed {
    fn new(config: RunConfig) -> Result<Self> {
        let job = Job::of(config, &MachineArgs::CPU)?;
        let computed = vec![f64::INFINITY; job.plan.mesh().world().get()];
        Ok(Self { job, computed, wall: f64::INFINITY })
    }

    fn computing(&mut self) -> Result<()> {
        let range = Range { from: 0, to: self.job.plan.config().steps };
        let computed = &mut self.computed;
        train(&self.job, range, Clock::Computing, None, false, |step| {
            if step.report.step >= WARM_UP {
                for (quickest, events) in computed.iter_mut().zip(&step.events) {
                    *quickest = quickest.min(step_seconds(events));
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Seconds that all ranks compute together.
    fn computed(&self) -> f64 {
        self.computed.iter().sum()
    }
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
