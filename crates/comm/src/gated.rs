//! A process group that stands before each exchange until it is let through: one ring step at a time.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use async_trait::async_trait;
use candle_core::{Device, Tensor};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use plan::{Axis, Op, Rank, WorldSize};

use crate::{Mark, PendingRecv, ProcessGroup, Result, Tag, Wanted};

/// What a rank stands before. Every rank of a run comes to it equally often in a step.
pub trait Gate {
    /// Returns once the rank may go on.
    fn pass(&self) -> LocalBoxFuture<'_, ()>;
}

/// Wraps the world's group. What is gated are the exchanges of context parallelism: each block of
/// keys and values on its way around the ring, each all_gather and all_to_all of an attention.
/// While a rank stands at the gate, what runs beside stands with it.
pub struct Gated<G> {
    inner: G,
    gate: Rc<dyn Gate>,
    /// The operation that was let through last: its other messages pass freely.
    passed: Cell<Option<(Axis, Op, u32)>>,
    stands: Cell<bool>,
}

impl<G: ProcessGroup> Gated<G> {
    /// Lets nothing of `inner`'s exchanges arrive but through `gate`.
    pub fn new(inner: G, gate: Rc<dyn Gate>) -> Self {
        Self { inner, gate, passed: Cell::new(None), stands: Cell::new(false) }
    }

    fn is_gated(&self, tag: Tag) -> bool {
        let of_attention = matches!(tag.axis, Axis::Cp | Axis::Ring | Axis::Ulysses);
        of_attention
            && tag.lane == 0
            && match tag.op {
                Op::RingKv => true,
                Op::AllGather | Op::AllToAll | Op::ReduceScatter => {
                    let operation = (tag.axis, tag.op, tag.seq);
                    self.passed.replace(Some(operation)) != Some(operation)
                }
                _ => false,
            }
    }
}

#[async_trait(?Send)]
impl<G: ProcessGroup> ProcessGroup for Gated<G> {
    fn axis(&self) -> Axis {
        self.inner.axis()
    }

    fn rank(&self) -> Rank {
        self.inner.rank()
    }

    fn size(&self) -> WorldSize {
        self.inner.size()
    }

    fn world_rank(&self, member: Rank) -> Rank {
        self.inner.world_rank(member)
    }

    fn next_seq(&self) -> u32 {
        self.inner.next_seq()
    }

    fn runs_beside(&self) -> bool {
        self.inner.runs_beside()
    }

    fn device(&self) -> Device {
        self.inner.device()
    }

    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()> {
        self.inner.isend(to, tag, tensor)
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        let gated = self.is_gated(wanted.tag);
        let is_beside = wanted.tag.lane != 0;
        let pending = self.inner.irecv(from, wanted);
        PendingRecv::new(async move {
            if gated {
                self.stands.set(true);
                self.gate.pass().await;
                self.stands.set(false);
            }
            let mut message = pending.wait().boxed_local();
            // Nobody loses patience with a rank that is held: what runs beside is not even asked.
            poll_fn(|context| match is_beside && self.stands.get() {
                true => Poll::Pending,
                false => message.poll_unpin(context),
            })
            .await
        })
    }

    fn abort(&self, why: &str) {
        self.inner.abort(why);
    }

    fn mark(&self, axis: Axis, op: Op, seq: u32, mark: Mark) {
        self.inner.mark(axis, op, seq, mark);
    }
}
