//! A process group that records every message and collective.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use async_trait::async_trait;
use candle_core::{Device, Tensor};
use plan::{Axis, EventKind, Op, Rank, WorldSize};

use crate::{Mark, PendingRecv, ProcessGroup, Recorder, Result, Tag, Wanted};

/// Wraps the world's group; subgroups of it are recorded through it.
///
/// A receive tells how long its rank stood still for it. Of what runs beside the program that is
/// nothing while the program computes or waits itself, and when several are waited for at the end,
/// each tells the time since the one before: no microsecond is told twice.
pub struct Traced<G> {
    inner: G,
    recorder: Rc<Recorder>,
    open: RefCell<Vec<(Axis, Op, u32, u64)>>,
    /// Receives of the program itself that are awaited.
    awaited: Cell<u32>,
}

impl<G: ProcessGroup> Traced<G> {
    /// Records what passes through `inner` in `recorder`.
    pub fn new(inner: G, recorder: Rc<Recorder>) -> Self {
        Self { inner, recorder, open: RefCell::default(), awaited: Cell::new(0) }
    }
}

/// One receive of the program itself is awaited until this is dropped.
struct Awaited<'a>(&'a Cell<u32>);

impl<'a> Awaited<'a> {
    fn new(count: &'a Cell<u32>) -> Self {
        count.set(count.get() + 1);
        Self(count)
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
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

    fn runs_beside(&self) -> bool {
        self.inner.runs_beside()
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
            let awaited = (tag.lane == 0).then(|| Awaited::new(&self.awaited));
            let tensor = pending.wait().await?;
            let now = self.recorder.now_us();
            let waited_us = match (awaited, self.awaited.get()) {
                (Some(_), _) => now - start,
                (None, 0) => now.saturating_sub(start.max(self.recorder.last_us())),
                (None, _) => 0,
            };
            self.recorder.record(EventKind::Recv {
                axis: tag.axis,
                op: tag.op,
                seq: tag.seq,
                from: from_world,
                bytes,
                block: tag.block,
                waited_us,
            });
            Ok(tensor)
        })
    }

    fn abort(&self, why: &str) {
        self.inner.abort(why);
    }

    fn mark(&self, axis: Axis, op: Op, seq: u32, mark: Mark) {
        self.inner.mark(axis, op, seq, mark);
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
