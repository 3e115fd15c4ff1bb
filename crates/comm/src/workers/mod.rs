//! The workers backend: one rank a web worker, messages over one `MessagePort` a peer.
//!
//! A message's elements leave wasm memory in one copy, change hands without another (the buffer
//! is transferred, and the sender checks that it is gone), and enter the receiver's wasm memory
//! in one copy, after which the buffer waits for its next trip. Nothing passes through the page.

mod elements;
mod link;
mod mailbox;
mod pool;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use async_trait::async_trait;
use candle_core::Tensor;
use plan::{Axis, Rank, WorldSize};
use web_sys::MessagePort;

use crate::inbox::Header;
use crate::{CommError, PendingRecv, ProcessGroup, Result, Tag, Wanted};
use link::Link;
use mailbox::Mailbox;
use pool::Pool;

/// How long a receive waits before it says that nothing came.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// One rank of a world of web workers. When it is dropped, the others learn that it has stopped.
pub struct WorkerGroup {
    rank: Rank,
    world: WorldSize,
    links: Vec<Option<Link>>,
    mailbox: Rc<Mailbox>,
    pool: Pool,
    seq: Cell<u32>,
    stopped: Cell<bool>,
    undelivered: Cell<u32>,
}

impl WorkerGroup {
    /// This rank of a world whose other ranks are reached through `ports`, by rank; its own place
    /// is empty, and every other one must not be.
    pub fn new(
        rank: Rank,
        world: WorldSize,
        ports: Vec<Option<MessagePort>>,
        timeout: Duration,
    ) -> Result<Self> {
        let mailbox = Rc::new(Mailbox::new(rank, world, timeout));
        let mut ports = ports.into_iter();
        let mut links = Vec::new();
        for peer in world.ranks() {
            let port = ports.next().flatten();
            links.push(match port {
                _ if peer == rank => None,
                Some(port) => Some(Link::new(port, peer, Rc::clone(&mailbox))),
                None => {
                    let reason = "no port to it was given".to_owned();
                    return Err(CommError::Transport { rank, peer, reason });
                }
            });
        }
        Ok(Self {
            rank,
            world,
            links,
            mailbox,
            pool: Pool::default(),
            seq: Cell::new(0),
            stopped: Cell::new(false),
            undelivered: Cell::new(0),
        })
    }

    /// Sends whose buffer stayed here instead of being transferred. With all ranks alive: none.
    pub fn undelivered(&self) -> u32 {
        self.undelivered.get()
    }

    fn stop(&self, why: &str) {
        if self.stopped.replace(true) {
            return;
        }
        // A rank that stops because another did passes the first cause on, not a chain of echoes.
        let follows = self.mailbox.first_stop();
        for link in self.links.iter().flatten() {
            link.say_stopped(why, follows.as_deref());
        }
    }
}

impl Drop for WorkerGroup {
    fn drop(&mut self) {
        self.stop("its program ended");
    }
}

#[async_trait(?Send)]
impl ProcessGroup for WorkerGroup {
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
        let elements = elements::copy_out(tensor, &self.pool)?;
        let transport = |reason| CommError::Transport { rank: self.rank, peer: to, reason };
        let Some(link) = &self.links[to.index()] else {
            return Err(transport("a rank has no link to itself".to_owned()));
        };
        let delivered = link.send(Header::of(tag, tensor), &elements).map_err(transport)?;
        if delivered {
            return Ok(());
        }
        self.undelivered.set(self.undelivered.get() + 1);
        // If the receiver's reason is not here yet, the next receive will find it.
        match self.mailbox.receiver_stopped(to, &Wanted::like(tag, tensor)) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        let ticket = self.mailbox.post(from, &wanted);
        PendingRecv::new(async move {
            let elements = self.mailbox.receive(from, ticket, &wanted).await?;
            let tensor = elements::copy_in(&elements, wanted.dtype, &wanted.shape)?;
            self.pool.give(elements);
            Ok(tensor)
        })
    }

    fn abort(&self, why: &str) {
        self.stop(why);
    }
}
