//! The figures on their way to the views. To draw them all takes longer than a frame should, so each
//! drawing of a run that goes brings the ring and some of the others.

use crate::app::record::Figures;

/// What is drawn of the figures at one time; the views of one part agree with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is drawn each time.
    Ring,
    /// The slices of the text.
    Slices,
    /// The schedule.
    Schedule,
    /// The traffic.
    Traffic,
    /// The table of the ranks.
    Ranks,
    /// The memory.
    Memory,
    /// The timeline, and what if.
    Timeline,
    /// The comparison with a kept run.
    Compare,
}

/// What is brought in turn: one by one as a run's first step fills the views, and together later,
/// when little of each is new.
const ROUNDS: [&[Part]; 3] = [
    &[Part::Slices, Part::Schedule, Part::Traffic],
    &[Part::Ranks, Part::Memory],
    &[Part::Timeline, Part::Compare],
];
/// Parts beside the ring.
const PARTS: usize = 7;

/// What the views show of the figures.
#[derive(Default)]
pub struct Gradual {
    shown: [Figures; PARTS + 1],
    /// The round that is next.
    next: usize,
    /// Drawings that have brought something of a first step, until it fills the views.
    filled: Option<usize>,
}

impl Gradual {
    /// What the views of `part` are to show.
    pub fn shown(&self, part: Part) -> &Figures {
        &self.shown[part as usize]
    }

    /// Whether parts of a run's first step are not on show yet: it fills the views, and is worth a
    /// drawing for each part at once.
    pub fn is_filling(&self) -> bool {
        self.filled.is_some()
    }

    /// Brings what is next of `all` figures.
    pub fn bring(&mut self, all: &Figures) {
        if !self.is_filling() && self.shown(Part::Ring).newest.is_none() && all.newest.is_some() {
            // What the page draws of a step without any figures comes first, by itself; then the ring.
            (self.next, self.filled) = (0, Some(0));
            return;
        }
        self.show(Part::Ring, all);
        let Some(filled) = self.filled else {
            for &part in ROUNDS[self.next] {
                self.show(part, all);
            }
            self.next = (self.next + 1) % ROUNDS.len();
            return;
        };
        let mut parts = ROUNDS.iter().copied().flatten();
        if let Some(&part) = filled.checked_sub(1).and_then(|before| parts.nth(before)) {
            self.show(part, all);
        }
        self.filled = (filled < PARTS).then_some(filled + 1);
    }

    fn show(&mut self, part: Part, all: &Figures) {
        self.shown[part as usize].clone_from(all);
    }

    /// Brings all that there is.
    pub fn bring_all(&mut self, all: &Figures) {
        self.shown.fill(all.clone());
        self.filled = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::record::WholeStep;
    use crate::app::shared::Shared;

    fn figures(step: u32) -> Figures {
        let newest = Some(Shared::new(WholeStep { step, events: Vec::new() }));
        Figures { newest, ..Figures::default() }
    }

    fn in_turn() -> Vec<Part> {
        ROUNDS.concat()
    }

    fn showing(gradual: &Gradual, all: &Figures) -> Vec<Part> {
        let parts = [vec![Part::Ring], in_turn()].concat();
        parts.into_iter().filter(|&part| gradual.shown(part) == all).collect()
    }

    #[test]
    fn a_first_step_fills_the_views_one_by_one() {
        let (mut gradual, first) = (Gradual::default(), figures(0));
        gradual.bring(&first);
        assert!(gradual.is_filling());
        assert_eq!(showing(&gradual, &first), []);
        for brought in 0..=PARTS {
            assert!(gradual.is_filling());
            gradual.bring(&first);
            assert_eq!(showing(&gradual, &first), [&[Part::Ring], &in_turn()[..brought]].concat());
        }
        assert!(!gradual.is_filling());
    }

    #[test]
    fn later_ones_bring_the_ring_and_a_round_of_others() {
        let (mut gradual, second) = (Gradual::default(), figures(1));
        gradual.bring_all(&figures(0));
        for rounds in 1..=ROUNDS.len() {
            gradual.bring(&second);
            assert!(!gradual.is_filling());
            let brought = ROUNDS[..rounds].concat();
            assert_eq!(showing(&gradual, &second), [&[Part::Ring], &brought[..]].concat());
        }
    }

    #[test]
    fn what_cannot_wait_is_shown_whole() {
        let (mut gradual, first) = (Gradual::default(), figures(0));
        gradual.bring(&first);
        gradual.bring_all(&first);
        assert!(!gradual.is_filling() && gradual.shown.iter().all(|shown| *shown == first));
        // Another run has no steps yet, and its first one fills the views again.
        gradual.bring_all(&Figures::default());
        gradual.bring(&first);
        assert!(gradual.is_filling());
    }
}
