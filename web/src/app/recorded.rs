//! A training step of four ranks as they once recorded it: what there is to see before any worker
//! has loaded. `tests/integration/recorded.rs` records it, and holds it to what ranks do today.

use plan::fold::beats::Beats;

/// Ranks that recorded it.
pub const RANKS: usize = 4;
/// Ring steps of each pass.
pub const RING_STEPS: usize = RANKS;

/// The step as beats.
pub fn beats() -> Beats {
    // The tests read it; a page that could not would have nothing to show, and goes on.
    let events: Vec<Vec<plan::Event>> =
        postcard::from_bytes(include_bytes!("../../recorded/step.bin")).unwrap_or_default();
    Beats::new(0, &events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_step_can_be_read() {
        let beats = beats();
        assert!(beats.beats.len() > 8, "{} beats", beats.beats.len());
        assert!(beats.beats.iter().all(|beat| beat.work.len() == RANKS));
    }
}
