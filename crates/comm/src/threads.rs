//! The threads backend: one rank a thread of this process, messages over channels.
//!
//! A receive whose message is not here yet leaves its thread to what else the rank's program has to
//! do, and where there is nothing the thread parks until something arrives ([`run`]). Tensors change hands without a copy, on whichever device they
//! are: ranks that compute on one GPU must share one handle of it, so that all their work lies in
//! one stream and a tensor's kernel runs before those of whoever receives it.

use std::cell::Cell;
use std::time::Duration;

use async_trait::async_trait;
use candle_core::Tensor;
use plan::{Axis, Rank, WorldSize};

use crate::channels::{self, Channels};
use crate::{PendingRecv, ProcessGroup, Result, Tag, Wanted};

/// How long a receive waits before it says that nothing came.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// One rank of a world of threads. When it is dropped, the others learn that it has stopped.
pub struct ThreadGroup {
    channels: Channels<Tensor>,
    seq: Cell<u32>,
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
    let group = |channels| ThreadGroup { channels, seq: Cell::new(0) };
    channels::run(channels::world(size, timeout).into_iter().map(group).collect(), program)
}

#[async_trait(?Send)]
impl ProcessGroup for ThreadGroup {
    fn axis(&self) -> Axis {
        Axis::World
    }

    fn rank(&self) -> Rank {
        self.channels.rank()
    }

    fn size(&self) -> WorldSize {
        self.channels.size()
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
        self.channels.send(to, tag, tensor, payload)
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        let ticket = self.channels.post(from, &wanted);
        PendingRecv::new(async move { self.channels.receive(from, ticket, &wanted).await })
    }

    fn abort(&self, why: &str) {
        self.channels.stop(why);
    }
}
