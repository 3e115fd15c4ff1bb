//! Ulysses' exchange: a slice of the sequence with all heads against the whole sequence of the
//! group with a slice of the heads (Jacobs et al., 2023).
//!
//! Where there are fewer key/value heads than ranks, each is copied to the ranks whose query
//! heads share it, and its gradients are summed on the way back.

use candle_core::Tensor;
use comm::ProcessGroup;
use kernels::profile::{self, Kind};
use plan::Strategy;

use crate::Result;

/// The exchange of one rank's Ulysses group.
pub(crate) struct Exchange<'a> {
    pub(crate) group: &'a dyn ProcessGroup,
    pub(crate) strategy: Strategy,
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
}

impl Exchange<'_> {
    fn ranks(&self) -> usize {
        self.group.size().get()
    }

    /// First key/value head of a member, and how many it works on.
    fn kv_range(&self, member: usize) -> (usize, usize) {
        (member * self.kv_heads / self.ranks(), self.strategy.local_kv_heads(self.kv_heads))
    }

    fn q_range(&self, member: usize) -> (usize, usize) {
        let local = self.strategy.local_heads(self.heads);
        (member * local, local)
    }

    async fn all_to_all(&self, parts: &[Tensor]) -> Result<Vec<Tensor>> {
        let _span = profile::span(Kind::Exchange, "all_to_all");
        Ok(self.group.all_to_all(parts).await?)
    }

    /// q (B, H, c, D) and kv (2, B, K, c, D) to q (B, H/U, c U, D) and kv (2, B, K/U, c U, D).
    pub(crate) async fn to_heads(&self, q: &Tensor, kv: &Tensor) -> Result<(Tensor, Tensor)> {
        if self.ranks() == 1 {
            return Ok((q.clone(), kv.clone()));
        }
        let (b, _, c, d) = q.dims4()?;
        let parts = (0..self.ranks())
            .map(|member| {
                let ((q_first, q_len), (kv_first, kv_len)) =
                    (self.q_range(member), self.kv_range(member));
                let q = q.narrow(1, q_first, q_len)?.flatten_all()?;
                let kv = kv.narrow(2, kv_first, kv_len)?.flatten_all()?;
                Tensor::cat(&[q, kv], 0)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let received = self.all_to_all(&parts).await?;
        let (q_len, kv_len) = (self.q_range(0).1, self.kv_range(0).1);
        let (mut qs, mut kvs) = (Vec::new(), Vec::new());
        for part in &received {
            let q_count = b * q_len * c * d;
            qs.push(part.narrow(0, 0, q_count)?.reshape((b, q_len, c, d))?);
            let kv_count = 2 * b * kv_len * c * d;
            kvs.push(part.narrow(0, q_count, kv_count)?.reshape((2, b, kv_len, c, d))?);
        }
        Ok((Tensor::cat(&qs, 2)?, Tensor::cat(&kvs, 3)?))
    }

    /// The way back of [`Self::to_heads`] for gradients: sums those of copied heads.
    pub(crate) async fn gradients_to_sequence(
        &self,
        dq: &Tensor,
        dkv: &Tensor,
    ) -> Result<(Tensor, Tensor)> {
        if self.ranks() == 1 {
            return Ok((dq.clone(), dkv.clone()));
        }
        let (b, q_len, t, d) = dq.dims4()?;
        let (c, kv_len) = (t / self.ranks(), dkv.dim(2)?);
        let parts = (0..self.ranks())
            .map(|member| {
                let dq = dq.narrow(2, member * c, c)?.flatten_all()?;
                let dkv = dkv.narrow(3, member * c, c)?.flatten_all()?;
                Tensor::cat(&[dq, dkv], 0)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let received = self.all_to_all(&parts).await?;
        let mut dqs = Vec::new();
        let mut dkvs: Vec<(usize, Tensor)> = Vec::new();
        for (member, part) in received.iter().enumerate() {
            let q_count = b * q_len * c * d;
            dqs.push(part.narrow(0, 0, q_count)?.reshape((b, q_len, c, d))?);
            let kv_count = 2 * b * kv_len * c * d;
            let dkv = part.narrow(0, q_count, kv_count)?.reshape((2, b, kv_len, c, d))?;
            let first = self.kv_range(member).0;
            match dkvs.last_mut() {
                Some((head, sum)) if *head == first => *sum = (&*sum + dkv)?,
                _ => dkvs.push((first, dkv)),
            }
        }
        let dkvs: Vec<_> = dkvs.into_iter().map(|(_, dkv)| dkv).collect();
        Ok((Tensor::cat(&dqs, 1)?, Tensor::cat(&dkvs, 2)?))
    }

    /// (B, H/U, c U, D) to (B, H, c, D).
    pub(crate) async fn to_sequence(&self, out: &Tensor) -> Result<Tensor> {
        if self.ranks() == 1 {
            return Ok(out.clone());
        }
        let c = out.dim(2)? / self.ranks();
        let parts = (0..self.ranks())
            .map(|member| out.narrow(2, member * c, c)?.contiguous())
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Tensor::cat(&self.all_to_all(&parts).await?, 1)?)
    }

    /// (B, H, c, D) to (B, H/U, c U, D): the way back of [`Self::to_sequence`].
    pub(crate) async fn gradient_to_heads(&self, dout: &Tensor) -> Result<Tensor> {
        if self.ranks() == 1 {
            return Ok(dout.clone());
        }
        let parts = (0..self.ranks())
            .map(|member| {
                let (first, len) = self.q_range(member);
                dout.narrow(1, first, len)?.contiguous()
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Tensor::cat(&self.all_to_all(&parts).await?, 2)?)
    }
}
