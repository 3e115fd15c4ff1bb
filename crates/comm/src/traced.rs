//! A process group that records every message and collective.

use std::cell::RefCell;
use std::rc::Rc;

use async_trait::async_trait;
use candle_core::{Device, Tensor};
use plan::{Axis, EventKind, Op, Rank, WorldSize};

use crate::{Mark, PendingRecv, ProcessGroup, Recorder, Result, Tag, Wanted};

/// Wraps the world's group; subgroups of it are recorded through it.
pub struct Traced<G> {
    inner: G,
    recorder: Rc<Recorder>,
    open: RefCell<Vec<(Axis, Op, u32, u64)>>,
}

impl<G: ProcessGroup> Traced<G> {
    /// Records what passes through `inner` in `recorder`.
    pub fn new(inner: G, recorder: Rc<Recorder>) -> Self {
        Self { inner, recorder, open: RefCell::default() }
    }
}

fn bytes(dtype: candle_core::DType, elements: usize) -> u64 {
    (elements * dtype.size_in_bytes()) as u64
}

#[async_trait(?Send)]
impl<G: ProcessGroup> ProcessGroup for Traced<G> {
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

    fn device(&self) -> Device {
        self.inner.device()
    }

    fn isend(&self, to: Rank, tag: Tag, tensor: &Tensor) -> Result<()> {
        self.inner.isend(to, tag, tensor)?;
        self.recorder.record(EventKind::Send {
            axis: tag.axis,
            op: tag.op,
            seq: tag.seq,
            to: self.world_rank(to).index() as u16,
            bytes: bytes(tensor.dtype(), tensor.elem_count()),
            block: tag.block,
        });
        Ok(())
    }

    fn irecv(&self, from: Rank, wanted: Wanted) -> PendingRecv<'_> {
        let tag = wanted.tag;
        let bytes = bytes(wanted.dtype, wanted.shape.elem_count());
        let from_world = self.world_rank(from).index() as u16;
        let pending = self.inner.irecv(from, wanted);
        PendingRecv::new(async move {
            let start = self.recorder.now_us();
            let tensor = pending.wait().await?;
            self.recorder.record(EventKind::Recv {
                axis: tag.axis,
                op: tag.op,
                seq: tag.seq,
                from: from_world,
                bytes,
                block: tag.block,
                waited_us: self.recorder.now_us() - start,
            });
            Ok(tensor)
        })
    }

    fn abort(&self, why: &str) {
        self.inner.abort(why);
    }

    fn mark(&self, axis: Axis, op: Op, seq: u32, mark: Mark) {
        let mut open = self.open.borrow_mut();
        match mark {
            Mark::Begin => open.push((axis, op, seq, self.recorder.now_us())),
            Mark::End => {
                let found = open.iter().position(|&(a, o, s, _)| (a, o, s) == (axis, op, seq));
                if let Some((.., start)) = found.map(|i| open.swap_remove(i)) {
                    let took_us = self.recorder.now_us() - start;
                    self.recorder.record(EventKind::Collective { axis, op, seq, took_us });
                }
            }
        }
    }
}
