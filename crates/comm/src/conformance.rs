//! One suite of laws that every backend passes, in its own surroundings.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use candle_core::{DType, Device, Tensor};
use plan::Rank;

use crate::{CommError, Lane, ProcessGroup, Result, Tag, Wanted};

/// A law: its name and the outcome on this rank, `Err` with what was seen.
pub type Outcome = (&'static str, Result<(), String>);

type Law = for<'a> fn(&'a dyn ProcessGroup) -> Pin<Box<dyn Future<Output = Result<bool>> + 'a>>;

/// The laws by name.
const LAWS: [(&str, Law); 10] = [
    ("messages of one sender arrive in order", |g| Box::pin(in_order(g))),
    ("every element type arrives bit for bit", |g| Box::pin(element_types(g))),
    ("an empty tensor travels", |g| Box::pin(empty(g))),
    ("broadcast gives every rank the root's tensor", |g| Box::pin(broadcast(g))),
    ("all_reduce is the sum, for lengths that do not divide too", |g| Box::pin(all_reduce(g))),
    ("all_gather orders by rank", |g| Box::pin(all_gather(g))),
    ("reduce_scatter then all_gather is all_reduce, bit for bit", |g| Box::pin(scatter_gather(g))),
    ("all_to_all twice is the identity", |g| Box::pin(all_to_all(g))),
    ("barrier returns on every rank", |g| Box::pin(barrier(g))),
    ("sums that run beside each other do not mix", |g| Box::pin(beside(g))),
];

