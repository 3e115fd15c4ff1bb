//! Some of a group's ranks as a group of their own.

use std::cell::Cell;
use std::rc::Rc;

use async_trait::async_trait;
use candle_core::{Device, Tensor};
use plan::{Axis, Op, Rank, WorldSize};

use crate::{Mark, PendingRecv, ProcessGroup, Result, Tag, Wanted};

/// A group along a mesh axis, on top of the world's group.
pub struct SubGroup {
    parent: Rc<dyn ProcessGroup>,
    axis: Axis,
    members: Vec<Rank>,
    rank: Rank,
    size: WorldSize,
    seq: Cell<u32>,
}

impl SubGroup {
    /// `members` are ranks of `parent` in order, this rank among them, the same list on each.
    ///
    /// # Panics
    /// If this rank is not a member: the mesh builds each rank's own groups only.
    pub fn new(parent: Rc<dyn ProcessGroup>, axis: Axis, members: Vec<Rank>) -> Self {
        let size = WorldSize::new(members.len()).expect("a group has at least its own rank");
        let rank = members
            .iter()
            .position(|&member| member == parent.rank())
            .and_then(|index| size.rank(index).ok())
            .expect("a rank builds only groups that it is in");
        Self { parent, axis, members, rank, size, seq: Cell::new(0) }
    }
}

#[async_trait(?Send)]
impl ProcessGroup for SubGroup {
    fn axis(&self) -> Axis {
        self.axis
    }

    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> WorldSize {
        self.size
    }

    fn world_rank(&self, member: Rank) -> Rank {
        self.parent.world_rank(self.members[member.index()])
    }

    fn next_seq(&self) -> u32 {
        self.seq.replace(self.seq.get() + 1)
    }

    fn runs_beside(&self) -> bool {
        self.parent.runs_beside()
    }

    fn device(&self) -> Device {
        self.parent.device()
    }

    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()> {
        self.parent.isend(self.members[to.index()], tag, tensor)
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        self.parent.irecv(self.members[from.index()], wanted)
    }

    fn abort(&self, why: &str) {
        self.parent.abort(why);
    }

    fn mark(&self, axis: Axis, op: Op, seq: u32, mark: Mark) {
        self.parent.mark(axis, op, seq, mark);
    }
}
