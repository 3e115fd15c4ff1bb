//! What each training step of a run cost, evaluations left out, so that two runs can be compared
//! over the same steps.

use std::ops::Range;

use plan::EventKind;
use serde::{Deserialize, Serialize};

use crate::app::order::sort_by_key;
use crate::app::record::WholeStep;

/// What one step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct StepCost {
    slowest_us: u64,
    total_us: u64,
    waited_us: u64,
    bytes: u64,
    messages: u64,
}

/// What the steps of a run cost, each by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    first: u32,
    each: Vec<StepCost>,
}

/// What a step cost over some steps: times as medians, all else on average.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The steps, from 0.
    pub steps: Range<u32>,
    /// Microseconds of the slowest rank, the median over the steps.
    pub step_us: f64,
    /// Between which microseconds the middle half of the steps lies.
    pub middle_us: (f64, f64),
    /// Share of all ranks' time that was spent standing still for a message.
    pub waiting: f64,
    /// Bytes that all ranks sent.
    pub bytes: f64,
    /// Messages that all ranks sent.
    pub messages: f64,
}

impl Cost {
    /// Whether the middle halves of both steps' times meet: how far they are apart may then be an
    /// accident of the moment.
    pub fn is_as_quick_as(&self, other: &Self) -> bool {
        self.middle_us.0 <= other.middle_us.1 && other.middle_us.0 <= self.middle_us.1
    }
}

impl Costs {
    /// Nothing yet, of a run that begins after `first` steps.
    pub fn from(first: u32) -> Self {
        Self { first, each: Vec::new() }
    }

    /// Notes what `step` cost, in place of what it cost before.
    pub fn add(&mut self, step: &WholeStep) {
        let Some(index) = step.step.checked_sub(self.first).map(|index| index as usize) else {
            return;
        };
        // Steps come one after another: nothing is left out between the known ones and this.
        if index >= self.each.len() {
            self.each.resize(index + 1, StepCost::default());
        }
        self.each[index] = StepCost::of(step);
    }

    /// Forgets `step` and what comes after it.
    pub fn forget_from(&mut self, step: u32) {
        self.each.truncate(step.saturating_sub(self.first) as usize);
    }

    /// The steps that are known.
    pub fn steps(&self) -> Range<u32> {
        self.first..self.first + self.each.len() as u32
    }

    /// What a step cost among those of `steps` that are known; `None` if none is.
    pub fn mean(&self, steps: &Range<u32>) -> Option<Cost> {
        let steps = common(&self.steps(), steps);
        let index = |step: u32| (step - self.first) as usize;
        let each = self.each.get(index(steps.start)..index(steps.end))?;
        let sum = |of: fn(&StepCost) -> u64| each.iter().map(of).sum::<u64>() as f64;
        let (count, total) = (each.len() as f64, sum(|cost| cost.total_us));
        let mut times: Vec<u64> = each.iter().map(|cost| cost.slowest_us).collect();
        sort_by_key(&mut times, |&time| time);
        let quartile = |quarters: usize| times[(times.len() - 1) * quarters / 4] as f64;
        (count > 0.0).then(|| Cost {
            steps,
            step_us: quartile(2),
            middle_us: (quartile(1), quartile(3)),
            waiting: if total > 0.0 { sum(|cost| cost.waited_us) / total } else { 0.0 },
            bytes: sum(|cost| cost.bytes) / count,
            messages: sum(|cost| cost.messages) / count,
        })
    }

    /// What a step cost this run and `other`: over the steps that both have done, or over each
    /// run's own if there is none.
    pub fn beside(&self, other: &Self) -> (Option<Cost>, Option<Cost>) {
        let (ours, theirs) = (self.steps(), other.steps());
        let both = common(&ours, &theirs);
        match both.is_empty() {
            true => (self.mean(&ours), other.mean(&theirs)),
            false => (self.mean(&both), other.mean(&both)),
        }
    }
}

/// The steps of both; an empty range within `one` if there is none.
fn common(one: &Range<u32>, other: &Range<u32>) -> Range<u32> {
    let start = other.start.clamp(one.start, one.end);
    start..other.end.clamp(start, one.end)
}

