//! The threads backend: one rank a thread of this process, messages over channels.
//!
//! A receive parks its thread inside the future, so a rank's program is run with
//! `futures::executor::block_on`.

use std::cell::{Cell, RefCell};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use candle_core::Tensor;
use plan::{Axis, Rank, WorldSize};

use crate::inbox::{Arrival, Header, Inbox};
use crate::{CommError, PendingRecv, ProcessGroup, Result, Tag, Wanted};

/// How long a receive waits before it says that nothing came.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

type Envelope = (Rank, Arrival<Tensor>);

/// One rank of a world of threads. When it is dropped, the others learn that it has stopped.
pub struct ThreadGroup {
    rank: Rank,
    world: WorldSize,
    timeout: Duration,
    senders: Vec<Sender<Envelope>>,
    receiver: Receiver<Envelope>,
    inbox: RefCell<Inbox<Tensor>>,
    seq: Cell<u32>,
    stopped: Cell<bool>,
}

/// The ranks of a new world, in order; move each to a thread of its own.
pub fn world(size: WorldSize, timeout: Duration) -> Vec<ThreadGroup> {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..size.get()).map(|_| mpsc::channel::<Envelope>()).unzip();
    size.ranks()
        .zip(receivers)
        .map(|(rank, receiver)| ThreadGroup {
            rank,
            world: size,
            timeout,
            senders: senders.clone(),
            receiver,
            inbox: RefCell::new(Inbox::new(rank, size.get())),
            seq: Cell::new(0),
            stopped: Cell::new(false),
        })
        .collect()
}

/// Runs `program` on every rank of a new world, each on its own thread, and returns what each
/// returned, in order of the ranks.
///
/// # Panics
/// If a rank's program panics: with its text, after all ranks have ended.
pub fn run<T, F>(size: WorldSize, timeout: Duration, program: F) -> Vec<T>
where
    T: Send,
    F: AsyncFn(ThreadGroup) -> T + Sync,
{
    let program = &program;
    std::thread::scope(|scope| {
        let threads: Vec<_> = world(size, timeout)
            .into_iter()
            .map(|group| scope.spawn(move || futures::executor::block_on(program(group))))
            .collect();
        let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        joined
            .into_iter()
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

impl ThreadGroup {
    fn wait(&self, from: Rank, ticket: u64, wanted: &Wanted) -> Result<Tensor> {
        let deadline = Instant::now() + self.timeout;
        loop {
            if let Some(result) = self.inbox.borrow_mut().take(from, ticket, wanted) {
                return result;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.receiver.recv_timeout(left) {
                Ok((sender, arrival)) => self.inbox.borrow_mut().arrive(sender, arrival),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let seconds = self.timeout.as_secs_f64();
                    return Err(self.inbox.borrow().timeout(from, wanted, seconds));
                }
            }
        }
    }

    /// The error of a send to a rank that has ended, with its reason if it gave one.
    fn receiver_stopped(&self, to: Rank, sent: &Wanted) -> CommError {
        let mut inbox = self.inbox.borrow_mut();
        while let Ok((sender, arrival)) = self.receiver.try_recv() {
            inbox.arrive(sender, arrival);
        }
        inbox.receiver_stopped(to, sent)
    }

    fn stop(&self, why: &str) {
        if self.stopped.replace(true) {
            return;
        }
        for (peer, sender) in self.senders.iter().enumerate() {
            if peer != self.rank.index() {
                // A peer that has ended needs no news.
                let _ = sender.send((self.rank, Arrival::Stopped(why.to_owned())));
            }
        }
    }
}

impl Drop for ThreadGroup {
    fn drop(&mut self) {
        let why = if std::thread::panicking() { "it panicked" } else { "its program ended" };
        self.stop(why);
    }
}

#[async_trait(?Send)]
impl ProcessGroup for ThreadGroup {
    fn axis(&self) -> Axis {
        Axis::World
    }

    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> WorldSize {
        self.world
    }

    fn world_rank(&self, member: Rank) -> Rank {
        member
    }

    fn next_seq(&self) -> u32 {
        self.seq.replace(self.seq.get() + 1)
    }

    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()> {
        // A parameter may change in place after the send, so it is copied; the rest is shared.
        let payload = if tensor.is_variable() { tensor.copy()? } else { tensor.clone() }.detach();
        let message = Arrival::Message(Header::of(tag, tensor), payload);
        let sent = self.senders[to.index()].send((self.rank, message));
        sent.map_err(|_| self.receiver_stopped(to, &Wanted::like(tag, tensor)))
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        let ticket = self.inbox.borrow_mut().post(from);
        PendingRecv::new(async move { self.wait(from, ticket, &wanted) })
    }

    fn abort(&self, why: &str) {
        self.stop(why);
    }
}
