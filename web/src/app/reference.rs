//! The one-rank run's losses beside the real run's.

use std::collections::BTreeMap;

use plan::Message;
use plan::fold::Curve;

/// What the one-rank reference has found so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReferenceLog {
    /// Its losses by step.
    pub losses: BTreeMap<u32, f64>,
    /// Why it stopped, if it did.
    pub failure: Option<Message>,
}

/// How far two runs are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The largest absolute difference of the losses.
    pub largest: f64,
    /// The step where it was.
    pub at: u32,
    /// How many steps both have done.
    pub steps: usize,
}

impl ReferenceLog {
    /// Compares the steps that both have done; `None` before there are any.
    pub fn compare(&self, curve: &Curve) -> Option<Difference> {
        let mut difference: Option<Difference> = None;
        for (step, loss) in curve.losses() {
            let Some(reference) = self.losses.get(&step) else { continue };
            let apart = (loss - reference).abs();
            let entry = difference.get_or_insert(Difference { largest: apart, at: step, steps: 0 });
            entry.steps += 1;
            // NaN counts as the largest.
            if apart > entry.largest || apart.is_nan() {
                (entry.largest, entry.at) = (apart, step);
            }
        }
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Scalar;
    use plan::{Event, EventKind};

    #[test]
    fn the_largest_difference_is_over_common_steps() {
        let mut curve = Curve::default();
        for (step, value) in [(0, 5.0), (1, 4.0), (2, 3.0)] {
            let kind = EventKind::Scalar { name: Scalar::Loss, value };
            curve.add(&Event { rank: 0, step, at_us: 0, kind });
        }
        let mut log = ReferenceLog::default();
        assert_eq!(log.compare(&curve), None);
        log.losses.extend([(0, 5.0), (1, 4.5)]);
        let difference = log.compare(&curve).expect("two steps in common");
        assert_eq!((difference.largest, difference.at, difference.steps), (0.5, 1, 2));
        log.losses.insert(2, f64::NAN);
        assert!(log.compare(&curve).is_some_and(|d| d.largest.is_nan()));
    }
}
