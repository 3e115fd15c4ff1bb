//! All that the page keeps of a run: folds over its events, and the newest whole step.

use std::collections::BTreeMap;

use crate::app::memory_log::MemoryLog;
use crate::app::shared::Shared;
use plan::Event;
use plan::event::EventKind;
use plan::fold::times::Times;
use plan::fold::{Curve, Sent};

/// What a run's events add up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The numbers of every step.
    pub curve: Shared<Curve>,
    /// What each rank has done so far.
    pub figures: Figures,
    /// The newest step that every rank has finished.
    pub newest: Option<Shared<WholeStep>>,
    /// Events of steps that some rank has not finished: by step, then by rank.
    unfinished: BTreeMap<u32, Vec<Vec<Event>>>,
}

/// What each rank has done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Messages and bytes.
    pub sent: Shared<Sent>,
    /// Where the time went.
    pub times: Shared<Times>,
    /// Bytes of wasm memory by rank, as the workers last said.
    pub memory: Shared<BTreeMap<u16, u64>>,
    /// When that changed.
    pub memory_log: Shared<MemoryLog>,
    /// Each rank's slice of its newest step's first sequence.
    pub tokens: Shared<BTreeMap<u16, Vec<u8>>>,
    /// The newest step that every rank has finished, for what is redrawn with the tables.
    pub newest: Option<Shared<WholeStep>>,
}

/// A step that every rank has finished, with all that happened in it.
#[derive(Debug)]
pub struct WholeStep {
    /// The step, counted from 0.
    pub step: u32,
    /// Its events by rank, in the order in which they happened.
    pub events: Vec<Vec<Event>>,
}

impl Record {
    /// Adds events of one rank, in the order in which they happened; `world` ranks take part.
    pub fn add(&mut self, world: usize, events: Vec<Event>) {
        let curve = self.curve.make_mut();
        let sent = self.figures.sent.make_mut();
        let times = self.figures.times.make_mut();
        let mut ended = None;
        for event in events {
            curve.add(&event);
            sent.add(&event);
            times.add(&event);
            if matches!(event.kind, EventKind::StepEnd { .. }) {
                ended = Some(event.step);
            }
            let step = self.unfinished.entry(event.step).or_insert_with(|| vec![Vec::new(); world]);
            if let Some(rank) = step.get_mut(usize::from(event.rank)) {
                rank.push(event);
            }
        }
        if let Some(step) = ended
            && self.unfinished.get(&step).is_some_and(|ranks| ranks.iter().all(|r| has_ended(r)))
            && let Some(events) = self.unfinished.remove(&step)
        {
            self.newest = Some(Shared::new(WholeStep { step, events }));
            self.figures.newest = self.newest.clone();
            self.unfinished.retain(|&other, _| other > step);
        }
    }

    /// Notes the wasm memory of `rank`.
    pub fn set_memory(&mut self, rank: u16, bytes: u64) {
        if self.figures.memory.get(&rank) != Some(&bytes) {
            self.figures.memory.make_mut().insert(rank, bytes);
            let steps = self.figures.times.rank(rank).steps;
            self.figures.memory_log.make_mut().note(rank, steps, bytes);
        }
    }

    /// Notes the tokens that `rank` trained on last.
    pub fn set_tokens(&mut self, rank: u16, tokens: Vec<u8>) {
        self.figures.tokens.make_mut().insert(rank, tokens);
    }

    /// Steps that all of `world` ranks have finished.
    pub fn steps(&self, world: usize) -> u32 {
        self.figures.times.steps(world)
    }

    /// The newest loss and its step.
    pub fn loss(&self) -> Option<(u32, f64)> {
        self.curve.steps().rev().find_map(|(step, numbers)| Some((step, numbers.loss?)))
    }
}

fn has_ended(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::StepEnd { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Scalar;

    fn step(rank: u16, step: u32, loss: f64) -> Vec<Event> {
        let event = |kind| Event { rank, step, at_us: 0, kind };
        vec![
            event(EventKind::StepBegin),
            event(EventKind::Scalar { name: Scalar::Loss, value: loss }),
            event(EventKind::StepEnd { took_us: 10 }),
        ]
    }

    #[test]
    fn a_step_is_whole_when_its_last_rank_has_ended() {
        let mut record = Record::default();
        record.add(2, step(0, 0, 5.0));
        record.add(2, step(0, 1, 4.0));
        assert_eq!((record.steps(2), record.newest.is_some()), (0, false));
        record.add(2, step(1, 0, 5.0));
        assert_eq!(record.newest.as_ref().map(|n| n.step), Some(0));
        record.add(2, step(1, 1, 4.0));
        assert_eq!(record.newest.as_ref().map(|n| n.step), Some(1));
        assert_eq!((record.steps(2), record.loss()), (2, Some((1, 4.0))));
        assert!(record.unfinished.is_empty());
    }

    #[test]
    fn memory_is_noted_when_it_changes_with_the_steps_done() {
        let mut record = Record::default();
        for (n, bytes) in [64, 64, 128, 128].into_iter().enumerate() {
            record.add(1, step(0, n as u32, 5.0));
            record.set_memory(0, bytes);
        }
        assert_eq!(record.figures.memory_log.changes(0), [(1, 64), (3, 128)]);
        assert_eq!(record.figures.memory.get(&0), Some(&128));
    }

    #[test]
    fn the_batching_of_events_does_not_matter() {
        let mut whole = Record::default();
        let mut single = Record::default();
        whole.add(1, step(0, 0, 5.0));
        for event in step(0, 0, 5.0) {
            single.add(1, vec![event]);
        }
        assert_eq!(*whole.curve, *single.curve);
        assert_eq!(*whole.figures.times, *single.figures.times);
        let newest = |record: &Record| record.newest.as_ref().map(|n| n.events.clone());
        assert_eq!(newest(&whole), newest(&single));
    }
}
