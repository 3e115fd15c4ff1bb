//! A run that is kept to compare another with: its settings, losses, traffic and times.

use plan::RunPlan;
use plan::fold::times::Times;
use plan::fold::{Curve, Sent};

use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::shared::Shared;
use crate::app::state::State;

/// Relative difference of two losses above which two runs have parted: sums in another order
/// differ less.
const PARTED: f64 = 1e-4;

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Its settings as they were entered.
    pub form: Form,
    /// The step that it began from, if that was not its seed.
    pub from: Option<u32>,
    /// What it was.
    pub plan: Shared<RunPlan>,
    /// Its numbers.
    pub curve: Shared<Curve>,
    /// What each rank sent.
    pub sent: Shared<Sent>,
    /// How each rank spent its time.
    pub times: Shared<Times>,
}

/// How far the losses of two runs are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Steps that both have done.
    pub steps: usize,
    /// The largest absolute difference, and its step.
    pub largest: (u32, f64),
    /// The first step at which they are no longer the same run in another order.
    pub parted: Option<u32>,
    /// The last step that both have done, and both losses.
    pub last: (u32, f64, f64),
}

/// What a step cost a run, on average over its steps and ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Steps that were counted.
    pub steps: u32,
    /// Microseconds of the slowest rank.
    pub step_us: f64,
    /// Share of all ranks' time that was spent standing still for a message.
    pub waiting: f64,
    /// Bytes that all ranks sent.
    pub bytes: f64,
    /// Messages that all ranks sent.
    pub messages: f64,
}

impl Beside {
    /// Keeps the run of `state` as it is now.
    pub fn of(state: &State) -> Self {
        Self {
            form: Form::of(state.plan.config()),
            from: state.origin.as_ref().map(|origin| origin.steps()),
            plan: state.plan.clone(),
            curve: state.record.curve.clone(),
            sent: state.record.figures.sent.clone(),
            times: state.record.figures.times.clone(),
        }
    }

    /// Settings in which `form` differs: the field, what it was here, what it is there.
    pub fn changes(&self, form: &Form) -> Vec<(Field, String, String)> {
        let change = |field: Field| {
            let (was, is) = (self.form.get(field).trim(), form.get(field).trim());
            (was != is && !field.is_limit()).then(|| (field, was.to_owned(), is.to_owned()))
        };
        Field::ALL.into_iter().filter_map(change).collect()
    }

    /// Compares its losses with `curve`'s; `None` without a step in common.
    pub fn apart(&self, curve: &Curve) -> Option<Apart> {
        let ours = self.curve.losses();
        let mut apart: Option<Apart> = None;
        for (step, loss) in curve.losses() {
            let Some(our) = at(&ours, step) else { continue };
            let by = (loss - our).abs();
            let entry = apart.get_or_insert(Apart {
                steps: 0,
                largest: (step, by),
                parted: None,
                last: (step, our, loss),
            });
            entry.steps += 1;
            entry.last = (step, our, loss);
            // NaN counts as the largest.
            if by > entry.largest.1 || by.is_nan() {
                entry.largest = (step, by);
            }
            if entry.parted.is_none() && (by.is_nan() || by > PARTED * our.abs().max(loss.abs())) {
                entry.parted = Some(step);
            }
        }
        apart
    }

    /// The gradient's norm at the first step that both have done: the step, ours, `curve`'s.
    pub fn norms(&self, curve: &Curve) -> Option<(u32, f64, f64)> {
        let ours = self.curve.grad_norms();
        let mut theirs = curve.grad_norms().into_iter();
        theirs.find_map(|(step, norm)| Some((step, at(&ours, step)?, norm)))
    }

    /// What its steps cost.
    pub fn cost(&self) -> Cost {
        Cost::of(self.plan.mesh().world().get(), &self.sent, &self.times)
    }
}

/// The value at `step`, if there is one; the steps are in order.
fn at(curve: &[(u32, f64)], step: u32) -> Option<f64> {
    let place = curve.binary_search_by_key(&step, |&(step, _)| step).ok()?;
    Some(curve[place].1)
}