impl StepCost {
    fn of(step: &WholeStep) -> Self {
        let mut cost = Self::default();
        for events in step.training() {
            let mut rank_us = 0u64;
            let mut held_us = 0;
            for event in events {
                match event.kind {
                    EventKind::Held { took_us } => held_us += took_us,
                    EventKind::StepEnd { took_us } => rank_us += took_us,
                    EventKind::Recv { waited_us, .. } => cost.waited_us += waited_us,
                    EventKind::Send { bytes, .. } => {
                        cost.bytes += bytes;
                        cost.messages += 1;
                    }
                    _ => {}
                }
            }
            let rank_us = rank_us.saturating_sub(held_us);
            cost.total_us += rank_us;
            cost.slowest_us = cost.slowest_us.max(rank_us);
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Event;
    use plan::event::{Axis, Op};

    fn step(step: u32, bytes: u64) -> WholeStep {
        let (axis, op, seq, block) = (Axis::Cp, Op::RingKv, 0, None);
        let rank = |rank: u16| {
            let other = 1 - rank;
            let kinds = [
                EventKind::Send { axis, op, seq, to: other, bytes, block },
                EventKind::Recv { axis, op, seq, from: other, bytes, block, waited_us: 5 },
                EventKind::Held { took_us: 1000 },
                EventKind::StepEnd { took_us: 1020 + u64::from(rank) * 10 },
                // An evaluation, which is no part of the step.
                EventKind::Send { axis, op, seq: 1, to: other, bytes, block },
                EventKind::Recv { axis, op, seq: 1, from: other, bytes, block, waited_us: 900 },
            ];
            kinds.map(|kind| Event { rank, step, at_us: 0, kind }).to_vec()
        };
        WholeStep { step, events: vec![rank(0), rank(1)] }
    }

    fn costs(first: u32, bytes: &[u64]) -> Costs {
        let mut costs = Costs::from(first);
        for (number, &bytes) in (first..).zip(bytes) {
            costs.add(&step(number, bytes));
        }
        costs
    }

    #[test]
    fn a_step_costs_what_its_events_say() {
        let cost = costs(0, &[100, 300]).mean(&(0..9)).expect("two steps are known");
        assert_eq!((cost.steps, cost.step_us, cost.bytes, cost.messages), (0..2, 30.0, 400.0, 2.0));
        assert_eq!(cost.waiting, 0.2);
        assert_eq!(Costs::default().mean(&(0..9)), None);
    }

    #[test]
    fn times_are_told_with_the_middle_half_of_the_steps() {
        let of = |times: &[u64]| {
            let each =
                times.iter().map(|&slowest_us| StepCost { slowest_us, ..StepCost::default() });
            let costs = Costs { first: 0, each: each.collect() };
            costs.mean(&costs.steps()).expect("steps are known")
        };
        let one = of(&[10, 900, 14, 12, 16]);
        assert_eq!((one.step_us, one.middle_us), (14.0, (12.0, 16.0)));
        assert!(one.is_as_quick_as(&of(&[16, 20, 24])));
        assert!(!one.is_as_quick_as(&of(&[18, 20, 24])));
    }

    #[test]
    fn a_step_that_is_done_again_counts_once() {
        let mut costs = costs(4, &[100, 300, 500]);
        costs.add(&step(5, 200));
        assert_eq!(costs.steps(), 4..7);
        assert_eq!(costs.mean(&(5..6)).map(|cost| cost.bytes), Some(400.0));
        costs.forget_from(5);
        assert_eq!(costs.steps(), 4..5);
    }

    #[test]
    fn two_runs_are_compared_over_the_steps_of_both() {
        let long = costs(0, &[10, 20, 30, 40]);
        let told = |(one, other): (Option<Cost>, Option<Cost>)| {
            [one, other].map(|cost| cost.map(|cost| (cost.steps, cost.bytes)))
        };
        let fork = costs(2, &[300, 400, 500]);
        assert_eq!(told(long.beside(&fork)), [Some((2..4, 70.0)), Some((2..4, 700.0))]);
        let later = costs(4, &[500]);
        assert_eq!(told(long.beside(&later)), [Some((0..4, 50.0)), Some((4..5, 1000.0))]);
        assert_eq!(told(later.beside(&Costs::from(9))), [Some((4..5, 1000.0)), None]);
    }
}
