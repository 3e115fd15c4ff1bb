//! What is lit in every view at once: a rank, a block, a step. A value with actions.

/// Something that views have in common; what is `None` is not meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// A rank of the world.
    pub rank: Option<u16>,
    /// The rank at the other end of a link from `rank`.
    pub peer: Option<u16>,
    /// A block: the rank whose keys and values these are.
    pub block: Option<u16>,
    /// A training step, from 0.
    pub step: Option<u32>,
}

/// What is chosen, and what the pointer is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// What the user chose: it stays until it is let go.
    pub chosen: Spot,
    /// What the pointer is over.
    pub hovered: Spot,
}

/// What the user does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The pointer is over this; over nothing if the spot is empty.
    Hover(Spot),
    /// Chooses this, or lets go of it where it is what is chosen.
    Choose(Spot),
    /// Chooses this, whatever was chosen.
    Move(Spot),
    /// Lets go of everything.
    Forget,
}

impl Spot {
    /// A rank.
    pub fn of_rank(rank: usize) -> Self {
        Self { rank: Some(rank as u16), ..Self::default() }
    }

    /// A step, from 0.
    pub fn of_step(step: u32) -> Self {
        Self { step: Some(step), ..Self::default() }
    }

    /// Whether it means nothing.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The same without its step.
    pub fn place(self) -> Self {
        Self { step: None, ..self }
    }

    fn over(self, other: Self) -> Self {
        let place = if self.place().is_empty() { other } else { self };
        Self { step: self.step.or(other.step), ..place }
    }

    /// Whether `rank` is lit, as the one or the other end.
    pub fn has_rank(self, rank: usize) -> bool {
        let is = |other: Option<u16>| other.map(usize::from) == Some(rank);
        is(self.rank) || is(self.peer)
    }

    /// The class of what belongs to `rank`: lit, left out beside another, or neither.
    pub fn rank_class(self, rank: usize) -> Option<&'static str> {
        self.rank?;
        Some(if self.has_rank(rank) { "is-lit" } else { "is-out" })
    }

    /// The class of what is `block` at `rank`.
    pub fn block_class(self, block: u16, rank: usize) -> Option<&'static str> {
        match self.block {
            Some(lit) if lit == block => Some("is-lit"),
            Some(_) => Some("is-out"),
            None => self.rank_class(rank),
        }
    }
}

impl Cursor {
    /// What is lit: of place and step each what the pointer is over, or else what is chosen.
    pub fn spot(self) -> Spot {
        self.hovered.over(self.chosen)
    }

    /// The step that is chosen, from 0.
    pub fn step(self) -> Option<u32> {
        self.chosen.step
    }

    /// Takes `act`; whether that changes anything.
    pub fn apply(&mut self, act: Act) -> bool {
        let was = *self;
        match act {
            Act::Hover(spot) => self.hovered = spot,
            Act::Choose(spot) => self.choose(spot, true),
            Act::Move(spot) => self.choose(spot, false),
            Act::Forget => *self = Self::default(),
        }
        *self != was
    }

    /// Keeps what a fresh run of `world` ranks has as well: its ranks, and none of its steps.
    pub fn begin_anew(&mut self, world: usize) {
        let place = self.chosen.place();
        let is_there = |number: Option<u16>| number.is_none_or(|n| usize::from(n) < world);
        let stays = [place.rank, place.peer, place.block].into_iter().all(is_there);
        *self = Self { chosen: if stays { place } else { Spot::default() }, ..Self::default() };
    }

    fn choose(&mut self, spot: Spot, lets_go: bool) {
        let (place, chosen) = (spot.place(), self.chosen.place());
        if !place.is_empty() {
            let again = lets_go && place == chosen;
            let place = if again { Spot::default() } else { place };
            self.chosen = Spot { step: self.chosen.step, ..place };
        }
        if spot.step.is_some() {
            let again = lets_go && spot.step == self.chosen.step;
            self.chosen.step = spot.step.filter(|_| !again);
        }
        // What was chosen last is lit, wherever the pointer was left lying.
        self.hovered = Spot::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(rank: u16, block: u16) -> Spot {
        Spot { rank: Some(rank), block: Some(block), ..Spot::default() }
    }

    #[test]
    fn the_pointer_lights_for_a_moment_and_a_choice_stays() {
        let mut cursor = Cursor::default();
        assert!(cursor.apply(Act::Choose(Spot::of_rank(2))));
        assert!(cursor.apply(Act::Hover(tile(1, 0))));
        assert!(!cursor.apply(Act::Hover(tile(1, 0))), "nothing to draw");
        assert_eq!(cursor.spot(), tile(1, 0));
        cursor.apply(Act::Hover(Spot::default()));
        assert_eq!(cursor.spot(), Spot::of_rank(2));
    }

    #[test]
    fn place_and_step_are_chosen_apart() {
        let mut cursor = Cursor::default();
        cursor.apply(Act::Choose(tile(3, 1)));
        cursor.apply(Act::Move(Spot::of_step(16)));
        assert_eq!(cursor.chosen, Spot { step: Some(16), ..tile(3, 1) });
        cursor.apply(Act::Hover(Spot::of_step(4)));
        assert_eq!(cursor.spot(), Spot { step: Some(4), ..tile(3, 1) });
        assert_eq!(cursor.step(), Some(16), "what the pointer passes is not chosen");
        cursor.apply(Act::Choose(Spot::of_rank(0)));
        assert_eq!(cursor.spot(), Spot { step: Some(16), ..Spot::of_rank(0) });
    }

    #[test]
    fn choosing_again_lets_go_and_moving_to_it_does_not() {
        let mut cursor = Cursor::default();
        cursor.apply(Act::Move(Spot::of_step(5)));
        for expect in [Spot { step: Some(5), ..Spot::of_rank(1) }, Spot::of_step(5)] {
            cursor.apply(Act::Choose(Spot::of_rank(1)));
            assert_eq!(cursor.spot(), expect);
        }
        assert!(!cursor.apply(Act::Move(Spot::of_step(5))));
        assert!(cursor.apply(Act::Choose(Spot::of_step(5))));
        assert!(cursor.spot().is_empty());
        cursor.apply(Act::Choose(tile(0, 1)));
        assert!(cursor.apply(Act::Forget) && cursor.spot().is_empty());
    }

    #[test]
    fn a_fresh_run_has_no_steps_and_maybe_fewer_ranks() {
        let mut cursor = Cursor::default();
        cursor.apply(Act::Choose(Spot { step: Some(3), ..tile(3, 1) }));
        cursor.begin_anew(4);
        assert_eq!(cursor.chosen, tile(3, 1));
        cursor.begin_anew(2);
        assert!(cursor.spot().is_empty());
    }

    #[test]
    fn a_link_lights_both_ends_and_a_block_wherever_it_is() {
        let link = Spot { peer: Some(3), ..Spot::of_rank(2) };
        let classes: Vec<_> = (0..4).map(|rank| link.rank_class(rank)).collect();
        assert_eq!(classes, [Some("is-out"), Some("is-out"), Some("is-lit"), Some("is-lit")]);
        let block = Spot { block: Some(1), ..Spot::default() };
        assert_eq!(block.rank_class(0), None);
        assert_eq!(block.block_class(1, 3), Some("is-lit"));
        assert_eq!(block.block_class(0, 1), Some("is-out"));
        assert_eq!(Spot::of_rank(2).block_class(1, 2), Some("is-lit"));
        assert_eq!(Spot::default().block_class(1, 2), None);
    }
}
