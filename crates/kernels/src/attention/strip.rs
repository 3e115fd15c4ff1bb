//! The strips of queries that a block is worked through in, and one head of a tensor as a matrix.

use std::ops::Range;

use candle_core::{Result, Tensor, bail};

use super::Seen;
use crate::unsafe_gemm::Matrix;
use crate::values::Values;

/// Queries in a strip: their scores stay in the cache, and of a causal block a strip computes
/// hardly more than what it sees.
const ROWS: usize = 64;

/// Some queries and the keys that they see together.
pub(super) struct Strip {
    pub(super) rows: Range<usize>,
    pub(super) keys: Range<usize>,
}

impl Strip {
    /// The keys that `query` sees, counted from the strip's first.
    #[inline(always)]
    pub(super) fn seen_by(&self, query: usize, seen: Option<&Seen>) -> Range<usize> {
        let from_first = |key: usize| key.max(self.keys.start) - self.keys.start;
        let keys = seen.map_or(self.keys.clone(), |seen| seen.of(query));
        from_first(keys.start)..from_first(keys.end)
    }
}

/// The strips of `t` queries over `s` keys; those that see nothing are left out.
pub(super) fn strips(t: usize, s: usize, seen: Option<&Seen>) -> Vec<Strip> {
    let rows = (0..t).step_by(ROWS).map(|first| first..(first + ROWS).min(t));
    let keys = |rows: &Range<usize>| seen.map_or(0..s, |seen| seen.together(rows.clone()));
    rows.map(|rows| Strip { keys: keys(&rows), rows }).filter(|s| !s.keys.is_empty()).collect()
}

/// A tensor (B, heads, rows, D) of which single heads are read.
pub(super) struct Heads<'a> {
    values: Values<'a>,
    strides: &'a [usize],
    dim: usize,
}

impl<'a> Heads<'a> {
    /// Rows may lie apart, but the numbers of a row side by side.
    pub(super) fn of(tensor: &'a Tensor) -> Result<Self> {
        let dim = tensor.dim(3)?;
        let (values, strides) = Values::strided(tensor)?;
        if strides[3] != 1 && dim > 1 {
            bail!("the numbers of a head must lie side by side, got strides {strides:?}");
        }
        Ok(Self { values, strides, dim })
    }

    /// Some rows of one head.
    pub(super) fn rows(&self, batch: usize, head: usize, rows: &Range<usize>) -> Matrix<'_> {
        let first = batch * self.strides[0] + head * self.strides[1] + rows.start * self.strides[2];
        Matrix::rows_apart(&self.values[first..], rows.len(), self.dim, self.strides[2])
    }

    /// One row of one head.
    #[inline(always)]
    pub(super) fn row(&self, batch: usize, head: usize, row: usize) -> &[f32] {
        let first = batch * self.strides[0] + head * self.strides[1] + row * self.strides[2];
        &self.values[first..first + self.dim]
    }
}
