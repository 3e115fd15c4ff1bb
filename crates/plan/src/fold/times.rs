//! How each rank spent its time, from its own clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Event, EventKind};

/// One rank's microseconds by purpose, and the steps that it finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankTimes {
    /// Training steps finished.
    pub steps: u32,
    /// From the beginning to the end of those steps.
    pub total_us: u64,
    /// Computing tiles of attention.
    pub attention_us: u64,
    /// Computing everything else.
    pub other_us: u64,
    /// Standing still for a message.
    pub waited_us: u64,
    /// Held in the step under way, by somebody who watches; no part of the total.
    pub held_us: u64,
}

impl RankTimes {
    /// Time that no event accounts for: packing, sending, reporting.
    pub fn rest_us(&self) -> u64 {
        self.total_us.saturating_sub(self.attention_us + self.other_us + self.waited_us)
    }
}

/// Every rank's times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    first: u32,
    ranks: BTreeMap<u16, RankTimes>,
}

impl Times {
    /// Nothing yet, of a run that begins after `first` steps.
    pub fn from(first: u32) -> Self {
        Self { first, ranks: BTreeMap::new() }
    }

    /// The step that the counting began at.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Adds what `event` took.
    pub fn add(&mut self, event: &Event) {
        let rank = self.ranks.entry(event.rank).or_default();
        match event.kind {
            EventKind::StepEnd { took_us } => {
                rank.steps += 1;
                rank.total_us += took_us.saturating_sub(std::mem::take(&mut rank.held_us));
            }
            EventKind::Tile { took_us, .. } => rank.attention_us += took_us,
            EventKind::Compute { took_us, .. } => rank.other_us += took_us,
            EventKind::Recv { waited_us, .. } => rank.waited_us += waited_us,
            EventKind::Held { took_us } => rank.held_us += took_us,
            _ => {}
        }
    }

    /// What `rank` spent so far.
    pub fn rank(&self, rank: u16) -> RankTimes {
        self.ranks.get(&rank).copied().unwrap_or_default()
    }

    /// Steps that all of `world` ranks have finished.
    pub fn steps(&self, world: usize) -> u32 {
        (0..world as u16).map(|rank| self.rank(rank).steps).min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Compute;

    #[test]
    fn what_no_event_accounts_for_is_the_rest() {
        let mut times = Times::default();
        let mut add = |rank, kind| times.add(&Event { rank, step: 0, at_us: 0, kind });
        add(1, EventKind::StepBegin);
        add(1, EventKind::Compute { what: Compute::Forward, took_us: 30 });
        add(1, EventKind::StepEnd { took_us: 100 });
        let rank = times.rank(1);
        assert_eq!((rank.steps, rank.other_us, rank.rest_us()), (1, 30, 70));
        assert_eq!((times.steps(2), times.rank(0).steps), (0, 0));
        let mut add = |kind| times.add(&Event { rank: 1, step: 1, at_us: 0, kind });
        add(EventKind::Held { took_us: 5000 });
        add(EventKind::StepEnd { took_us: 5100 });
        assert_eq!((times.rank(1).total_us, times.rank(1).held_us), (200, 0));
    }
}
