//! The ranks rest while the page draws, where they leave it no core of its own.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use plan::command::RunId;
use yew::Callback;

use super::grants::Grants;
use super::{Cluster, Inner};

/// Microseconds from which on a step is long.
const LONG_STEP_US: u64 = 40_000;
/// Milliseconds after which the page draws whether or not the ranks rest.
const LONGEST_WAIT_MS: u32 = 2_000;
/// Milliseconds after which resting ranks go on whether or not the page has been drawn.
const LONGEST_REST_MS: u32 = 500;

impl Cluster {
    /// The page is about to draw what the ranks did, and needs a core for that: `then` hears when
    /// they have done what was granted, and they rest until [`Self::go_on`], but not for long.
    /// Where there are cores enough, or the page is hidden, they do not rest.
    pub fn rest(&self, then: Callback<()>) {
        let inner = &self.0;
        if inner.is_crowded() && !is_hidden() {
            if let Some((_, grants)) = &mut *inner.grants.borrow_mut() {
                grants.rest();
            }
            *inner.on_rest.borrow_mut() = Some(then);
            inner.go_on_after(LONGEST_WAIT_MS);
            inner.tell_of_rest();
        } else {
            then.emit(());
            inner.go_on();
        }
    }

    /// The page has been drawn.
    pub fn go_on(&self) {
        self.0.go_on();
    }
}

impl Inner {
    /// Whether the ranks leave the page no core of its own.
    pub(super) fn is_crowded(&self) -> bool {
        fill_the_cores(self.workers.borrow().len())
    }

    /// Ranks whose last step took this long are granted one at a time if the page may ask them to
    /// rest: it would wait for three.
    pub(super) fn keep_close(&self, took_us: u64) {
        let is_long = took_us > LONG_STEP_US && self.is_crowded();
        if let Some((_, grants)) = &mut *self.grants.borrow_mut() {
            grants.set_close(is_long || self.limits.get().are_close());
        }
    }

    /// Says that the ranks rest, once they do.
    pub(super) fn tell_of_rest(self: &Rc<Self>) {
        let rests = |(_, grants): &(RunId, Grants)| grants.is_resting();
        if !self.grants.borrow().as_ref().is_none_or(rests) {
            return;
        }
        if let Some(then) = self.on_rest.take() {
            then.emit(());
        }
        // A frame that never comes must not stop the run.
        self.go_on_after(LONGEST_REST_MS);
    }

    /// Ends the rest, or the waiting for it, after so many milliseconds at the latest.
    fn go_on_after(self: &Rc<Self>, ms: u32) {
        let weak = Rc::downgrade(self);
        let go_on = move || {
            if let Some(inner) = weak.upgrade() {
                inner.go_on();
            }
        };
        *self.rest_ends.borrow_mut() = Some(Timeout::new(ms, go_on));
    }

    /// Whoever waits for the ranks to rest waits no longer, and they go on.
    pub(super) fn go_on(self: &Rc<Self>) {
        *self.rest_ends.borrow_mut() = None;
        if let Some(then) = self.on_rest.take() {
            then.emit(());
        }
        if let Some((_, grants)) = &mut *self.grants.borrow_mut() {
            grants.go_on();
        }
        self.extend();
    }
}

/// Whether so many ranks leave the page no core of its own.
pub fn fill_the_cores(ranks: usize) -> bool {
    let cores = web_sys::window().map(|window| window.navigator().hardware_concurrency());
    ranks as f64 >= cores.unwrap_or(1.0)
}

/// Whether nobody sees the page.
pub fn is_hidden() -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    document.is_some_and(|document| document.hidden())
}
