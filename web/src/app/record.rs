//! All that the page keeps of a run: folds over its whole steps, the steps, and states of it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::app::cost::Costs;
use crate::app::history::History;
use crate::app::memory_log::MemoryLog;
use crate::app::origin::Origin;
use crate::app::shared::Shared;
use crate::app::snapshots::Snapshots;
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
    /// Events of steps that some rank has not finished: by step, then by rank.
    unfinished: BTreeMap<u32, Vec<Vec<Event>>>,
    history: History,
    snapshots: Snapshots,
    /// What was counted up to states that are kept.
    marks: BTreeMap<u32, Counted>,
    first: u32,
    at: u32,
    furthest: u32,
}

/// What each rank has done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Messages and bytes.
    pub sent: Shared<Sent>,
    /// Where the time went.
    pub times: Shared<Times>,
    /// What each known step cost, those included that the run has gone back from.
    pub costs: Shared<Costs>,
    /// Bytes of wasm memory by rank, as the workers last said.
    pub memory: Shared<BTreeMap<u16, u64>>,
    /// When that changed.
    pub memory_log: Shared<MemoryLog>,
    /// Each rank's slice of its newest step's first sequence.
    pub tokens: Shared<BTreeMap<u16, Vec<u8>>>,
    /// The newest step that every rank has finished.
    pub newest: Option<Shared<WholeStep>>,
}

/// What was counted up to a state: messages and bytes, and where the time went.
pub type Counted = (Shared<Sent>, Shared<Times>);

/// A step that every rank has finished, with all that happened in it.
#[derive(Debug)]
pub struct WholeStep {
    /// The step, counted from 0.
    pub step: u32,
    /// Its events by rank, in the order in which they happened.
    pub events: Vec<Vec<Event>>,
}

impl WholeStep {
    /// What each rank did to train: its events without those of an evaluation, which come after
    /// the step has ended.
    pub fn training(&self) -> impl Iterator<Item = &[Event]> {
        self.events.iter().map(|events| {
            let end = events.iter().position(is_end).map_or(events.len(), |end| end + 1);
            &events[..end]
        })
    }
}

impl Record {
    /// Nothing yet, of a run that begins from `origin`, but for the numbers of the steps before.
    pub fn from(origin: Option<&Origin>) -> Self {
        let mut record = Self::default();
        if let Some(origin) = origin {
            let (steps, bytes) = (origin.steps(), Rc::clone(&origin.bytes));
            record.curve = origin.before.clone();
            record.at = steps;
            record.first = steps;
            record.snapshots = Snapshots::from(steps, bytes);
            record.figures.times = Shared::new(Times::from(steps));
            record.figures.costs = Shared::new(Costs::from(steps));
            record.mark();
        }
        record
    }