/// Runs every law on this rank; all ranks of the group call it together.
pub async fn run(group: &dyn ProcessGroup) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (name, law) in LAWS {
        let outcome = match law(group).await {
            Ok(true) => Ok(()),
            Ok(false) => Err("the values differ".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        outcomes.push((name, outcome));
    }
    outcomes
}

/// Values that tell rank and index apart and add up exactly in f32.
fn values(rank: usize, len: usize) -> Vec<f32> {
    (0..len).map(|i| (rank * 1000 + i) as f32).collect()
}

fn tensor(group: &dyn ProcessGroup, rank: usize, len: usize) -> Result<Tensor> {
    Ok(Tensor::new(values(rank, len), &group.device())?)
}

fn bits(tensor: &Tensor) -> Result<Vec<u32>> {
    Ok(tensor.flatten_all()?.to_vec1::<f32>()?.into_iter().map(f32::to_bits).collect())
}

fn tag(group: &dyn ProcessGroup) -> Tag {
    Tag { axis: group.axis(), op: plan::Op::SendRecv, seq: group.next_seq(), block: None, lane: 0 }
}

fn neighbours(group: &dyn ProcessGroup) -> (Rank, Rank) {
    (group.size().hop(group.rank(), 1), group.size().hop(group.rank(), -1))
}

async fn in_order(group: &dyn ProcessGroup) -> Result<bool> {
    if group.size().get() == 1 {
        return Ok(true);
    }
    let (next, previous) = neighbours(group);
    let tags = [tag(group), tag(group), tag(group)];
    let mut pending = Vec::new();
    for (i, &tag) in tags.iter().enumerate() {
        group.isend(next, tag, &tensor(group, i, 5)?)?;
        pending.push(group.irecv(previous, Wanted::like(tag, &tensor(group, i, 5)?)));
    }
    // Awaited backwards: the order of the posts decides, not the order of the waits.
    let mut right = true;
    for (i, pending) in pending.into_iter().enumerate().rev() {
        right &= bits(&pending.wait().await?)? == bits(&tensor(group, i, 5)?)?;
    }
    Ok(right)
}

async fn element_types(group: &dyn ProcessGroup) -> Result<bool> {
    let mut right = true;
    for dtype in [DType::F32, DType::F64, DType::I64, DType::U32, DType::U8] {
        let mine = Tensor::new(&[[3f64, 7.0], [250.0, 0.0]], &group.device())?.to_dtype(dtype)?;
        let all = group.all_gather(&mine).await?;
        for other in all {
            right &= other.dtype() == dtype && other.dims() == [2, 2];
            let sum = (other.to_dtype(DType::F64)? - mine.to_dtype(DType::F64)?)?.abs()?;
            right &= sum.sum_all()?.to_scalar::<f64>()? == 0.0;
        }
    }
    Ok(right)
}

async fn empty(group: &dyn ProcessGroup) -> Result<bool> {
    // On the CPU everywhere: a GPU allocates no empty tensor.
    let nothing = Tensor::zeros((0, 3), DType::F32, &Device::Cpu)?;
    let all = group.all_gather(&nothing).await?;
    Ok(all.iter().all(|t| t.dims() == [0, 3]))
}

async fn broadcast(group: &dyn ProcessGroup) -> Result<bool> {
    let mut right = true;
    for root in group.size().ranks() {
        let got = group.broadcast(&tensor(group, group.rank().index(), 7)?, root).await?;
        right &= bits(&got)? == bits(&tensor(group, root.index(), 7)?)?;
    }
    Ok(right)
}

async fn all_reduce(group: &dyn ProcessGroup) -> Result<bool> {
    let n = group.size().get();
    let mut right = true;
    for len in [1, n, 3 * n + 1, 1000] {
        let got = group.all_reduce(&tensor(group, group.rank().index(), len)?).await?;
        let expect: Vec<u32> = (0..len)
            .map(|i| ((0..n).map(|r| r * 1000 + i).sum::<usize>() as f32).to_bits())
            .collect();
        right &= bits(&got)? == expect;
    }
    Ok(right)
}

async fn all_gather(group: &dyn ProcessGroup) -> Result<bool> {
    let all = group.all_gather(&tensor(group, group.rank().index(), 6)?).await?;
    let mut right = all.len() == group.size().get();
    for (rank, got) in all.iter().enumerate() {
        right &= bits(got)? == bits(&tensor(group, rank, 6)?)?;
    }
    Ok(right)
}

async fn scatter_gather(group: &dyn ProcessGroup) -> Result<bool> {
    let n = group.size().get();
    // Thirds do not add up exactly, so the order of the additions shows in the bits.
    let whole = (tensor(group, group.rank().index(), 4 * n)? / 3.0)?;
    let parts = whole.chunk(n, 0)?;
    let mine = group.reduce_scatter(&parts).await?;
    let gathered = Tensor::cat(&group.all_gather(&mine).await?, 0)?;
    Ok(bits(&gathered)? == bits(&group.all_reduce(&whole).await?)?)
}

async fn all_to_all(group: &dyn ProcessGroup) -> Result<bool> {
    let (n, rank) = (group.size().get(), group.rank().index());
    let parts = (0..n).map(|to| tensor(group, 10 * rank + to, 4)).collect::<Result<Vec<_>>>()?;
    let received = group.all_to_all(&parts).await?;
    let mut right = true;
    for (from, got) in received.iter().enumerate() {
        right &= bits(got)? == bits(&tensor(group, 10 * from + rank, 4)?)?;
    }
    let back = group.all_to_all(&received).await?;
    for (mine, again) in parts.iter().zip(&back) {
        right &= bits(mine)? == bits(again)?;
    }
    Ok(right)
}

async fn barrier(group: &dyn ProcessGroup) -> Result<bool> {
    group.barrier().await?;
    Ok(true)
}

/// Sums of different lengths in lanes of their own, which each rank polls in another order, while
/// the program exchanges something itself.
async fn beside(group: &dyn ProcessGroup) -> Result<bool> {
    const SUMS: usize = 3;
    let (n, rank) = (group.size().get(), group.rank().index());
    let lanes: Vec<Lane<'_>> = (1..=SUMS as u16).map(|lane| Lane::new(group, lane)).collect();
    let mine = |lane: usize| tensor(group, rank + lane, 5 * lane + 7);
    let mine = (0..SUMS).map(mine).collect::<Result<Vec<_>>>()?;
    let mut sums: Vec<_> = lanes.iter().zip(&mine).map(|(l, t)| l.all_reduce(t)).collect();
    let mut got: Vec<Option<Tensor>> = vec![None; SUMS];
    let exchanged = if group.runs_beside() {
        let mut first = true;
        let mut own = std::pin::pin!(all_to_all(group));
        let mut exchanged = None;
        poll_fn(|context| {
            // All begin in one order, since each takes a number as it begins; the rest is free.
            let turn = if first { 0 } else { rank };
            first = false;
            for place in 0..SUMS {
                let lane = (place + turn) % SUMS;
                if got[lane].is_none()
                    && let Poll::Ready(sum) = sums[lane].as_mut().poll(context)
                {
                    got[lane] = Some(sum?);
                }
            }
            if exchanged.is_none()
                && let Poll::Ready(right) = own.as_mut().poll(context)
            {
                exchanged = Some(right?);
            }
            match exchanged {
                Some(right) if got.iter().all(Option::is_some) => {
                    Poll::Ready(Ok::<_, CommError>(right))
                }
                _ => Poll::Pending,
            }
        })
        .await?
    } else {
        for (sum, got) in sums.into_iter().zip(&mut got) {
            *got = Some(sum.await?);
        }
        all_to_all(group).await?
    };
    let mut right = exchanged;
    for (lane, sum) in got.iter().enumerate() {
        let expect: Vec<u32> = (0..5 * lane + 7)
            .map(|i| (0..n).map(|r| (r + lane) * 1000 + i).sum::<usize>() as f32)
            .map(f32::to_bits)
            .collect();
        right &= sum.as_ref().is_some_and(|sum| bits(sum).is_ok_and(|bits| bits == expect));
    }
    Ok(right)
}
