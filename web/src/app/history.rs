//! The events of past steps, packed, within a budget: what was watched can be watched again.

use std::collections::BTreeMap;

use crate::app::record::WholeStep;

/// Bytes that the packed events may take.
const BUDGET: usize = 48 << 20;

/// Past steps with all that happened in them.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    steps: BTreeMap<u32, Vec<u8>>,
    bytes: usize,
    budget: usize,
}

impl Default for History {
    fn default() -> Self {
        Self { steps: BTreeMap::new(), bytes: 0, budget: BUDGET }
    }
}

impl History {
    /// Keeps `step`, in place of what was kept of it. Steps far from it give way to it.
    pub fn add(&mut self, step: &WholeStep) {
        // Events always fit postcard's model; without them the step is trained again to be seen.
        let Ok(packed) = postcard::to_allocvec(&step.events) else { return };
        self.bytes += packed.len();
        if let Some(old) = self.steps.insert(step.step, packed) {
            self.bytes -= old.len();
        }
        while self.bytes > self.budget && self.steps.len() > 1 {
            let ends = [self.steps.first_key_value(), self.steps.last_key_value()];
            let far = ends.into_iter().flatten().map(|(&end, _)| end);
            let Some(far) = far.max_by_key(|&end| end.abs_diff(step.step)) else { break };
            self.bytes -= self.steps.remove(&far).map_or(0, |packed| packed.len());
        }
    }

    /// The step, if it is still kept.
    pub fn get(&self, step: u32) -> Option<WholeStep> {
        let events = postcard::from_bytes(self.steps.get(&step)?).ok()?;
        Some(WholeStep { step, events })
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Event, EventKind};

    fn step(step: u32) -> WholeStep {
        let event = |rank| Event { rank, step, at_us: 9, kind: EventKind::StepBegin };
        WholeStep { step, events: vec![vec![event(0); 40], vec![event(1); 40]] }
    }

    #[test]
    fn a_step_comes_back_as_it_was() {
        let mut history = History::default();
        history.add(&step(3));
        history.add(&step(3));
        assert_eq!(history.get(3).map(|s| s.events), Some(step(3).events));
        assert!(history.get(4).is_none());
        assert_eq!(history.bytes(), history.steps[&3].len());
    }

    #[test]
    fn steps_far_from_the_newest_give_way() {
        let mut history = History { budget: 4000, ..History::default() };
        for number in 0..100 {
            history.add(&step(number));
            assert!(history.bytes() <= 4000);
        }
        assert!(history.get(99).is_some() && history.get(0).is_none());
        // Back at the beginning, it is the end that is far.
        history.add(&step(5));
        assert!(history.get(5).is_some() && history.get(99).is_none());
    }
}
