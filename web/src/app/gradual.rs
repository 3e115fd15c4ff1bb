//! The figures on their way to the views. To draw them all takes longer than a frame should, so each
//! drawing of a run that goes brings the ring and one more view.

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

/// What is brought in turn.
const IN_TURN: [Part; 7] = [
    Part::Slices,
    Part::Schedule,
    Part::Traffic,
    Part::Ranks,
    Part::Memory,
    Part::Timeline,
    Part::Compare,
];

/// What the views show of the figures.
#[derive(Default)]
pub struct Gradual {
    shown: [Figures; IN_TURN.len() + 1],
    next: usize,
    /// Drawings until every part of a first step has been brought.
    left: usize,
}

impl Gradual {
    /// What the views of `part` are to show.
    pub fn shown(&self, part: Part) -> &Figures {
        &self.shown[part as usize]
    }

    /// Whether parts of a run's first step are not on show yet: it fills the views, and is worth a
    /// drawing for each part at once.
    pub fn is_filling(&self) -> bool {
        self.left > 0
    }

    /// Brings the next part of `all` figures.
    pub fn bring(&mut self, all: &Figures) {
        if self.left == 0 && self.shown(Part::Ring).newest.is_none() && all.newest.is_some() {
            // What the page draws of a step without any figures comes first, by itself.
            (self.next, self.left) = (0, IN_TURN.len() + 1);
            return;
        }
        let is_ring_alone = self.left > IN_TURN.len();
        self.left = self.left.saturating_sub(1);
        self.shown[Part::Ring as usize].clone_from(all);
        if !is_ring_alone {
            self.shown[IN_TURN[self.next] as usize].clone_from(all);
            self.next = (self.next + 1) % IN_TURN.len();
        }
    }

    /// Brings all that there is.
    pub fn bring_all(&mut self, all: &Figures) {
        self.shown.fill(all.clone());
        self.left = 0;
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

    fn showing(gradual: &Gradual, all: &Figures) -> Vec<Part> {
        let parts = [&[Part::Ring], &IN_TURN[..]].concat();
        parts.into_iter().filter(|&part| gradual.shown(part) == all).collect()
    }

    #[test]
    fn a_first_step_fills_the_views_one_by_one() {
        let (mut gradual, first) = (Gradual::default(), figures(0));
        gradual.bring(&first);
        assert!(gradual.is_filling());
        assert_eq!(showing(&gradual, &first), []);
        for brought in 1..=IN_TURN.len() + 1 {
            assert!(gradual.is_filling());
            gradual.bring(&first);
            let mut shown = vec![Part::Ring];
            shown.extend(&IN_TURN[..brought - 1]);
            assert_eq!(showing(&gradual, &first), shown);
        }
        assert!(!gradual.is_filling());
    }

    #[test]
    fn later_ones_bring_the_ring_and_a_part_in_turn() {
        let (mut gradual, second) = (Gradual::default(), figures(1));
        gradual.bring_all(&figures(0));
        for brought in 1..=IN_TURN.len() {
            gradual.bring(&second);
            assert!(!gradual.is_filling());
            assert_eq!(showing(&gradual, &second).len(), 1 + brought);
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
