//! States of the run that one can go back to, within a budget.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Bytes that all states together may take.
const BUDGET: usize = 64 << 20;

/// States by the number of steps after which they stood.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshots {
    states: BTreeMap<u32, Rc<[u8]>>,
    budget: usize,
}

impl Default for Snapshots {
    fn default() -> Self {
        Self { states: BTreeMap::new(), budget: BUDGET }
    }
}

impl Snapshots {
    /// The state that a run begins from, and none besides.
    pub fn from(steps: u32, bytes: Rc<[u8]>) -> Self {
        Self { states: BTreeMap::from([(steps, bytes)]), ..Self::default() }
    }

    /// Keeps the state after `steps` steps. Over the budget those go whose neighbours are nearest
    /// to each other, the first and this one excepted, so that the rest spreads over the whole run.
    pub fn add(&mut self, steps: u32, bytes: Rc<[u8]>) {
        self.states.insert(steps, bytes);
        while self.bytes() > self.budget && self.states.len() > 2 {
            let at: Vec<u32> = self.states.keys().copied().collect();
            let last = at.len() - 1;
            let gap = |i: usize| at[(i + 1).min(last)] - at[i - 1];
            let inner = (1..at.len()).filter(|&i| at[i] != steps);
            let Some(gone) = inner.min_by_key(|&i| gap(i)) else { break };
            self.states.remove(&at[gone]);
        }
    }

    /// The last state at or before `steps`.
    pub fn before(&self, steps: u32) -> Option<u32> {
        self.states.range(..=steps).next_back().map(|(&steps, _)| steps)
    }

    /// The state after `steps` steps.
    pub fn get(&self, steps: u32) -> Option<&Rc<[u8]>> {
        self.states.get(&steps)
    }

    fn bytes(&self) -> usize {
        self.states.values().map(|bytes| bytes.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> Rc<[u8]> {
        vec![0; 100].into()
    }

    #[test]
    fn the_nearest_state_before_a_step_is_found() {
        let mut snapshots = Snapshots::default();
        assert_eq!(snapshots.before(9), None);
        for steps in [10, 20] {
            snapshots.add(steps, state());
        }
        assert_eq!(
            [9, 10, 19, 99].map(|steps| snapshots.before(steps)),
            [None, Some(10), Some(10), Some(20)]
        );
        assert!(snapshots.get(20).is_some() && snapshots.get(15).is_none());
    }

    #[test]
    fn a_long_run_keeps_states_all_along() {
        let mut snapshots = Snapshots { budget: 1000, ..Snapshots::from(7, state()) };
        for steps in (10..1000).step_by(10) {
            snapshots.add(steps, state());
            assert!(snapshots.bytes() <= 1000);
            assert!(snapshots.get(steps).is_some() && snapshots.get(7).is_some());
        }
        assert!(snapshots.before(500).is_some_and(|steps| steps > 300));
        assert!(snapshots.before(300).is_some_and(|steps| steps > 100));
    }

    #[test]
    fn one_large_state_is_kept_all_the_same() {
        let mut snapshots = Snapshots { budget: 10, ..Snapshots::default() };
        snapshots.add(10, state());
        snapshots.add(20, state());
        assert!(snapshots.get(20).is_some());
        snapshots.add(30, state());
        assert_eq!(snapshots.states.keys().copied().collect::<Vec<_>>(), [10, 30]);
    }
}
