//! The MPI backend: one rank a process that mpirun started, messages over MPI's own transport.
//!
//! A message is one MPI message of bytes: its header, then its elements. A receive takes whatever
//! has arrived, from anybody, until its own message is there; so a rank that waits never keeps
//! another one's sends from ending, and a rank that has parted from the others is found out as it
//! is between threads. MPI is called from the thread that has started it.
//!
//! A receive keeps its thread until its message is there, so nothing runs beside the program: the
//! gradients' sums begin after the backward pass.

mod elements;
mod unsafe_outbox;
mod wire;

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use ::mpi::Threading;
use ::mpi::environment::Universe;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator, MatchedReceiveVec, Source};
use async_trait::async_trait;
use candle_core::Tensor;
use plan::{Axis, Rank, Refusal, WorldSize};

use crate::inbox::{Arrival, Header, Inbox};
use crate::{CommError, PendingRecv, ProcessGroup, Result, Tag, Wanted};
use unsafe_outbox::Outbox;

/// How long a rank that ends waits for the others to do so.
const GRACE: Duration = Duration::from_millis(500);
/// Looks for a message before a rank that waits gives its core away.
const EAGER_LOOKS: u32 = 200;
/// How long it then sleeps between two looks.
const NAP: Duration = Duration::from_micros(50);

/// One rank of a world of processes. When it is dropped, the others learn that it has stopped, and
/// MPI ends in this process.
pub struct MpiGroup {
    rank: Rank,
    world: WorldSize,
    timeout: Duration,
    inbox: RefCell<Inbox<Vec<u8>>>,
    seq: Cell<u32>,
    stopped: Cell<bool>,
    outbox: Outbox,
    communicator: SimpleCommunicator,
    // The last field: MPI ends when nothing of it is in use any more.
    universe: Option<Universe>,
}

impl MpiGroup {
    /// Starts MPI in this process, once, and takes this process's rank in its world.
    ///
    /// Errors: MPI was started before, or its world is larger than a run may be.
    pub fn start(timeout: Duration) -> Result<Self, Refusal> {
        let refuse = |reason: &str, works: &str| Refusal::new("backend", "mpi", reason, works);
        let universe = ::mpi::initialize_with_threading(Threading::Funneled);
        let Some((universe, threading)) = universe else {
            return Err(refuse("MPI has been started in this process", "start it once"));
        };
        if threading < Threading::Funneled {
            let reason = "this MPI cannot be called beside other threads";
            return Err(refuse(reason, "use an MPI with MPI_THREAD_FUNNELED"));
        }
        let communicator = universe.world();
        let world = WorldSize::new(communicator.size() as usize)?;
        let rank = world.rank(communicator.rank() as usize)?;
        Ok(Self {
            rank,
            world,
            timeout,
            inbox: RefCell::new(Inbox::new(rank, world.get())),
            seq: Cell::new(0),
            stopped: Cell::new(false),
            outbox: Outbox::default(),
            communicator,
            universe: Some(universe),
        })
    }

    /// Takes in what has arrived, and returns whether anything had.
    fn look(&self) -> bool {
        self.outbox.tidy();
        let Some(found) = self.communicator.any_process().immediate_matched_probe() else {
            return false;
        };
        let (bytes, status) = found.matched_receive_vec::<u8>();
        let arrival = wire::read(bytes);
        if let Ok(sender) = self.world.rank(status.source_rank() as usize) {
            self.inbox.borrow_mut().arrive(sender, arrival);
        }
        true
    }

    fn wait(&self, from: Rank, ticket: u64, wanted: &Wanted) -> Result<Vec<u8>> {
        let deadline = Instant::now() + self.timeout;
        let mut looks = 0;
        loop {
            if let Some(result) = self.inbox.borrow_mut().take(from, ticket, wanted) {
                return result;
            }
            if self.look() {
                looks = 0;
            } else if Instant::now() > deadline {
                let seconds = self.timeout.as_secs_f64();
                return Err(self.inbox.borrow().timeout(from, wanted, seconds));
            } else if looks < EAGER_LOOKS {
                looks += 1;
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
    }

    fn send(&self, to: Rank, bytes: Vec<u8>) {
        self.outbox.send(self.communicator.process_at_rank(to.index() as i32), bytes);
    }

    /// Whether nothing is under way any more: a peer's news that it has stopped is its last
    /// message, and a send that nobody takes would not end.
    fn is_settled(&self) -> bool {
        let inbox = self.inbox.borrow();
        let mut peers = self.world.ranks().filter(|&peer| peer != self.rank);
        self.outbox.is_empty() && peers.all(|peer| inbox.has_stopped(peer))
    }

    fn stop(&self, why: &str) {
        if self.stopped.replace(true) {
            return;
        }
        for peer in self.world.ranks().filter(|&peer| peer != self.rank) {
            self.send(peer, wire::write(&Arrival::Stopped(why.to_owned())));
        }
    }
}

impl Drop for MpiGroup {
    fn drop(&mut self) {
        let failed = self.stopped.get() || std::thread::panicking();
        self.stop(if failed { "it panicked" } else { "its program ended" });
        let end = Instant::now() + GRACE;
        while !self.is_settled() && Instant::now() < end {
            if !self.look() {
                std::thread::sleep(NAP);
            }
        }
        if failed {
            // MPI ends together or not at all, and would keep a process that has files to finish
            // waiting for one that mpirun has killed; the process's exit code says the rest.
            std::mem::forget(self.universe.take());
        }
    }
}

#[async_trait(?Send)]
impl ProcessGroup for MpiGroup {
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

    fn runs_beside(&self) -> bool {
        false
    }

    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()> {
        let transport = |reason: &str| CommError::Transport {
            rank: self.rank,
            peer: to,
            reason: reason.to_owned(),
        };
        if to == self.rank {
            return Err(transport("a rank sends nothing to itself"));
        }
        while self.look() {}
        if self.inbox.borrow().has_stopped(to) {
            return Err(self.inbox.borrow().receiver_stopped(to, &Wanted::like(tag, tensor)));
        }
        let header = Header::of(tag, tensor);
        let bytes = wire::write(&Arrival::Message(header, elements::to_bytes(tensor)?));
        if i32::try_from(bytes.len()).is_err() {
            return Err(transport("MPI counts a message's bytes in 31 bits, and it has more"));
        }
        self.send(to, bytes);
        Ok(())
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        let ticket = self.inbox.borrow_mut().post(from, &wanted);
        PendingRecv::new(async move {
            let bytes = self.wait(from, ticket, &wanted)?;
            elements::from_bytes(&bytes, wanted.dtype, &wanted.shape)
        })
    }

    fn abort(&self, why: &str) {
        self.stop(why);
    }
}
