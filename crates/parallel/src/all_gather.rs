//! All-gather attention: every rank collects all keys and values, then works alone; in the
//! backward pass reduce_scatter brings the gradients home.

use candle_core::Tensor;
use comm::ProcessGroup;
use kernels::attention::{Partial, QueryGrad};
use kernels::profile::{self, Kind};
use plan::schedule::Share;

use crate::Result;
use crate::rows::Rows;
use crate::tiles::Tiles;

/// One rank's place in the group.
pub(crate) struct Gathered<'a> {
    pub(crate) group: &'a dyn ProcessGroup,
    pub(crate) tiles: &'a Tiles,
}

impl Gathered<'_> {
    /// The rank whose keys the tile of `step` uses: the same order as on a ring.
    fn source(&self, step: usize) -> usize {
        self.group.size().hop(self.group.rank(), -(step as isize)).index()
    }

    async fn gather(&self, own_kv: &Tensor) -> Result<Vec<Tensor>> {
        let _span = profile::span(Kind::Exchange, "all_gather");
        Ok(self.group.all_gather(own_kv).await?)
    }

    /// Attention of this rank's queries over the keys and values of all.
    pub(crate) async fn forward(
        &self,
        layer: usize,
        q: &Tensor,
        own_kv: &Tensor,
    ) -> Result<Partial> {
        let all_kv = self.gather(own_kv).await?;
        let mut rows = Rows::<Partial>::new();
        for step in 0..all_kv.len() {
            self.tiles.forward(layer, step, q, &all_kv[self.source(step)], &mut rows)?;
        }
        Ok(rows.finish(q)?)
    }

    /// Gradients of this rank's queries, and of its own keys and values from all ranks. Keys and
    /// values are gathered again rather than kept from the forward pass.
    pub(crate) async fn backward(
        &self,
        layer: usize,
        query: &QueryGrad,
        own_kv: &Tensor,
    ) -> Result<(Tensor, Tensor)> {
        let all_kv = self.gather(own_kv).await?;
        let mut dq = Rows::<Tensor>::new();
        let mut by_source: Vec<Tensor> = all_kv.clone();
        for step in 0..all_kv.len() {
            let source = self.source(step);
            by_source[source] =
                self.tiles.backward(layer, step, Share::Whole, query, &all_kv[source], &mut dq)?;
        }
        let _span = profile::span(Kind::Exchange, "reduce_scatter");
        let dkv = self.group.reduce_scatter(&by_source).await?;
        Ok((dq.finish(&query.q_bhtd)?, dkv))
    }
}
