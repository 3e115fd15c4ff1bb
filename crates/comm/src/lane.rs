//! A group whose operations run beside whatever else the program does with it.

use async_trait::async_trait;
use candle_core::{Device, Tensor};
use plan::{Axis, Op, Rank, WorldSize};

use crate::{Mark, PendingRecv, ProcessGroup, Result, Tag, Wanted};

/// The same ranks, with a queue of messages of its own between any two of them. What is under way
/// in one lane does not mix with other lanes, in whichever order a rank comes to them. All ranks
/// begin the same operations in the same order, and a lane has one at a time.
pub struct Lane<'a> {
    parent: &'a dyn ProcessGroup,
    lane: u16,
}

impl<'a> Lane<'a> {
    /// Lane `lane` of `parent`, from 1; 0 is what `parent` does itself.
    pub fn new(parent: &'a dyn ProcessGroup, lane: u16) -> Self {
        Self { parent, lane }
    }

    fn tag(&self, tag: Tag) -> Tag {
        Tag { lane: self.lane, ..tag }
    }
}

#[async_trait(?Send)]
impl ProcessGroup for Lane<'_> {
    fn axis(&self) -> Axis {
        self.parent.axis()
    }

    fn rank(&self) -> Rank {
        self.parent.rank()
    }

    fn size(&self) -> WorldSize {
        self.parent.size()
    }

    fn world_rank(&self, member: Rank) -> Rank {
        self.parent.world_rank(member)
    }

    fn next_seq(&self) -> u32 {
        self.parent.next_seq()
    }

    fn runs_beside(&self) -> bool {
        self.parent.runs_beside()
    }

    fn device(&self) -> Device {
        self.parent.device()
    }

    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()> {
        self.parent.isend(to, self.tag(tag), tensor)
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        self.parent.irecv(from, Wanted { tag: self.tag(wanted.tag), ..wanted })
    }

    fn abort(&self, why: &str) {
        self.parent.abort(why);
    }

    fn mark(&self, axis: Axis, op: Op, seq: u32, mark: Mark) {
        self.parent.mark(axis, op, seq, mark);
    }
}
