//! Accumulators for this rank's queries, one for each block of them that tiles speak of.

use std::collections::BTreeMap;

use candle_core::{Result, Tensor};
use kernels::attention::Partial;
use kernels::profile::{self, Kind};

/// Adds up what tiles give, by the first query of their block.
#[derive(Debug, Default)]
pub(crate) struct Rows<T>(BTreeMap<usize, (usize, T)>);

/// What two tiles give for the same rows.
pub(crate) fn added(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let _span = profile::span(Kind::Upkeep, "sums of blocks");
    a + b
}

impl<T> Rows<T> {
    pub(crate) fn new() -> Self {
        Self(BTreeMap::new())
    }

    pub(crate) fn add(
        &mut self,
        rows: &std::ops::Range<usize>,
        value: T,
        combine: impl FnOnce(&T, &T) -> Result<T>,
    ) -> Result<()> {
        let value = match self.0.get(&rows.start) {
            Some((_, sum)) => combine(sum, &value)?,
            None => value,
        };
        self.0.insert(rows.start, (rows.len(), value));
        Ok(())
    }

    /// All rows in order; `fill` stands where no tile came.
    fn filled(self, total: usize, fill: impl Fn(usize, usize) -> Result<T>) -> Result<Vec<T>> {
        let mut parts = Vec::new();
        let mut next = 0;
        for (start, (len, value)) in self.0 {
            if start > next {
                parts.push(fill(next, start - next)?);
            }
            parts.push(value);
            next = start + len;
        }
        if next < total {
            parts.push(fill(next, total - next)?);
        }
        Ok(parts)
    }
}

impl Rows<Partial> {
    /// The result for all queries; those that no tile covers have seen nothing.
    pub(crate) fn finish(self, q_bhtd: &Tensor) -> Result<Partial> {
        let _span = profile::span(Kind::Upkeep, "blocks end to end");
        let fill = |start, len| Partial::nothing(&q_bhtd.narrow(2, start, len)?.contiguous()?);
        Partial::concat(&self.filled(q_bhtd.dim(2)?, fill)?)
    }
}

impl Rows<Tensor> {
    /// The sum for all rows of `like` (B, H, T, D); zeros where no tile came.
    pub(crate) fn finish(self, like_bhtd: &Tensor) -> Result<Tensor> {
        let _span = profile::span(Kind::Upkeep, "blocks end to end");
        let fill = |start, len| like_bhtd.narrow(2, start, len)?.zeros_like();
        Tensor::cat(&self.filled(like_bhtd.dim(2)?, fill)?, 2)
    }
}
