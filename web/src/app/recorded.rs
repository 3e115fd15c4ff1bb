//! A training step of four ranks as they once recorded it: what there is to see before any worker
//! has loaded. `tests/integration/recorded.rs` records it, and holds it to what ranks do today.

use std::hint::black_box;

use plan::Event;
use plan::fold::beats::Beats;

use crate::app::geometry::timeline::lanes;
use crate::app::record::Record;

/// Ranks that recorded it.
pub const RANKS: usize = 4;
/// Ring steps of each pass.
pub const RING_STEPS: usize = RANKS;

/// Its events by rank.
fn events() -> Vec<Vec<Event>> {
    // The tests read it; a page that could not would have nothing to show, and goes on.
    postcard::from_bytes(include_bytes!("../../recorded/step.bin")).unwrap_or_default()
}

/// The step as beats.
pub fn beats() -> Beats {
    Beats::new(0, &events())
}

/// Takes the step as if workers had sent it. A browser compiles what it runs for the first time:
/// it does so here, while the workers load, and not when they want every core.
pub fn warm_up() {
    let mut record = Record::default();
    for events in events() {
        record.add(RANKS, events);
    }
    if let Some(step) = black_box(&record).step(0) {
        black_box((Beats::new(0, &step.events), lanes(&step.events)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_warms_up_what_a_step_takes() {
        warm_up();
        let mut record = Record::default();
        events().into_iter().for_each(|events| record.add(RANKS, events));
        assert!(record.step(0).is_some(), "the step is not whole");
    }

    #[test]
    fn the_recorded_step_can_be_read() {
        let beats = beats();
        assert!(beats.beats.len() > 8, "{} beats", beats.beats.len());
        assert!(beats.beats.iter().all(|beat| beat.work.len() == RANKS));
    }
}
