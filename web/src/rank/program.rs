//! What a rank does in a run: train while steps are granted, and tell the page after each.

use std::rc::Rc;

use candle_core::Device;
use comm::{Recorder, Traced};
use plan::command::{Report, RunId};
use plan::{RunConfig, RunPlan};
use train::Trainer;

use super::world::{Entered, Seat};
use super::{causes, desk};
use crate::control::{Control, Next};
use crate::turn::Turn;

/// Runs until the last step, an error, or the page's word.
pub async fn run(
    seat: Seat,
    config: RunConfig,
    text: Option<Vec<u8>>,
    epoch_ms: f64,
    control: Rc<Control>,
) {
    let run = control.run();
    let recorder = Recorder::new(usize::from(seat.rank), desk::clock(epoch_ms));
    let outcome = match join(seat, config, &recorder) {
        Ok((plan, world)) => {
            let outcome = train(plan, text.as_deref(), &world, &recorder, &control).await;
            if let Err(message) = &outcome {
                // Before the group is dropped, which would give the others a lesser reason.
                world.group().abort(message);
            }
            outcome
        }
        Err(message) => Err(message),
    };
    if let Err(message) = outcome {
        desk::report(&Report::Failed { run, message });
    }
}

fn join(
    seat: Seat,
    config: RunConfig,
    recorder: &Rc<Recorder>,
) -> Result<(RunPlan, Entered), String> {
    let plan = RunPlan::new(config).map_err(|refusal| refusal.to_string())?;
    let group = seat.take(plan.mesh().world())?;
    let world = Entered::new(Rc::new(Traced::new(group, Rc::clone(recorder))));
    Ok((plan, world))
}

async fn train(
    plan: RunPlan,
    text: Option<&[u8]>,
    world: &Entered,
    recorder: &Rc<Recorder>,
    control: &Control,
) -> Result<(), String> {
    let run = control.run();
    let last = plan.config().steps;
    let turn = Turn::new().map_err(|error| format!("no message channel: {error:?}"))?;
    let (group, log) = (Rc::clone(world.group()), Rc::clone(recorder));
    let mut trainer = Trainer::new(plan, text, group, log, &Device::Cpu).map_err(|e| causes(&e))?;
    while trainer.steps_done() < last {
        match control.next(trainer.steps_done()) {
            Next::Train => {
                let step = trainer.steps_done();
                let outcome = trainer.step().await;
                // What happened before an error explains it.
                report_events(run, recorder, trainer.slice(step));
                outcome.map_err(|error| causes(&error))?;
                turn.pass().await.map_err(|error| format!("{error:?}"))?;
            }
            Next::Rest => {
                desk::report(&Report::Paused { run, steps: trainer.steps_done() });
                control.change().await;
            }
            Next::Wait => control.change().await,
            Next::Stop => return Ok(()),
        }
    }
    desk::report(&Report::Finished { run });
    Ok(())
}

fn report_events(run: RunId, recorder: &Recorder, tokens: Vec<u8>) {
    let events = recorder.drain();
    desk::report(&Report::Events { run, events, tokens, memory: desk::memory() });
}