    /// Adds events of one rank, in the order in which they happened; `world` ranks take part.
    /// Everything counts once its step is whole.
    pub fn add(&mut self, world: usize, events: Vec<Event>) {
        let mut ended = None;
        for event in events {
            if is_end(&event) {
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
            self.count(WholeStep { step, events });
        }
    }

    fn count(&mut self, whole: WholeStep) {
        let curve = self.curve.make_mut();
        let sent = self.figures.sent.make_mut();
        let times = self.figures.times.make_mut();
        for event in whole.events.iter().flatten() {
            curve.add(event);
            sent.add(event);
        }
        whole.training().flatten().for_each(|event| times.add(event));
        self.figures.costs.make_mut().add(&whole);
        self.history.add(&whole);
        self.at = whole.step + 1;
        self.furthest = self.furthest.max(self.at);
        if self.snapshots.get(self.at).is_some() {
            self.mark();
        }
        self.unfinished.retain(|&other, _| other > whole.step);
        self.figures.newest = Some(Shared::new(whole));
    }

    /// Keeps the state after `steps` steps.
    pub fn keep(&mut self, steps: u32, bytes: Rc<[u8]>) {
        self.snapshots.add(steps, bytes);
        let snapshots = &self.snapshots;
        self.marks.retain(|&steps, _| snapshots.get(steps).is_some());
        if steps == self.at {
            self.mark();
        }
    }

    /// What was counted up to a state belongs to it.
    fn mark(&mut self) {
        let mark = (self.figures.sent.clone(), self.figures.times.clone());
        self.marks.insert(self.at, mark);
    }

    /// The newest state that is kept, with the steps done and what was counted up to it.
    pub fn newest_state(&self) -> Option<(u32, &Rc<[u8]>, &Counted)> {
        let (&steps, counted) = self.marks.range(..=self.at).next_back()?;
        Some((steps, self.snapshots.get(steps)?, counted))
    }

    /// Stands where an earlier visit stood; the numbers of each step are in the record already.
    pub fn take_up(&mut self, steps: u32, state: Rc<[u8]>, counted: Counted) {
        self.marks.insert(steps, counted);
        self.snapshots.add(steps, state);
        self.furthest = steps;
        self.go_back(Some(steps));
    }

    /// A state from which `steps` can be reached, as near as there is one: kept, and with what was
    /// counted up to it.
    pub fn nearest(&self, steps: u32) -> Option<u32> {
        let mut before = self.snapshots.before(steps);
        while let Some(state) = before {
            if state == self.first || self.marks.contains_key(&state) {
                return Some(state);
            }
            before = state.checked_sub(1).and_then(|less| self.snapshots.before(less));
        }
        None
    }

    /// The ranks take up the state after `from` steps, or the seed's: what is counted begins
    /// there. Later steps stay known, since they will come out the same.
    pub fn go_back(&mut self, from: Option<u32>) {
        self.at = from.unwrap_or(0);
        self.unfinished.clear();
        let (sent, times) = self
            .marks
            .get(&self.at)
            .cloned()
            .unwrap_or_else(|| (Shared::default(), Shared::new(Times::from(self.first))));
        (self.figures.sent, self.figures.times) = (sent, times);
        self.figures.newest = self.at.checked_sub(1).and_then(|step| self.step(step));
    }

    /// Everything that happened in `step`, if it is still kept.
    pub fn step(&self, step: u32) -> Option<Shared<WholeStep>> {
        self.history.get(step).map(Shared::new)
    }

    /// The events so far of a step that no rank has finished, for a look into it.
    pub fn under_way(&self) -> Option<Shared<WholeStep>> {
        let (&step, events) = self.unfinished.first_key_value()?;
        Some(Shared::new(WholeStep { step, events: events.clone() }))
    }

    /// Notes the wasm memory of `rank`.
    pub fn set_memory(&mut self, rank: u16, bytes: u64) {
        if self.figures.memory.get(&rank) != Some(&bytes) {
            self.figures.memory.make_mut().insert(rank, bytes);
            let times = &self.figures.times;
            let steps = times.first() + times.rank(rank).steps;
            self.figures.memory_log.make_mut().note(rank, steps, bytes);
        }
    }

    /// Notes the tokens that `rank` trained on last.
    pub fn set_tokens(&mut self, rank: u16, tokens: Vec<u8>) {
        self.figures.tokens.make_mut().insert(rank, tokens);
    }

    /// Steps that all ranks have finished.
    pub fn steps(&self) -> u32 {
        self.at
    }

    /// The step at which the run began: 0, or that of a checkpoint.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// The most steps that all ranks had finished at any time.
    pub fn furthest(&self) -> u32 {
        self.furthest.max(self.at)
    }

    /// Whether any step was trained, wherever the run stands now.
    pub fn has_steps(&self) -> bool {
        self.furthest() > self.first
    }

    /// The state after `steps` steps, if it is kept.
    pub fn state(&self, steps: u32) -> Option<&Rc<[u8]>> {
        self.snapshots.get(steps)
    }

    /// The loss of the newest step, and the step.
    pub fn loss(&self) -> Option<(u32, f64)> {
        let done = self.curve.steps().rev().skip_while(|(step, _)| *step >= self.at);
        done.into_iter().find_map(|(step, numbers)| Some((step, numbers.loss?)))
    }
}

fn has_ended(events: &[Event]) -> bool {
    events.iter().any(is_end)
}

fn is_end(event: &Event) -> bool {
    matches!(event.kind, EventKind::StepEnd { .. })
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
        assert_eq!((record.steps(), record.figures.newest.is_some()), (0, false));
        record.add(2, step(1, 0, 5.0));
        assert_eq!(record.figures.newest.as_ref().map(|n| n.step), Some(0));
        record.add(2, step(1, 1, 4.0));
        assert_eq!(record.figures.newest.as_ref().map(|n| n.step), Some(1));
        assert_eq!((record.steps(), record.loss()), (2, Some((1, 4.0))));
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
        let newest = |record: &Record| record.figures.newest.as_ref().map(|n| n.events.clone());
        assert_eq!(newest(&whole), newest(&single));
    }

    fn trained(steps: u32) -> Record {
        let mut record = Record::default();
        for number in 0..steps {
            record.add(1, step(0, number, 5.0 - f64::from(number)));
            if number == 1 {
                record.keep(2, vec![7].into());
            }
        }
        record
    }

    #[test]
    fn going_back_counts_from_the_state_and_keeps_what_is_known() {
        let mut record = trained(4);
        let whole = record.figures.clone();
        assert_eq!((record.nearest(3), record.nearest(1)), (Some(2), None));
        record.go_back(Some(2));
        assert_eq!((record.steps(), record.furthest(), record.loss()), (2, 4, Some((1, 4.0))));
        assert_eq!(record.figures.newest.as_ref().map(|n| n.step), Some(1));
        assert_eq!(record.figures.times.steps(1), 2);
        record.add(1, step(0, 2, 3.0));
        record.add(1, step(0, 3, 2.0));
        assert_eq!((*record.figures.times).clone(), (*whole.times).clone());
        assert_eq!(record.curve.losses().len(), 4);
        record.go_back(None);
        assert_eq!((record.steps(), record.figures.times.steps(1), record.loss()), (0, 0, None));
    }

    #[test]
    fn what_was_counted_goes_with_its_state() {
        let mut record = Record::default();
        let large: Rc<[u8]> = vec![0; 8 << 20].into();
        for number in 0..40 {
            record.add(1, step(0, number, 5.0));
            record.keep(number + 1, Rc::clone(&large));
        }
        assert!(record.marks.len() < 20 && record.marks.contains_key(&40));
        assert!(record.marks.keys().all(|&steps| record.state(steps).is_some()));
    }

    #[test]
    fn a_run_from_a_checkpoint_counts_from_there() {
        let saved = plan::saved::Saved::of(&Default::default(), 40);
        let (bytes, before) = (vec![1].into(), trained(2).curve);
        let origin = Origin { name: String::new(), saved, bytes, before };
        let mut record = Record::from(Some(&origin));
        assert_eq!((record.curve.losses().len(), record.has_steps()), (2, false));
        assert_eq!((record.steps(), record.first(), record.nearest(45)), (40, 40, Some(40)));
        record.add(1, step(0, 40, 2.0));
        assert_eq!((record.steps(), record.figures.times.first()), (41, 40));
        record.go_back(Some(40));
        assert_eq!((record.steps(), record.figures.times.rank(0).steps), (40, 0));
    }
}
