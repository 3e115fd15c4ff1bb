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
    close: bool,
    rests: bool,
}

impl Grants {
    /// A run of `world` ranks after `from` steps that waits for a grant.
    pub fn new(world: usize, from: u32) -> Self {
        Self { done: vec![from; world], until: from, going: false, close: false, rests: false }
    }

    /// Whether more will be granted as the ranks go on.
    pub fn is_going(&self) -> bool {
        self.going
    }

    /// Every step waits for the page, or not.
    pub fn set_close(&mut self, close: bool) {
        self.close = close;
    }

    /// The page needs the cores: nothing more is granted until [`Self::go_on`], but for the first
    /// step of a run that goes.
    pub fn rest(&mut self) {
        self.rests = true;
    }

    /// The rest is over.
    pub fn go_on(&mut self) {
        self.rests = false;
    }

    /// Whether the ranks are to rest, and do: they have done all that was granted, or stand.
    pub fn is_resting(&self) -> bool {
        self.rests && (!self.going || self.slowest() >= self.until)
    }

    fn horizon(&self) -> u32 {
        if self.close || self.rests { 1 } else { HORIZON }
    }

    /// `rank` has done `steps` steps.
    pub fn done(&mut self, rank: usize, steps: u32) {
        if let Some(done) = self.done.get_mut(rank) {
            *done = steps.max(*done);
        }
    }

    /// Steps that every rank has done.
    pub fn slowest(&self) -> u32 {
        self.done.iter().min().copied().unwrap_or_default()
    }

    /// Whether [`Self::extend`] would grant more.
    pub fn is_due(&self) -> bool {
        self.going && !self.rests && self.slowest() + self.horizon() > self.until
    }

    /// Grants what is due; the grant to announce.
    pub fn extend(&mut self) -> Option<u32> {
        let due = self.is_due();
        due.then(|| {
            self.until = self.slowest() + self.horizon();
            self.until
        })
    }

    /// The run goes on; the grant to announce.
    pub fn resume(&mut self) -> u32 {
        self.going = true;
        self.until = self.until.max(self.slowest() + self.horizon());
        self.until
    }

    /// Nothing more is granted.
    pub fn pause(&mut self) {
        self.going = false;
    }

    /// All steps up to `until`, then nothing; the grant to announce.
    pub fn advance(&mut self, until: u32) -> u32 {
        self.going = false;
        self.until = until.max(self.until);
        self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn going(world: usize) -> Grants {
        let mut grants = Grants::new(world, 0);
        assert_eq!(grants.resume(), HORIZON);
        grants
    }

    fn done(grants: &mut Grants, rank: usize, steps: u32) -> Option<u32> {
        grants.done(rank, steps);
        grants.extend()
    }

    #[test]
    fn the_slowest_rank_moves_the_horizon() {
        let mut grants = going(3);
        assert_eq!(done(&mut grants, 0, 1), None);
        assert_eq!(done(&mut grants, 2, 1), None);
        assert_eq!(done(&mut grants, 1, 1), Some(1 + HORIZON));
        assert_eq!(done(&mut grants, 0, 2), None);
    }

    #[test]
    fn after_a_pause_all_ranks_end_at_what_was_granted() {
        let mut grants = going(2);
        done(&mut grants, 0, 1);
        grants.pause();
        let until = grants.until;
        for rank in 0..2 {
            assert_eq!(done(&mut grants, rank, until), None);
        }
        assert_eq!(grants.until, until);
        assert_eq!(grants.resume(), until + HORIZON);
    }

    #[test]
    fn resuming_before_all_have_stopped_grants_at_least_as_much() {
        let mut grants = going(2);
        grants.pause();
        assert_eq!(grants.resume(), HORIZON);
        assert_eq!((done(&mut grants, 0, 1), done(&mut grants, 1, 1)), (None, Some(1 + HORIZON)));
    }

    #[test]
    fn an_advance_ends_where_it_was_to_end() {
        let mut grants = Grants::new(2, 40);
        assert_eq!((grants.until, grants.advance(41)), (40, 41));
        assert_eq!((done(&mut grants, 0, 41), done(&mut grants, 1, 41)), (None, None));
        assert_eq!(grants.advance(49), 49);
        // What was granted stays granted.
        assert_eq!(grants.advance(45), 49);
    }

    #[test]
    fn closely_every_step_waits_for_the_page() {
        let mut grants = Grants::new(1, 0);
        grants.set_close(true);
        assert_eq!(grants.resume(), 1);
        grants.done(0, 1);
        assert!(grants.is_due());
        assert_eq!((grants.extend(), grants.extend()), (Some(2), None));
    }

    #[test]
    fn resting_ranks_do_what_was_granted_and_no_more() {
        let mut grants = going(2);
        grants.rest();
        assert_eq!((done(&mut grants, 0, HORIZON), grants.is_resting()), (None, false));
        assert_eq!((done(&mut grants, 1, HORIZON), grants.is_resting()), (None, true));
        grants.go_on();
        assert_eq!((grants.is_resting(), grants.extend()), (false, Some(2 * HORIZON)));
    }

    #[test]
    fn a_run_that_begins_with_a_rest_does_one_step_first() {
        let mut grants = Grants::new(2, 7);
        grants.rest();
        assert_eq!((grants.resume(), grants.is_resting()), (8, false));
        assert_eq!((done(&mut grants, 0, 8), done(&mut grants, 1, 8)), (None, None));
        assert!(grants.is_resting());
        grants.go_on();
        assert_eq!(grants.extend(), Some(8 + HORIZON));
    }

    #[test]
    fn old_and_foreign_news_change_nothing() {
        let mut grants = going(1);
        assert_eq!(done(&mut grants, 0, 5), Some(5 + HORIZON));
        assert_eq!(done(&mut grants, 0, 2), None);
        assert_eq!(done(&mut grants, 7, 90), None);
    }
}