impl Cost {
    /// What the steps of `world` ranks cost.
    pub fn of(world: usize, sent: &Sent, times: &Times) -> Self {
        let ranks: Vec<_> =
            (0..world as u16).map(|rank| (times.rank(rank), sent.rank(rank))).collect();
        let steps = ranks.iter().map(|(times, _)| times.steps).min().unwrap_or(0);
        let each = f64::from(steps.max(1));
        let total: u64 = ranks.iter().map(|(times, _)| times.total_us).sum();
        let waited: u64 = ranks.iter().map(|(times, _)| times.waited_us).sum();
        let slowest = ranks.iter().map(|(times, _)| times.total_us).max().unwrap_or(0);
        Self {
            steps,
            step_us: slowest as f64 / each,
            waiting: if total > 0 { waited as f64 / total as f64 } else { 0.0 },
            bytes: ranks.iter().map(|(_, sent)| sent.bytes).sum::<u64>() as f64 / each,
            messages: ranks.iter().map(|(_, sent)| sent.messages).sum::<u64>() as f64 / each,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::{Axis, Op, Scalar};
    use plan::{Event, EventKind};

    use crate::app::language::Language;

    fn curve(losses: &[f64]) -> Curve {
        let mut curve = Curve::default();
        for (step, &value) in losses.iter().enumerate() {
            let kind = EventKind::Scalar { name: Scalar::Loss, value };
            curve.add(&Event { rank: 0, step: step as u32, at_us: 0, kind });
        }
        curve
    }

    fn beside(losses: &[f64]) -> Beside {
        let (mut state, _) = State::open("", Language::default());
        state.record.curve = Shared::new(curve(losses));
        Beside::of(&state)
    }

    #[test]
    fn runs_part_where_rounding_no_longer_explains_it() {
        let kept = beside(&[5.0, 4.0, 3.0]);
        let apart = kept.apart(&curve(&[5.0, 4.00001, 2.5, 2.0])).expect("three steps in common");
        assert_eq!((apart.steps, apart.largest, apart.parted), (3, (2, 0.5), Some(2)));
        assert_eq!(apart.last, (2, 3.0, 2.5));
        assert_eq!(kept.apart(&curve(&[5.0])).and_then(|apart| apart.parted), None);
        assert_eq!(kept.apart(&Curve::default()), None);
        let broken = kept.apart(&curve(&[5.0, f64::NAN])).expect("two steps in common");
        assert_eq!(broken.parted, Some(1));
        assert!(broken.largest.1.is_nan());
    }

    #[test]
    fn gradient_norms_are_told_at_the_first_common_step() {
        let norms = |from: u32, values: &[f64]| {
            let mut curve = Curve::default();
            for (step, &value) in (from..).zip(values) {
                let kind = EventKind::Scalar { name: Scalar::GradNorm, value };
                curve.add(&Event { rank: 0, step, at_us: 0, kind });
            }
            curve
        };
        let mut kept = beside(&[]);
        kept.curve = Shared::new(norms(0, &[4.0, 2.0, 1.0]));
        assert_eq!(kept.norms(&norms(1, &[0.5, 0.1])), Some((1, 2.0, 0.5)));
        assert_eq!(kept.norms(&norms(3, &[0.5])), None);
    }

    #[test]
    fn settings_that_differ_are_named() {
        let kept = beside(&[]);
        let form = Form::default().with(Field::Layout, "zigzag").with(Field::Speed, "1");
        let expect = (Field::Layout, "contiguous".to_owned(), "zigzag".to_owned());
        assert_eq!(kept.changes(&form), [expect]);
    }

    #[test]
    fn a_step_costs_what_its_events_say() {
        let (mut sent, mut times) = (Sent::default(), Times::default());
        for rank in 0..2u16 {
            for step in 0..2 {
                for kind in [
                    EventKind::Send {
                        axis: Axis::Cp,
                        op: Op::RingKv,
                        seq: 0,
                        to: 1 - rank,
                        bytes: 100,
                        block: None,
                    },
                    EventKind::Recv {
                        axis: Axis::Cp,
                        op: Op::RingKv,
                        seq: 0,
                        from: 1 - rank,
                        bytes: 100,
                        block: None,
                        waited_us: 5,
                    },
                    EventKind::StepEnd { took_us: 20 + u64::from(rank) * 10 },
                ] {
                    let event = Event { rank, step, at_us: 0, kind };
                    sent.add(&event);
                    times.add(&event);
                }
            }
        }
        let cost = Cost::of(2, &sent, &times);
        assert_eq!((cost.steps, cost.step_us, cost.bytes, cost.messages), (2, 30.0, 200.0, 2.0));
        assert_eq!(cost.waiting, 0.2);
    }
}
