//! The process group: what a backend must give, and the collectives that come with it.

use async_trait::async_trait;
use candle_core::{DType, Device, Shape, Tensor};
use futures::future::LocalBoxFuture;
use plan::{Axis, Op, Rank, WorldSize};
use serde::{Deserialize, Serialize};

use crate::{Result, collectives};

/// Names a message: every rank of a group numbers its operations alike, so a message that
/// carries another tag than the receiver expects shows that the ranks have parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// The group that it is sent in.
    pub axis: Axis,
    /// The operation that it belongs to.
    pub op: Op,
    /// The operation's number within the group, from 0.
    pub seq: u32,
    /// For ring messages, the world rank whose keys and values these are.
    pub block: Option<u16>,
    /// 0 for what the program does one after the other; an operation that runs beside it has a
    /// lane of its own ([`crate::Lane`]).
    pub lane: u16,
}

impl std::fmt::Display for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} #{} of group {}", self.op, self.seq, self.axis.name())?;
        match self.block {
            Some(block) => write!(f, " (block of rank {block})"),
            None => Ok(()),
        }
    }
}

/// The message that a receiver expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub tag: Tag,
    /// Element type.
    pub dtype: DType,
    /// Shape.
    pub shape: Shape,
}

impl Wanted {
    /// A message named `tag` that looks like `tensor`.
    pub fn like(tag: Tag, tensor: &Tensor) -> Self {
        Self { tag, dtype: tensor.dtype(), shape: tensor.shape().clone() }
    }
}

/// A receive that is under way; compute, then [`PendingRecv::wait`].
#[must_use = "a receive that is not awaited loses its message"]
pub struct PendingRecv<'a>(LocalBoxFuture<'a, Result<Tensor>>);

impl<'a> PendingRecv<'a> {
    /// Wraps a backend's future.
    pub fn new(future: impl Future<Output = Result<Tensor>> + 'a) -> Self {
        Self(Box::pin(future))
    }

    /// The message, once it is here.
    pub async fn wait(self) -> Result<Tensor> {
        self.0.await
    }
}

/// Where a collective stands, for decorators that time it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It begins.
    Begin,
    /// It ended.
    End,
}

/// Ranks that work together.
///
/// A backend gives `isend` and `irecv`; messages between two ranks arrive, lane by lane, in the
/// order in which they were sent. All ranks of a group call the same collectives in the same order. Errors are
/// [`crate::CommError::Exchange`] where ranks disagree and [`crate::CommError::Usage`] where the
/// tensors do not fit.
#[async_trait(?Send)]
pub trait ProcessGroup {
    /// The mesh axis that this group lies along.
    fn axis(&self) -> Axis;
    /// This rank's number within the group.
    fn rank(&self) -> Rank;
    /// Ranks in the group.
    fn size(&self) -> WorldSize;
    /// The number within the world of a rank of this group.
    fn world_rank(&self, member: Rank) -> Rank;
    /// The number of the next operation in this group; each call takes one.
    fn next_seq(&self) -> u32;

    /// Whether operations in lanes of their own may be under way while the program goes on. Where
    /// not, one ends before the next begins.
    fn runs_beside(&self) -> bool {
        true
    }

    /// Where a tensor that is made to be sent belongs; most backends take one from anywhere.
    fn device(&self) -> Device {
        Device::Cpu
    }

    /// Starts to send `tensor` and returns at once; the caller may drop it.
    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()>;
    /// Starts to receive; the messages of one sender and lane are handed out in the order of these
    /// calls.
    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_>;
    /// Tells every other rank why this one stops, so that none waits for it.
    fn abort(&self, why: &str);
    /// Called at both ends of each collective.
    fn mark(&self, _axis: Axis, _op: Op, _seq: u32, _mark: Mark) {}

    /// `root`'s tensor on every rank; the others give one of the same shape and type.
    async fn broadcast(&self, tensor: &Tensor, root: Rank) -> Result<Tensor> {
        collectives::broadcast(self, tensor, root).await
    }

    /// The sum over all ranks, the same to the bit on each.
    /// Law: it is [`Self::reduce_scatter`] followed by [`Self::all_gather`].
    async fn all_reduce(&self, tensor: &Tensor) -> Result<Tensor> {
        collectives::all_reduce(self, tensor).await
    }

    /// Every rank's tensor, by rank; all of one shape.
    async fn all_gather(&self, tensor: &Tensor) -> Result<Vec<Tensor>> {
        collectives::all_gather(self, tensor).await
    }

    /// Each rank gives one part a rank, all of one shape, and gets the sum of its own.
    async fn reduce_scatter(&self, parts: &[Tensor]) -> Result<Tensor> {
        collectives::reduce_scatter(self, parts).await
    }

    /// Part i goes to rank i; the result holds, by rank, what each sent here.
    /// Law: twice gives back what one began with.
    async fn all_to_all(&self, parts: &[Tensor]) -> Result<Vec<Tensor>> {
        collectives::all_to_all(self, parts).await
    }

    /// Returns once every rank has called it.
    async fn barrier(&self) -> Result<()> {
        collectives::barrier(self).await
    }
}
