//! Sums gradients over all ranks, piece by piece of their bucket, while others are still computed.

use std::future::poll_fn;
use std::task::{Context, Poll};

use candle_core::{DType, Tensor};
use comm::{Lane, ProcessGroup};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use kernels::profile::{self, Kind};

use crate::Result;

/// What comes back from [`Reduction::finish`].
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The summed pieces (P), in their order; the first with the extras behind it.
    pub pieces: Vec<Tensor>,
    /// The summed numbers behind the gradients.
    pub extras: Vec<f64>,
}

/// The sums of one step's bucket over a group, begun piece by piece from the last to the first.
///
/// Each rank gives the gradient of its own sum of losses; the sum over dp x cp, divided by the
/// valid tokens of the whole batch, is the gradient of the mean loss. Each piece is one all_reduce
/// in a lane of its own, so a sum is the same to the bit on every rank and in every run, in
/// whichever order ranks come to it. Where the group runs nothing beside the program, all of it
/// happens in [`Self::finish`].
pub struct Reduction<'a> {
    group: &'a dyn ProcessGroup,
    pieces: &'a [Tensor],
    /// What has begun, from the last piece on.
    begun: Vec<Sum<'a>>,
}

enum Sum<'a> {
    UnderWay(LocalBoxFuture<'a, comm::Result<Tensor>>),
    Done(Tensor),
}

impl<'a> Reduction<'a> {
    /// Nothing has begun yet; `pieces` (P) are those of the bucket.
    pub fn new(group: &'a dyn ProcessGroup, pieces: &'a [Tensor]) -> Self {
        Self { group, pieces, begun: Vec::with_capacity(pieces.len()) }
    }

    /// The pieces from number `first` on are complete: begins to sum those that have not begun.
    pub async fn begin(&mut self, first: usize) -> Result<()> {
        let open = self.pieces.len() - self.begun.len();
        for number in (first..open).rev() {
            let _span = profile::span(Kind::Exchange, "all_reduce");
            let (group, piece) = (self.group, &self.pieces[number]);
            // A piece of the bucket is a lane.
            let sum = async move { Lane::new(group, number as u16 + 1).all_reduce(piece).await };
            self.begun.push(Sum::UnderWay(sum.boxed_local()));
        }
        poll_fn(|context| Poll::Ready(self.look(context))).await
    }

    /// Runs `work`, and the sums that have begun wherever it waits.
    pub async fn beside<T>(&mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let mut work = std::pin::pin!(work);
        poll_fn(|context| {
            let worked = work.as_mut().poll(context);
            // A sum that failed ends the step, even if what it ran beside would wait for ever.
            match self.look(context) {
                Ok(()) => worked,
                Err(error) => Poll::Ready(Err(error)),
            }
        })
        .await
    }

    /// Begins the first piece, with `extras` written behind its gradients, and waits for all sums.
    pub async fn finish(mut self, extras: &[f64]) -> Result<Reduced> {
        let first = &self.pieces[0];
        let start = first.elem_count() - extras.len();
        let tail = Tensor::new(extras, first.device())?.to_dtype(first.dtype())?;
        first.slice_set(&tail, 0, start)?;
        self.begin(0).await?;
        let _span = profile::span(Kind::Exchange, "all_reduce, wait");
        let mut pieces = match self.group.runs_beside() {
            true => poll_fn(|context| self.all(context)).await?,
            false => self.one_by_one().await?,
        };
        pieces.reverse();
        let tail = pieces[0].narrow(0, start, extras.len())?;
        Ok(Reduced { extras: tail.to_dtype(DType::F64)?.to_vec1()?, pieces })
    }

    /// Looks at every sum under way, from the first that was begun.
    fn look(&mut self, context: &mut Context<'_>) -> Result<()> {
        if !self.group.runs_beside() {
            return Ok(());
        }
        let _span = profile::span(Kind::Exchange, "all_reduce, beside");
        for sum in &mut self.begun {
            if let Sum::UnderWay(future) = sum
                && let Poll::Ready(done) = future.poll_unpin(context)
            {
                *sum = Sum::Done(done?);
            }
        }
        Ok(())
    }

    fn all(&mut self, context: &mut Context<'_>) -> Poll<Result<Vec<Tensor>>> {
        self.look(context)?;
        let done = self.begun.iter().map(|sum| match sum {
            Sum::Done(sum) => Some(sum.clone()),
            Sum::UnderWay(_) => None,
        });
        done.collect::<Option<_>>().map_or(Poll::Pending, |all| Poll::Ready(Ok(all)))
    }

    async fn one_by_one(&mut self) -> Result<Vec<Tensor>> {
        let mut all = Vec::with_capacity(self.begun.len());
        for sum in self.begun.drain(..) {
            all.push(match sum {
                Sum::Done(sum) => sum,
                Sum::UnderWay(future) => future.await?,
            });
        }
        Ok(all)
    }
}

/// The sums of a few numbers over `group`, where there are no gradients.
pub async fn sum(group: &dyn ProcessGroup, numbers: &[f64]) -> Result<Vec<f64>> {
    let _span = profile::span(Kind::Exchange, "all_reduce");
    let mine = Tensor::new(numbers, &group.device())?.to_dtype(DType::F32)?;
    Ok(group.all_reduce(&mine).await?.to_dtype(DType::F64)?.to_vec1()?)
}
