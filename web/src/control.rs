//! What the page wants of a run, set by its commands and read between two steps.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

use plan::command::RunId;

/// One run's control.
pub struct Control {
    run: RunId,
    until: Cell<u32>,
    holding: Cell<bool>,
    stopped: Cell<bool>,
    save: Cell<bool>,
    /// Ring steps that are granted within a step, if they are granted one by one.
    hops: Cell<Option<u32>>,
    changed: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

/// What a rank does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Train a step.
    Train,
    /// Wait for a grant that is on its way.
    Wait,
    /// Say that no more is granted, then wait.
    Rest,
    /// End.
    Stop,
}

impl Control {
    /// A run that may train up to `until`.
    pub fn new(run: RunId, until: u32) -> Self {
        Self {
            run,
            until: Cell::new(until),
            holding: Cell::new(false),
            stopped: Cell::new(false),
            save: Cell::new(false),
            hops: Cell::new(None),
            changed: Cell::new(false),
            waiting: RefCell::default(),
        }
    }

    /// The run's id.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// It may train up to `until`, and more will be granted.
    pub fn resume(&self, until: u32) {
        self.hops.set(None);
        self.set(until, false);
    }

    /// It may train up to `until`, and no further.
    pub fn step(&self, until: u32) {
        self.hops.set(None);
        self.set(until, true);
    }

    /// It may do one ring step more, of a step up to `until`: the first one begins with the step.
    pub fn hop(&self, until: u32) {
        self.hops.set(Some(self.hops.get().map_or(0, |hops| hops + 1)));
        self.set(until, true);
    }

    /// Whether it may go on to the next ring step now; that uses up the grant.
    pub fn take_hop(&self) -> bool {
        self.changed.set(false);
        match self.hops.get() {
            None => true,
            Some(0) => false,
            Some(hops) => {
                self.hops.set(Some(hops - 1));
                true
            }
        }
    }

    /// Whether it was told to end.
    pub fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// No more will be granted.
    pub fn pause(&self) {
        self.set(self.until.get(), true);
    }

    /// Its state is wanted.
    pub fn save(&self) {
        self.save.set(true);
        self.wake();
    }

    /// Whether its state was wanted since this was asked last.
    pub fn take_save(&self) -> bool {
        self.save.take()
    }

    /// It ends.
    pub fn stop(&self) {
        self.stopped.set(true);
        self.wake();
    }

    /// What to do after `steps` steps, all commands so far considered.
    pub fn next(&self, steps: u32) -> Next {
        self.changed.set(false);
        if self.stopped.get() {
            Next::Stop
        } else if steps < self.until.get() {
            Next::Train
        } else if self.holding.get() {
            Next::Rest
        } else {
            Next::Wait
        }
    }

    /// Returns when a command has come since [`Control::next`] was asked.
    pub async fn change(&self) {
        poll_fn(|context| {
            if self.changed.get() {
                return Poll::Ready(());
            }
            *self.waiting.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn set(&self, until: u32, holding: bool) {
        // Commands may overtake nothing, but what was granted stays granted.
        self.until.set(until.max(self.until.get()));
        self.holding.set(holding);
        self.wake();
    }

    fn wake(&self) {
        self.changed.set(true);
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_trains_what_is_granted_and_rests_when_told() {
        let control = Control::new(RunId(1), 2);
        assert_eq!((control.next(1), control.next(2)), (Next::Train, Next::Wait));
        control.pause();
        assert_eq!((control.next(1), control.next(2)), (Next::Train, Next::Rest));
        control.step(3);
        assert_eq!((control.next(2), control.next(3)), (Next::Train, Next::Rest));
        control.resume(9);
        assert_eq!((control.next(8), control.next(9)), (Next::Train, Next::Wait));
        control.stop();
        assert_eq!(control.next(0), Next::Stop);
    }

    #[test]
    fn ring_steps_are_granted_one_by_one() {
        let control = Control::new(RunId(1), 0);
        assert!(control.take_hop(), "nobody watches");
        control.hop(1);
        assert_eq!(control.next(0), Next::Train);
        assert!(!control.take_hop(), "the step itself was the first");
        control.hop(1);
        assert!(control.take_hop() && !control.take_hop());
        control.resume(4);
        assert!(control.take_hop() && control.take_hop());
    }
}
