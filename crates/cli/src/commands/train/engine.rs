//! Trains on every rank and hands each step, whole, to the caller.

use std::collections::BTreeMap;
use std::sync::mpsc;

use anyhow::Result;
use plan::fold::Sent;
use plan::runtime::Backend;
use plan::traffic::Flow;
use plan::{Event, EventKind};
use train::{StepReport, Trainer};

use super::tell;
use crate::job::Job;
use crate::ranks::{self, Clock, Seat, Stop};

/// Steps to train, counted from 0, the last one left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Steps that are done already.
    pub from: u32,
    /// Steps that shall be done.
    pub to: u32,
}

/// One training step of all ranks.
#[derive(Debug)]
pub struct Step {
    /// Its numbers, equal on every rank.
    pub report: StepReport,
    /// What each rank has sent in it, the evaluation after it included.
    pub sent: Vec<Flow>,
    /// How long the slowest rank took, without the evaluation.
    pub seconds: f64,
    /// What each rank did.
    pub events: Vec<Vec<Event>>,
}

/// What a rank tells of a step.
struct RankStep {
    rank: usize,
    report: StepReport,
    events: Vec<Event>,
}

/// Trains `range` and calls `on_step` after each step, in order; an error of it ends the run.
/// Where ranks are processes, the one of rank 0 calls it, for all.
///
/// Returns the state at the end as checkpoint bytes, if `keep` asks for it.
pub fn train(
    job: &Job,
    range: Range,
    clock: Clock,
    resume: Option<&[u8]>,
    keep: bool,
    mut on_step: impl FnMut(Step) -> Result<()>,
) -> Result<Option<Vec<u8>>> {
    let world = job.plan.mesh().world();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let ranks = scope.spawn(move || {
            ranks::run(&job.place, clock, async |seat| {
                rank(job, range, resume, keep, seat, &sender).await
            })
        });
        let mut steps = Collector::new(world.get());
        let heard = receiver.iter().try_for_each(|step| match steps.add(step) {
            Some(whole) => on_step(whole),
            None => Ok(()),
        });
        // Without a listener the ranks stop at the end of their step.
        drop(receiver);
        let states = ranks.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        heard?;
        Ok(states.map(|mut states| states.swap_remove(0))?)
    })
}

async fn rank(
    job: &Job,
    range: Range,
    resume: Option<&[u8]>,
    keep: bool,
    seat: Seat,
    sender: &mpsc::Sender<RankStep>,
) -> Result<Option<Vec<u8>>, Stop> {
    let Seat { world, recorder, device } = seat;
    let rank = world.rank().index();
    let mut trainer =
        Trainer::new(job.plan.clone(), job.text(), world.clone(), recorder.clone(), &device)?;
    if let Some(bytes) = resume {
        trainer.resume(bytes)?;
    }
    while trainer.steps_done() < range.to {
        let report = trainer.step().await?;
        let mut told = vec![(rank, recorder.drain())];
        if job.place.profile.backend == Backend::Mpi {
            told = tell::root(world.as_ref(), told.remove(0).1).await?;
            // The telling itself is no part of the run.
            recorder.drain();
        }
        for (rank, events) in told {
            sender.send(RankStep { rank, report, events }).map_err(|_| Stop::Unheard)?;
        }
    }
    Ok(if keep && rank == 0 { Some(trainer.save()?) } else { None })
}

/// Puts the ranks' tellings of a step together.
struct Collector {
    world: usize,
    open: BTreeMap<u32, Vec<RankStep>>,
}

impl Collector {
    fn new(world: usize) -> Self {
        Self { world, open: BTreeMap::new() }
    }

    /// The step, once every rank has told of it.
    fn add(&mut self, step: RankStep) -> Option<Step> {
        let number = step.report.step;
        let told = self.open.entry(number).or_default();
        told.push(step);
        if told.len() < self.world {
            return None;
        }
        let mut told = self.open.remove(&number)?;
        told.sort_by_key(|step| step.rank);
        let mut sent = Sent::default();
        told.iter().flat_map(|step| &step.events).for_each(|event| sent.add(event));
        let took = told.iter().flat_map(|step| &step.events).filter_map(|event| match event.kind {
            EventKind::StepEnd { took_us } => Some(took_us),
            _ => None,
        });
        Some(Step {
            report: told[0].report,
            sent: (0..self.world).map(|rank| sent.rank(rank as u16)).collect(),
            seconds: took.max().unwrap_or(0) as f64 * 1e-6,
            events: told.into_iter().map(|step| step.events).collect(),
        })
    }
}
