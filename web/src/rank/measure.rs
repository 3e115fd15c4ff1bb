//! Times steps of a run that nobody watches, for the page's bench.

use std::rc::Rc;

use candle_core::Device;
use comm::{Recorder, Traced};
use plan::command::{Report, RunId};
use plan::event::EventKind;
use plan::{RunConfig, RunPlan};
use train::{TrainError, Trainer};

use super::desk;
use super::program::Ended;
use super::world::{Entered, Seat};

/// What is to be measured.
pub struct Task {
    /// The run.
    pub config: RunConfig,
    /// Steps that do not count.
    pub warm_up: u32,
    /// Steps that are timed, and as many for the profile.
    pub steps: u32,
}

/// Measures and reports. All ranks of a world are told to together.
pub async fn run(run: RunId, seat: Seat, task: Task) {
    let measured = measure(run, seat, task).await;
    desk::report(&measured.unwrap_or_else(|Ended { kind, message }| Report::Failed {
        run,
        kind: kind.to_owned(),
        message,
    }));
}

async fn measure(run: RunId, seat: Seat, task: Task) -> Result<Report, Ended> {
    let Task { config, warm_up, steps } = task;
    let plan = RunPlan::new(config).map_err(TrainError::from)?;
    let recorder = Recorder::new(usize::from(seat.rank), desk::clock(0.0));
    let group = seat.take(plan.mesh().world())?;
    let world = Entered::new(Rc::new(Traced::new(group, Rc::clone(&recorder))));
    let clock = {
        let now_us = desk::clock(0.0);
        move || now_us() * 1000
    };
    let alone = plan.mesh().world().get() == 1;
    let peak_gflops = alone.then(|| kernels::peak::gflops(&clock)).transpose();
    let peak_gflops = peak_gflops.map_err(TrainError::from)?;
    let (group, log) = (Rc::clone(world.group()), Rc::clone(&recorder));
    let mut trainer = Trainer::new(plan, None, group, log, &Device::Cpu)?;
    let mut took_us = Vec::new();
    for step in 0..warm_up + steps {
        trainer.step().await?;
        let events = recorder.drain();
        if step >= warm_up {
            took_us.extend(events.iter().filter_map(|event| match event.kind {
                EventKind::StepEnd { took_us } => Some(took_us),
                _ => None,
            }));
        }
    }
    world.group().barrier().await.map_err(TrainError::from)?;
    let profile = trainer.profile(steps, clock).await?;
    Ok(Report::Measured { run, peak_gflops, took_us, profile })
}
