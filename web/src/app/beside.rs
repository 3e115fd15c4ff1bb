//! A run that is kept to compare another with: its settings, losses and costs.

use std::rc::Rc;

use plan::RunPlan;
use plan::fold::Curve;

use crate::app::cost::Costs;
use crate::app::form::{Change, Form};
use crate::app::origin::Origin;
use crate::app::shared::Shared;
use crate::app::state::{OwnText, State};

/// Relative difference of two losses above which two runs have parted: sums in another order
/// differ less.
const PARTED: f64 = 1e-4;

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Its settings as they were entered.
    pub form: Form,
    /// What it was.
    pub plan: Shared<RunPlan>,
    /// What it read and began from, beside its settings.
    pub source: Source,
    /// Its numbers.
    pub curve: Shared<Curve>,
    /// What its steps cost.
    pub costs: Shared<Costs>,
}

/// What a run reads and begins from that its settings do not tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The user's own text.
    pub text: Option<OwnText>,
    /// The state in place of its seed's.
    pub origin: Option<Rc<Origin>>,
}

impl Source {
    /// That of `state`'s run.
    pub fn of(state: &State) -> Self {
        Self { text: state.used_text.clone(), origin: state.origin.clone() }
    }
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

impl Beside {
    /// Keeps the run of `state` as it is now.
    pub fn of(state: &State) -> Self {
        Self {
            form: Form::of(state.plan.config()),
            plan: state.plan.clone(),
            source: Source::of(state),
            curve: state.record.curve.clone(),
            costs: state.record.figures.costs.clone(),
        }
    }

    /// Settings in which `form` differs: the field, what it was here, what it is there.
    pub fn changes(&self, form: &Form) -> Vec<Change> {
        let mut changes = self.form.changes(form);
        changes.retain(|(field, ..)| !field.is_limit());
        changes
    }

    /// Compares its losses with `curve`'s, of a run that began after `first` steps: before that both
    /// may be one run. `None` without a step in common.
    pub fn apart(&self, curve: &Curve, first: u32) -> Option<Apart> {
        let ours = self.curve.losses();
        let mut apart: Option<Apart> = None;
        for (step, loss) in curve.losses().into_iter().filter(|&(step, _)| step >= first) {
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

    /// The gradient's norm at the first step after `first` that both have done: the step, ours, `curve`'s.
    pub fn norms(&self, curve: &Curve, first: u32) -> Option<(u32, f64, f64)> {
        let ours = self.curve.grad_norms();
        let mut theirs = curve.grad_norms().into_iter().filter(|&(step, _)| step >= first);
        theirs.find_map(|(step, norm)| Some((step, at(&ours, step)?, norm)))
    }
}

/// The value at `step`, if there is one; the steps are in order.
fn at(curve: &[(u32, f64)], step: u32) -> Option<f64> {
    let place = curve.binary_search_by_key(&step, |&(step, _)| step).ok()?;
    Some(curve[place].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Scalar;
    use plan::{Event, EventKind};

    use crate::app::fields::Field;
    use crate::app::language::Language;
    use crate::app::state::Action;

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
        let apart =
            kept.apart(&curve(&[5.0, 4.00001, 2.5, 2.0]), 0).expect("three steps in common");
        assert_eq!((apart.steps, apart.largest, apart.parted), (3, (2, 0.5), Some(2)));
        assert_eq!(apart.last, (2, 3.0, 2.5));
        assert_eq!(kept.apart(&curve(&[5.0]), 0).and_then(|apart| apart.parted), None);
        assert_eq!(kept.apart(&Curve::default(), 0), None);
        let fork = kept.apart(&curve(&[5.0, 4.0, 3.0]), 2).expect("one step of its own");
        assert_eq!(fork.steps, 1);
        let broken = kept.apart(&curve(&[5.0, f64::NAN]), 0).expect("two steps in common");
        assert_eq!(broken.parted, Some(1));
        assert!(broken.largest.1.is_nan());
    }

    #[test]
    fn another_text_is_a_difference() {
        let (mut state, _) = State::open("", Language::default());
        let kept = Beside::of(&state);
        assert_eq!(kept.source, Source::of(&state));
        state.apply(Action::UseText(Some(OwnText { name: None, bytes: vec![7; 300].into() })));
        assert_eq!(kept.changes(&state.form), []);
        assert_ne!(kept.source, Source::of(&state));
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
        assert_eq!(kept.norms(&norms(1, &[0.5, 0.1]), 0), Some((1, 2.0, 0.5)));
        assert_eq!(kept.norms(&norms(3, &[0.5]), 0), None);
    }

    #[test]
    fn settings_that_differ_are_named() {
        let kept = beside(&[]);
        let form = Form::default().with(Field::Layout, "zigzag").with(Field::Speed, "1");
        let expect = (Field::Layout, "contiguous".to_owned(), "zigzag".to_owned());
        assert_eq!(kept.changes(&form), [expect]);
    }
}
