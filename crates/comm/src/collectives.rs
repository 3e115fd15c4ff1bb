//! Ring algorithms for the collectives, on nothing but isend and irecv.
//!
//! n ranks. Bytes that each rank sends for a tensor of N bytes: broadcast N (the last on the
//! ring 0), all_reduce 2 (n-1) ceil(N/n), all_gather (n-1) N, reduce_scatter (n-1) N/n,
//! all_to_all (n-1) N/n.

use candle_core::{DType, Tensor};
use plan::{Op, Rank};

use crate::{CommError, Mark, ProcessGroup, Result, Tag, Wanted};

/// One numbered operation of a group, marked at both ends.
struct Operation<'a, G: ProcessGroup + ?Sized> {
    group: &'a G,
    tag: Tag,
}

impl<'a, G: ProcessGroup + ?Sized> Operation<'a, G> {
    fn begin(group: &'a G, op: Op) -> Self {
        let tag = Tag { axis: group.axis(), op, seq: group.next_seq(), block: None, lane: 0 };
        group.mark(tag.axis, op, tag.seq, Mark::Begin);
        Self { group, tag }
    }

    fn hop(&self, hops: usize) -> Rank {
        self.group.size().hop(self.group.rank(), hops as isize)
    }

    fn back(&self, hops: usize) -> Rank {
        self.group.size().hop(self.group.rank(), -(hops as isize))
    }

    fn send(&self, to: Rank, tensor: &Tensor) -> Result<()> {
        self.group.isend(to, self.tag, tensor)
    }

    async fn recv(&self, from: Rank, like: &Tensor) -> Result<Tensor> {
        self.group.irecv(from, Wanted::like(self.tag, like)).wait().await
    }

    fn require(&self, holds: bool, expected: &str, got: impl FnOnce() -> String) -> Result<()> {
        if holds {
            return Ok(());
        }
        let rank = self.group.world_rank(self.group.rank());
        Err(CommError::Usage { rank, tag: self.tag, expected: expected.to_owned(), got: got() })
    }

    /// One part a rank, all of one shape.
    fn require_parts(&self, parts: &[Tensor]) -> Result<()> {
        let n = self.group.size().get();
        self.require(parts.len() == n, &format!("{n} parts, one a rank"), || {
            format!("{} parts", parts.len())
        })?;
        let alike = parts.windows(2).all(|pair| pair[0].shape() == pair[1].shape());
        self.require(alike, "parts of one shape", || {
            parts.iter().map(|p| format!("{:?}", p.dims())).collect::<Vec<_>>().join(", ")
        })
    }

    fn end(self) {
        self.group.mark(self.tag.axis, self.tag.op, self.tag.seq, Mark::End);
    }
}

/// See [`ProcessGroup::broadcast`]. The tensor goes once around the ring from `root`.
pub async fn broadcast<G: ProcessGroup + ?Sized>(
    group: &G,
    tensor: &Tensor,
    root: Rank,
) -> Result<Tensor> {
    let op = Operation::begin(group, Op::Broadcast);
    let n = group.size().get();
    op.require(root.index() < n, &format!("a root below {n}"), || format!("root {root}"))?;
    let from_root = (group.rank().index() + n - root.index()) % n;
    let tensor = match from_root {
        0 => tensor.clone(),
        _ => op.recv(op.back(1), tensor).await?,
    };
    if from_root + 1 < n {
        op.send(op.hop(1), &tensor)?;
    }
    op.end();
    Ok(tensor)
}

/// See [`ProcessGroup::all_reduce`].
pub async fn all_reduce<G: ProcessGroup + ?Sized>(group: &G, tensor: &Tensor) -> Result<Tensor> {
    let op = Operation::begin(group, Op::AllReduce);
    let sum = sum_everywhere(&op, tensor).await?;
    op.end();
    Ok(sum)
}

async fn sum_everywhere<G: ProcessGroup + ?Sized>(
    op: &Operation<'_, G>,
    tensor: &Tensor,
) -> Result<Tensor> {
    let n = op.group.size().get();
    if n == 1 {
        return Ok(tensor.clone());
    }
    let len = tensor.elem_count();
    let chunk = len.div_ceil(n);
    let flat = tensor.flatten_all()?.pad_with_zeros(0, 0, chunk * n - len)?;
    let parts = (0..n).map(|i| flat.narrow(0, i * chunk, chunk)).collect::<Result<Vec<_>, _>>()?;
    let mine = scatter_sums(op, &parts).await?;
    let all = gather(op, &mine).await?;
    Ok(Tensor::cat(&all, 0)?.narrow(0, 0, len)?.reshape(tensor.shape())?)
}

/// See [`ProcessGroup::reduce_scatter`].
pub async fn reduce_scatter<G: ProcessGroup + ?Sized>(
    group: &G,
    parts: &[Tensor],
) -> Result<Tensor> {
    let op = Operation::begin(group, Op::ReduceScatter);
    op.require_parts(parts)?;
    let sum = scatter_sums(&op, parts).await?;
    op.end();
    Ok(sum)
}

/// Each part goes once around the ring, growing, and ends at its own rank.
async fn scatter_sums<G: ProcessGroup + ?Sized>(
    op: &Operation<'_, G>,
    parts: &[Tensor],
) -> Result<Tensor> {
    let (n, rank) = (parts.len(), op.group.rank().index());
    let mut sum = parts[(rank + n - 1) % n].clone();
    for step in 1..n {
        op.send(op.hop(1), &sum)?;
        let part = &parts[(rank + 2 * n - 1 - step) % n];
        sum = (op.recv(op.back(1), part).await? + part)?;
    }
    Ok(sum)
}

/// See [`ProcessGroup::all_gather`].
pub async fn all_gather<G: ProcessGroup + ?Sized>(
    group: &G,
    tensor: &Tensor,
) -> Result<Vec<Tensor>> {
    let op = Operation::begin(group, Op::AllGather);
    let all = gather(&op, tensor).await?;
    op.end();
    Ok(all)
}

async fn gather<G: ProcessGroup + ?Sized>(
    op: &Operation<'_, G>,
    tensor: &Tensor,
) -> Result<Vec<Tensor>> {
    let (n, rank) = (op.group.size().get(), op.group.rank().index());
    let mut all = vec![tensor.clone(); n];
    for step in 0..n - 1 {
        op.send(op.hop(1), &all[(rank + n - step) % n])?;
        all[(rank + n - step - 1) % n] = op.recv(op.back(1), tensor).await?;
    }
    Ok(all)
}

/// See [`ProcessGroup::all_to_all`]. In step s each rank sends s places on and receives from s
/// places back, so every link carries one message a step.
pub async fn all_to_all<G: ProcessGroup + ?Sized>(
    group: &G,
    parts: &[Tensor],
) -> Result<Vec<Tensor>> {
    let op = Operation::begin(group, Op::AllToAll);
    op.require_parts(parts)?;
    let mut received = parts.to_vec();
    for step in 1..parts.len() {
        let (to, from) = (op.hop(step), op.back(step));
        op.send(to, &parts[to.index()])?;
        received[from.index()] = op.recv(from, &parts[0]).await?;
    }
    op.end();
    Ok(received)
}

/// See [`ProcessGroup::barrier`]. A sum that is known on a rank has heard from all of them.
pub async fn barrier<G: ProcessGroup + ?Sized>(group: &G) -> Result<()> {
    let op = Operation::begin(group, Op::Barrier);
    let one = Tensor::ones(1, DType::F32, &group.device())?;
    sum_everywhere(&op, &one).await?;
    op.end();
    Ok(())
}
