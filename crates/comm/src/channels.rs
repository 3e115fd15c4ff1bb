//! What the ranks of one process tell each other over channels: messages, and why a rank stops.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::task::Poll;
use std::time::Duration;
#[cfg(feature = "nccl")]
use std::time::Instant;

use candle_core::Tensor;
use futures::task::AtomicWaker;
use plan::{Rank, WorldSize};

use crate::inbox::{Arrival, Header, Inbox};
use crate::park::{self, Patience};
use crate::{CommError, Result, Tag, Wanted};

/// How long elements that are under way may outlast the news that a rank has stopped.
#[cfg(feature = "nccl")]
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// How long a rank that waits looks for a message before it parks its thread: about what waking a
/// parked one takes. Only where every rank can have a core, since another may need this one to send.
const LOOK: Duration = Duration::from_micros(50);

type Envelope<T> = (Rank, Arrival<T>);

/// One rank's ends of the channels; `T` is what travels beside a message's header. When it is
/// dropped, the others learn that this rank has stopped.
pub(crate) struct Channels<T> {
    rank: Rank,
    world: WorldSize,
    timeout: Duration,
    senders: Vec<Sender<Envelope<T>>>,
    /// By rank, what wakes it when something has been sent to it.
    wakers: Arc<[AtomicWaker]>,
    receiver: Receiver<Envelope<T>>,
    inbox: RefCell<Inbox<T>>,
    stopped: Cell<bool>,
}

/// The ranks of a new world, in order; move each to a thread of its own.
pub(crate) fn world<T>(size: WorldSize, timeout: Duration) -> Vec<Channels<T>> {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..size.get()).map(|_| mpsc::channel::<Envelope<T>>()).unzip();
    let wakers: Arc<[AtomicWaker]> = size.ranks().map(|_| AtomicWaker::new()).collect();
    size.ranks()
        .zip(receivers)
        .map(|(rank, receiver)| Channels {
            rank,
            world: size,
            timeout,
            senders: senders.clone(),
            wakers: wakers.clone(),
            receiver,
            inbox: RefCell::new(Inbox::new(rank, size.get())),
            stopped: Cell::new(false),
        })
        .collect()
}

/// Runs `program` on every seat, each on its own thread, and returns what each returned, in order.
///
/// # Panics
/// If a rank's program panics: with its text, after all ranks have ended.
pub(crate) fn run<S, T, F>(seats: Vec<S>, program: F) -> Vec<T>
where
    S: Send,
    T: Send,
    F: AsyncFn(S) -> T + Sync,
{
    let program = &program;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let look = if seats.len() <= cores { LOOK } else { Duration::ZERO };
    std::thread::scope(|scope| {
        let threads: Vec<_> = seats
            .into_iter()
            .map(|seat| scope.spawn(move || park::block_on(program(seat), look)))
            .collect();
        let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        joined
            .into_iter()
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

impl<T> Channels<T> {
    pub(crate) fn rank(&self) -> Rank {
        self.rank
    }

    pub(crate) fn size(&self) -> WorldSize {
        self.world
    }

    /// Sends `payload` under the header of `tensor`.
    pub(crate) fn send(&self, to: Rank, tag: Tag, tensor: &Tensor, payload: T) -> Result<()> {
        let message = Arrival::Message(Header::of(tag, tensor), payload);
        let sent = self.senders[to.index()].send((self.rank, message));
        sent.map_err(|_| self.receiver_stopped(to, &Wanted::like(tag, tensor)))?;
        self.wakers[to.index()].wake();
        Ok(())
    }

    /// Takes the next place in the queue of `from`'s messages.
    pub(crate) fn post(&self, from: Rank, wanted: &Wanted) -> u64 {
        self.inbox.borrow_mut().post(from, wanted)
    }

    /// The message of a posted receive, once it is here. Any arrival wakes this rank's task: one
    /// thread polls all that it waits for.
    pub(crate) async fn receive(&self, from: Rank, ticket: u64, wanted: &Wanted) -> Result<T> {
        let mut patience = Patience::new(self.timeout);
        poll_fn(|context| {
            // Before the look: what comes after it wakes again.
            self.wakers[self.rank.index()].register(context.waker());
            self.take_arrivals();
            if let Some(result) = self.inbox.borrow_mut().take(from, ticket, wanted) {
                return Poll::Ready(result);
            }
            match patience.is_out() {
                true => Poll::Ready(Err(self.timed_out(from, wanted))),
                false => Poll::Pending,
            }
        })
        .await
    }

    /// Tells every other rank why this one stops; only the first reason is told.
    pub(crate) fn stop(&self, why: &str) {
        if self.stopped.replace(true) {
            return;
        }
        for (peer, sender) in self.senders.iter().enumerate() {
            if peer != self.rank.index() {
                // A peer that has ended needs no news.
                let _ = sender.send((self.rank, Arrival::Stopped(why.to_owned())));
                self.wakers[peer].wake();
            }
        }
    }

    fn timed_out(&self, from: Rank, wanted: &Wanted) -> CommError {
        self.inbox.borrow().timeout(from, wanted, self.timeout.as_secs_f64())
    }

    /// The error of a send to a rank that has ended, with its reason if it gave one.
    fn receiver_stopped(&self, to: Rank, sent: &Wanted) -> CommError {
        self.take_arrivals();
        self.inbox.borrow().receiver_stopped(to, sent)
    }

    fn take_arrivals(&self) {
        let mut inbox = self.inbox.borrow_mut();
        while let Ok((sender, arrival)) = self.receiver.try_recv() {
            inbox.arrive(sender, arrival);
        }
    }
}

/// For transports whose elements travel elsewhere than their headers.
#[cfg(feature = "nccl")]
impl<T> Channels<T> {
    /// Whether this rank has told the others that it stops.
    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Whether any other rank has told that it stops.
    pub(crate) fn somebody_stopped(&self) -> bool {
        self.take_arrivals();
        let inbox = self.inbox.borrow();
        self.world.ranks().any(|peer| inbox.has_stopped(peer))
    }

    /// Parks this thread until `is_here` says that the elements of a message are here; its header
    /// is here already.
    pub(crate) fn wait_until(
        &self,
        from: Rank,
        wanted: &Wanted,
        mut is_here: impl FnMut() -> Result<bool>,
    ) -> Result<()> {
        /// Well below what a small message takes, and long enough to leave the core to others.
        const NAP: Duration = Duration::from_micros(20);
        let mut deadline = Instant::now() + self.timeout;
        while !is_here()? {
            self.take_arrivals();
            let has_stopped = self.inbox.borrow().has_stopped(from);
            if has_stopped {
                deadline = deadline.min(Instant::now() + GRACE);
            }
            if Instant::now() >= deadline {
                let inbox = self.inbox.borrow();
                return Err(match has_stopped {
                    true => inbox.sender_stopped(from, wanted),
                    false => inbox.timeout(from, wanted, self.timeout.as_secs_f64()),
                });
            }
            std::thread::sleep(NAP);
        }
        Ok(())
    }
}

impl<T> Drop for Channels<T> {
    fn drop(&mut self) {
        let why = if std::thread::panicking() { "it panicked" } else { "its program ended" };
        self.stop(why);
    }
}
