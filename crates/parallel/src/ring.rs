//! Ring attention: keys and values go around, queries stay (Liu et al., 2023).
//!
//! Each step starts the exchange, computes on the block at hand while it is under way, and then
//! waits. In the backward pass the gradients of a block's keys and values travel with it, one
//! step behind, and after the last step go straight home; meanwhile each rank computes what it kept
//! back of the tile on its own block.

use candle_core::Tensor;
use comm::{PendingRecv, ProcessGroup, Tag, Wanted};
use kernels::attention::{Partial, QueryGrad};
use kernels::profile::{self, Kind};
use plan::Op;
use plan::schedule::Share;

use crate::Result;
use crate::rows::{Rows, added};
use crate::tiles::Tiles;

/// One rank's place on the ring.
pub(crate) struct Ring<'a> {
    pub(crate) group: &'a dyn ProcessGroup,
    pub(crate) steps: usize,
    pub(crate) tiles: &'a Tiles,
}

impl Ring<'_> {
    /// Attention of this rank's queries over the keys and values of all.
    pub(crate) async fn forward(
        &self,
        layer: usize,
        q: &Tensor,
        own_kv: &Tensor,
    ) -> Result<Partial> {
        let seq = self.group.next_seq();
        let mut rows = Rows::<Partial>::new();
        let mut kv = own_kv.clone();
        for step in 0..self.steps {
            let next = self.exchange_if(step + 1 < self.steps, Op::RingKv, seq, step, &kv)?;
            self.tiles.forward(layer, step, q, &kv, &mut rows)?;
            if let Some(next) = next {
                kv = arrived(next).await?;
            }
        }
        Ok(rows.finish(q)?)
    }

    /// Gradients of this rank's queries, and of its own keys and values from all ranks.
    pub(crate) async fn backward(
        &self,
        layer: usize,
        query: &QueryGrad,
        own_kv: &Tensor,
    ) -> Result<(Tensor, Tensor)> {
        let seq = self.group.next_seq();
        let mut dq = Rows::<Tensor>::new();
        let mut backward =
            |step, share, kv: &Tensor| self.tiles.backward(layer, step, share, query, kv, &mut dq);
        if self.steps == 1 {
            let dkv = backward(0, Share::Whole, own_kv)?;
            return Ok((dq.finish(&query.q_bhtd)?, dkv));
        }
        let splits = self.tiles.has_rest();
        let mut kv = own_kv.clone();
        let mut arriving: Option<PendingRecv<'_>> = None;
        for step in 0..self.steps {
            let last = step + 1 == self.steps;
            let next = self.exchange_if(!last, Op::RingKv, seq, step, &kv)?;
            let share = if splits && step == 0 { Share::First } else { Share::Whole };
            let mut sum = backward(step, share, &kv)?;
            if let Some(arriving) = arriving.take() {
                sum = added(&arrived(arriving).await?, &sum)?;
            }
            arriving = Some(match last {
                true => self.send_home(seq, &sum)?,
                false => self.exchange(Op::RingKvGrad, seq, step, &sum)?,
            });
            if let Some(next) = next {
                kv = arrived(next).await?;
            }
        }
        let rest = splits.then(|| backward(0, Share::Rest, own_kv)).transpose()?;
        let mut dkv = arrived(arriving.expect("the last step sends the gradients home")).await?;
        if let Some(rest) = rest {
            dkv = added(&dkv, &rest)?;
        }
        Ok((dq.finish(&query.q_bhtd)?, dkv))
    }

    /// Passes what belongs to the block at hand to the next rank; the previous one passes its own.
    fn exchange(&self, op: Op, seq: u32, step: usize, tensor: &Tensor) -> Result<PendingRecv<'_>> {
        let _span = profile::span(Kind::Exchange, "ring exchange, start");
        let group = self.group;
        let hop = |hops| group.size().hop(group.rank(), hops);
        group.isend(hop(1), self.tag(op, seq, step), tensor)?;
        Ok(group.irecv(hop(-1), Wanted::like(self.tag(op, seq, step + 1), tensor)))
    }

    fn exchange_if(
        &self,
        wanted: bool,
        op: Op,
        seq: u32,
        step: usize,
        tensor: &Tensor,
    ) -> Result<Option<PendingRecv<'_>>> {
        wanted.then(|| self.exchange(op, seq, step, tensor)).transpose()
    }

    /// Sends the gradients of the last block to the rank that owns it; our own come back.
    fn send_home(&self, seq: u32, sum: &Tensor) -> Result<PendingRecv<'_>> {
        let (group, away) = (self.group, self.steps as isize - 1);
        let (home, holder) =
            (group.size().hop(group.rank(), -away), group.size().hop(group.rank(), away));
        group.isend(home, self.tag(Op::RingKvGrad, seq, self.steps - 1), sum)?;
        Ok(group.irecv(holder, Wanted::like(self.tag(Op::RingKvGrad, seq, 0), sum)))
    }

    /// Names a message about the block that this rank holds at `step`.
    fn tag(&self, op: Op, seq: u32, step: usize) -> Tag {
        let owner = self.group.size().hop(self.group.rank(), -(step as isize));
        let block = Some(self.group.world_rank(owner).index() as u16);
        Tag { axis: self.group.axis(), op, seq, block, lane: 0 }
    }
}

/// Waits for what the exchange brings.
async fn arrived(pending: PendingRecv<'_>) -> Result<Tensor> {
    let _span = profile::span(Kind::Exchange, "ring exchange, wait");
    Ok(pending.wait().await?)
}
