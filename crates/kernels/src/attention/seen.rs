//! Which keys of a block each query of a block sees.

use std::cell::OnceCell;
use std::ops::Range;

use candle_core::{DType, Device, Result, Tensor};

/// For each query of a block, the keys of a block that it sees: always a range, since keys lie in
/// order of position, and a query sees one stretch of positions.
#[derive(Debug)]
pub struct Seen {
    by_query: Vec<Range<usize>>,
    keys: usize,
    /// The same as an additive mask, once somebody asked for it.
    mask: OnceCell<Tensor>,
}

impl Seen {
    /// Ranges by query within `keys` keys.
    pub fn new(by_query: Vec<Range<usize>>, keys: usize) -> Self {
        assert!(by_query.iter().all(|seen| seen.end <= keys), "only keys of the block are seen");
        Self { by_query, keys, mask: OnceCell::new() }
    }

    /// The keys that the query sees.
    #[inline(always)]
    pub(super) fn of(&self, query: usize) -> Range<usize> {
        self.by_query[query].clone()
    }

    /// The smallest range that holds all that `queries` see.
    pub(super) fn together(&self, queries: Range<usize>) -> Range<usize> {
        let seen = || self.by_query[queries.clone()].iter().filter(|seen| !seen.is_empty());
        let start = seen().map(|seen| seen.start).min();
        let end = seen().map(|seen| seen.end).max();
        start.unwrap_or(0)..end.unwrap_or(0)
    }

    /// Pairs of a query and a key that it sees.
    fn pairs(&self) -> u64 {
        self.by_query.iter().map(|seen| seen.len() as u64).sum()
    }

    /// An additive mask (T, S): 0 where a query sees a key, -inf elsewhere.
    pub(super) fn mask(&self, dtype: DType, device: &Device) -> Result<Tensor> {
        if let Some(mask) = self.mask.get() {
            return mask.to_dtype(dtype)?.to_device(device);
        }
        let rows = self.by_query.iter().flat_map(|seen| {
            (0..self.keys).map(|k| if seen.contains(&k) { 0.0 } else { f32::NEG_INFINITY })
        });
        let values: Vec<f32> = rows.collect();
        let mask = Tensor::from_vec(values, (self.by_query.len(), self.keys), &Device::Cpu)?
            .to_dtype(dtype)?
            .to_device(device)?;
        Ok(self.mask.get_or_init(|| mask).clone())
    }
}

/// Pairs of one of `t` queries and one of `s` keys that it sees; `None` sees everything.
pub(super) fn pairs(t: usize, s: usize, seen: Option<&Seen>) -> u64 {
    seen.map_or((t * s) as u64, Seen::pairs)
}
