//! What a rank does in a run: train while steps are granted, and tell the page after each.

use std::rc::Rc;

use candle_core::Device;
use comm::{Gated, Recorder, Traced};
use plan::command::{Report, RunId};
use plan::{Rank, RunConfig, RunPlan, snapshot};
use train::{TrainError, Trainer};

use super::gate::Watched;
use super::world::{Entered, Seat};
use super::{causes, desk};
use crate::control::{Control, Next};
use crate::turn::Turn;

/// What is to be trained.
pub struct Task {
    /// The run.
    pub config: RunConfig,
    /// The user's text; `None` is the built-in one.
    pub text: Option<Vec<u8>>,
    /// The checkpoint to begin from; `None` is the seed's state.
    pub from: Option<Vec<u8>>,
    /// The run's time zero on the page's clock.
    pub epoch_ms: f64,
}

/// Runs until an error or the page's word; after the last step it still answers.
pub async fn run(seat: Seat, task: Task, control: Rc<Control>) {
    let run = control.run();
    let recorder = Recorder::new(usize::from(seat.rank), desk::clock(task.epoch_ms));
    let outcome = match join(seat, &task.config, &recorder, &control) {
        Ok((plan, world)) => {
            let outcome = train(plan, task, &world, &recorder, &control).await;
            if let Err(ended) = &outcome {
                // Before the group is dropped, which would give the others a lesser reason.
                world.group().abort(&ended.message);
            }
            outcome
        }
        Err(ended) => Err(ended),
    };
    if let Err(Ended { kind, message }) = outcome {
        desk::report(&Report::Failed { run, kind: kind.to_owned(), message });
    }
}

/// Why a run ended before its last step.
pub struct Ended {
    /// Of the error, as one word for programs; empty where nobody says.
    pub kind: &'static str,
    /// The error with its causes.
    pub message: String,
}

impl From<TrainError> for Ended {
    fn from(error: TrainError) -> Self {
        Self { kind: error.kind(), message: causes(&error) }
    }
}

impl From<String> for Ended {
    fn from(message: String) -> Self {
        Self { kind: "", message }
    }
}

fn join(
    seat: Seat,
    config: &RunConfig,
    recorder: &Rc<Recorder>,
    control: &Rc<Control>,
) -> Result<(RunPlan, Entered), Ended> {
    let plan = RunPlan::new(config.clone()).map_err(TrainError::from)?;
    let group = seat.take(plan.mesh().world())?;
    let traced = Traced::new(group, Rc::clone(recorder));
    let watched = Watched { control: Rc::clone(control), recorder: Rc::clone(recorder) };
    // Outside of what is recorded: standing for somebody who watches is no waiting for a message.
    let world = Entered::new(Rc::new(Gated::new(traced, Rc::new(watched))));
    Ok((plan, world))
}

async fn train(
    plan: RunPlan,
    task: Task,
    world: &Entered,
    recorder: &Rc<Recorder>,
    control: &Control,
) -> Result<(), Ended> {
    let run = control.run();
    let last = plan.config().steps;
    let turn = Turn::new().map_err(|error| format!("no message channel: {error:?}"))?;
    let (group, log) = (Rc::clone(world.group()), Rc::clone(recorder));
    let text = task.text.as_deref();
    let mut trainer = Trainer::new(plan, text, group, log, &Device::Cpu)?;
    if let Some(bytes) = &task.from {
        trainer.resume(bytes)?;
    }
    drop(task);
    // Every rank holds the same state, so one is enough to send it.
    let keeps = world.group().rank() == Rank::ZERO;
    let mut finished = false;
    loop {
        if control.take_save() && keeps {
            send_state(run, &trainer)?;
        }
        if trainer.steps_done() >= last && !finished {
            desk::report(&Report::Finished { run });
            finished = true;
        }
        match control.next(trainer.steps_done()) {
            Next::Stop => return Ok(()),
            _ if finished => control.change().await,
            Next::Train => {
                let step = trainer.steps_done();
                let outcome = trainer.step().await;
                // What happened before an error explains it.
                report_events(run, recorder, trainer.slice(step));
                outcome?;
                if keeps && snapshot::is_due(trainer.plan(), trainer.steps_done()) {
                    send_state(run, &trainer)?;
                }
                turn.pass().await.map_err(|error| format!("{error:?}"))?;
            }
            Next::Rest => {
                desk::report(&Report::Paused { run, steps: trainer.steps_done() });
                control.change().await;
            }
            Next::Wait => control.change().await,
        }
    }
}

fn send_state(run: RunId, trainer: &Trainer) -> Result<(), Ended> {
    let bytes = trainer.save()?;
    desk::report(&Report::Snapshot { run, steps: trainer.steps_done(), bytes });
    Ok(())
}

fn report_events(run: RunId, recorder: &Recorder, tokens: Vec<u8>) {
    let events = recorder.drain();
    desk::report(&Report::Events { run, events, tokens, memory: desk::memory() });
}
