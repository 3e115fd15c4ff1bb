//! How far the ranks may train: a little ahead of the slowest, and all to the same step.
//!
//! Ranks are never told to stop, only not told to go on. So a pause finds all of them after the
//! same step, and no rank waits in a collective for one that has stopped.

/// Steps that may be trained beyond the slowest rank's last. One would make every step wait for
/// the page; each one more makes a pause later.
pub const HORIZON: u32 = 3;

/// What was granted, and what the ranks have done of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grants {
    done: Vec<u32>,
    until: u32,
    going: bool,
}

impl Grants {
    /// A run of `world` ranks that goes at once, or waits for a grant.
    pub fn new(world: usize, going: bool) -> Self {
        Self { done: vec![0; world], until: if going { HORIZON } else { 0 }, going }
    }

    /// The step up to which every rank may train.
    pub fn until(&self) -> u32 {
        self.until
    }

    /// `rank` has done `steps` steps; the new grant, if that brings one.
    pub fn done(&mut self, rank: usize, steps: u32) -> Option<u32> {
        if let Some(done) = self.done.get_mut(rank) {
            *done = steps.max(*done);
        }
        self.extend()
    }

    /// The run goes on; the grant to announce.
    pub fn resume(&mut self) -> u32 {
        self.going = true;
        self.extend();
        self.until
    }

    /// Nothing more is granted.
    pub fn pause(&mut self) {
        self.going = false;
    }

    /// One step more than was granted, then nothing; the grant to announce.
    pub fn step(&mut self) -> u32 {
        self.going = false;
        self.until += 1;
        self.until
    }

    fn extend(&mut self) -> Option<u32> {
        let slowest = self.done.iter().min().copied().unwrap_or_default();
        let until = slowest + HORIZON;
        if !self.going || until <= self.until {
            return None;
        }
        self.until = until;
        Some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_rank_moves_the_horizon() {
        let mut grants = Grants::new(3, true);
        assert_eq!(grants.until(), HORIZON);
        assert_eq!(grants.done(0, 1), None);
        assert_eq!(grants.done(2, 1), None);
        assert_eq!(grants.done(1, 1), Some(1 + HORIZON));
        assert_eq!(grants.done(0, 2), None);
    }

    #[test]
    fn after_a_pause_all_ranks_end_at_what_was_granted() {
        let mut grants = Grants::new(2, true);
        grants.done(0, 1);
        grants.pause();
        let until = grants.until();
        assert_eq!(grants.done(1, 1), None);
        for rank in 0..2 {
            assert_eq!(grants.done(rank, until), None);
        }
        assert_eq!(grants.until(), until);
        assert_eq!(grants.resume(), until + HORIZON);
    }

    #[test]
    fn resuming_before_all_have_stopped_grants_at_least_as_much() {
        let mut grants = Grants::new(2, true);
        grants.pause();
        assert_eq!(grants.resume(), HORIZON);
        assert_eq!((grants.done(0, 1), grants.done(1, 1)), (None, Some(1 + HORIZON)));
    }

    #[test]
    fn a_step_is_one_step() {
        let mut grants = Grants::new(2, false);
        assert_eq!(grants.until(), 0);
        assert_eq!(grants.step(), 1);
        assert_eq!((grants.done(0, 1), grants.done(1, 1)), (None, None));
        assert_eq!(grants.step(), 2);
        grants.pause();
        assert_eq!(grants.until(), 2);
    }

    #[test]
    fn old_and_foreign_news_change_nothing() {
        let mut grants = Grants::new(1, true);
        assert_eq!(grants.done(0, 5), Some(5 + HORIZON));
        assert_eq!(grants.done(0, 2), None);
        assert_eq!(grants.done(7, 90), None);
    }
}
