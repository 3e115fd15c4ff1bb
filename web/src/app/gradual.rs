//! The figures on their way to the views. To draw them all takes longer than a frame should, so each
//! drawing of a run that goes brings the ring and one more part.

use crate::app::record::Figures;

/// What is brought in turn.
const PARTS: [fn(&mut Figures, &Figures); 3] = [
    |shown, all| {
        shown.times = all.times.clone();
        shown.sent = all.sent.clone();
    },
    |shown, all| {
        shown.memory = all.memory.clone();
        shown.memory_log = all.memory_log.clone();
    },
    |shown, all| {
        shown.costs = all.costs.clone();
        shown.detail = all.detail.clone();
    },
];

/// What the views show of the figures.
#[derive(Default)]
pub struct Gradual {
    shown: Figures,
    part: usize,
    /// Drawings until every part of a first step has been brought.
    left: usize,
}

impl Gradual {
    /// What the views are to show.
    pub fn shown(&self) -> &Figures {
        &self.shown
    }

    /// Whether parts of a run's first step are not on show yet: it fills the views, and is worth a
    /// drawing for each part at once.
    pub fn is_filling(&self) -> bool {
        self.left > 0
    }

    /// Brings the next part of `all` figures.
    pub fn bring(&mut self, all: &Figures) {
        if self.left == 0 && self.shown.detail.is_none() && all.detail.is_some() {
            // What the page draws of a step without any figures comes first, by itself.
            (self.part, self.left) = (0, PARTS.len() + 1);
            return;
        }
        self.left = self.left.saturating_sub(1);
        let is_ring_alone = self.left == PARTS.len();
        self.shown.newest.clone_from(&all.newest);
        self.shown.tokens = all.tokens.clone();
        if !is_ring_alone {
            PARTS[self.part](&mut self.shown, all);
            self.part = (self.part + 1) % PARTS.len();
        }
    }

    /// Brings all that there is.
    pub fn bring_all(&mut self, all: &Figures) {
        self.shown.clone_from(all);
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
        Figures { detail: newest.clone(), newest, ..Figures::default() }
    }

    #[test]
    fn a_first_step_fills_the_views_one_by_one() {
        let (mut gradual, first) = (Gradual::default(), figures(0));
        gradual.bring(&first);
        assert!(gradual.is_filling() && gradual.shown().newest.is_none());
        gradual.bring(&first);
        assert!(gradual.shown().newest == first.newest && gradual.shown().times != first.times);
        gradual.bring(&first);
        assert!(gradual.shown().times == first.times && gradual.shown().memory != first.memory);
        gradual.bring(&first);
        assert!(gradual.is_filling() && gradual.shown().detail.is_none());
        gradual.bring(&first);
        assert!(!gradual.is_filling() && *gradual.shown() == first);
    }

    #[test]
    fn later_ones_bring_the_ring_and_a_part_in_turn() {
        let (mut gradual, second) = (Gradual::default(), figures(1));
        gradual.bring_all(&figures(0));
        gradual.bring(&second);
        assert!(!gradual.is_filling() && gradual.shown().newest == second.newest);
        assert!(gradual.shown().times == second.times && gradual.shown().costs != second.costs);
        for _ in 1..PARTS.len() {
            gradual.bring(&second);
        }
        assert!(*gradual.shown() == second);
    }

    #[test]
    fn what_cannot_wait_is_shown_whole() {
        let (mut gradual, first) = (Gradual::default(), figures(0));
        gradual.bring(&first);
        gradual.bring_all(&first);
        assert!(!gradual.is_filling() && *gradual.shown() == first);
        // Another run has no steps yet, and its first one fills the views again.
        gradual.bring_all(&Figures::default());
        gradual.bring(&first);
        assert!(gradual.is_filling());
    }
}
