//! A world of one rank: the same code with no messages.

use std::cell::Cell;

use async_trait::async_trait;
use candle_core::Tensor;
use plan::{Axis, Rank, WorldSize};

use crate::{CommError, PendingRecv, ProcessGroup, Result, Tag, Wanted};

/// One rank on its own. Every collective is the identity.
#[derive(Default)]
pub struct Solo {
    seq: Cell<u32>,
}

fn nobody(tag: Tag) -> CommError {
    CommError::Usage {
        rank: Rank::ZERO,
        tag,
        expected: "no message in a world of one rank".to_owned(),
        got: "one".to_owned(),
    }
}

#[async_trait(?Send)]
impl ProcessGroup for Solo {
    fn axis(&self) -> Axis {
        Axis::World
    }

    fn rank(&self) -> Rank {
        Rank::ZERO
    }

    fn size(&self) -> WorldSize {
        WorldSize::ONE
    }

    fn world_rank(&self, member: Rank) -> Rank {
        member
    }

    fn next_seq(&self) -> u32 {
        self.seq.replace(self.seq.get() + 1)
    }

    fn isend(&self, _to: Rank, tag: Tag, _tensor: &Tensor) -> Result<()> {
        Err(nobody(tag))
    }

    fn irecv(&self, _from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        PendingRecv::new(async move { Err(nobody(wanted.tag)) })
    }

    fn abort(&self, _why: &str) {}
}
