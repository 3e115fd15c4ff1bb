//! A rank's clock that stands while the rank is held for somebody who watches.

use crate::event::{Event, EventKind};

/// The clock of one rank in one step.
pub struct Clock {
    /// When it was held, and until when.
    held: Vec<(u64, u64)>,
}

impl Clock {
    /// The clock of the rank whose `events` these are.
    pub fn of(events: &[Event]) -> Self {
        let held = events.iter().filter(|event| matches!(event.kind, EventKind::Held { .. }));
        Self { held: held.map(|event| (event.start_us(), event.at_us)).collect() }
    }

    /// What it shows at `us` microseconds by an event's clock.
    pub fn at(&self, us: u64) -> u64 {
        let stood = |&(from, to): &(u64, u64)| us.clamp(from, to) - from;
        us - self.held.iter().map(stood).sum::<u64>()
    }
}
