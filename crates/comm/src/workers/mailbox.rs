//! Waits for messages inside an event loop: the ports fill the inbox and wake whoever waits.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::FutureExt;
use gloo_timers::future::TimeoutFuture;
use js_sys::ArrayBuffer;
use plan::{Rank, WorldSize};

use crate::inbox::{Arrival, Inbox};
use crate::{CommError, Result, Wanted};

/// A receive's patience is counted in slices: a tab that was frozen, or a computer that slept,
/// uses up one of them and not the whole time for which it was away.
const SLICE_MS: u32 = 500;

pub(super) struct Mailbox {
    inbox: RefCell<Inbox<ArrayBuffer>>,
    waiting: RefCell<Vec<Waker>>,
    /// The first rank that was heard to stop, and why, in words.
    first_stop: RefCell<Option<String>>,
    timeout: Duration,
}

impl Mailbox {
    pub(super) fn new(rank: Rank, world: WorldSize, timeout: Duration) -> Self {
        let inbox = RefCell::new(Inbox::new(rank, world.get()));
        Self { inbox, waiting: RefCell::default(), first_stop: RefCell::default(), timeout }
    }

    /// Takes the next place in the queue of `from`'s messages.
    pub(super) fn post(&self, from: Rank, wanted: &Wanted) -> u64 {
        self.inbox.borrow_mut().post(from, wanted)
    }

    /// The first rank that was heard to stop, and why.
    pub(super) fn first_stop(&self) -> Option<String> {
        self.first_stop.borrow().clone()
    }

    /// The error of a send to a rank that is known to have stopped.
    pub(super) fn receiver_stopped(&self, to: Rank, sent: &Wanted) -> Option<CommError> {
        let inbox = self.inbox.borrow();
        inbox.has_stopped(to).then(|| inbox.receiver_stopped(to, sent))
    }

    /// Called by the ports; `stop` is who stopped and why, if that is what came.
    pub(super) fn arrive(&self, from: Rank, arrival: Arrival<ArrayBuffer>, stop: Option<String>) {
        if let Some(stop) = stop {
            self.first_stop.borrow_mut().get_or_insert(stop);
        }
        self.inbox.borrow_mut().arrive(from, arrival);
        for waker in self.waiting.take() {
            waker.wake();
        }
    }

    /// The elements of a posted receive's message, once they are here.
    pub(super) async fn receive(
        &self,
        from: Rank,
        ticket: u64,
        wanted: &Wanted,
    ) -> Result<ArrayBuffer> {
        let patience = self.timeout.as_millis().div_ceil(u128::from(SLICE_MS));
        let mut slices = 0;
        let mut slice: Option<TimeoutFuture> = None;
        poll_fn(|context| {
            loop {
                if let Some(result) = self.inbox.borrow_mut().take(from, ticket, wanted) {
                    return Poll::Ready(result);
                }
                let timer = slice.get_or_insert_with(|| TimeoutFuture::new(SLICE_MS));
                if timer.poll_unpin(context).is_pending() {
                    self.waiting.borrow_mut().push(context.waker().clone());
                    return Poll::Pending;
                }
                slice = None;
                slices += 1;
                if slices >= patience {
                    let seconds = self.timeout.as_secs_f64();
                    return Poll::Ready(Err(self.inbox.borrow().timeout(from, wanted, seconds)));
                }
            }
        })
        .await
    }
}
