//! Which key a query may see, decided by global positions alone.

use serde::{Deserialize, Serialize};

use crate::{Message, Refusal, message};

/// Causal visibility over one sequence, with packed documents and a sliding window.
///
/// A query at position q sees a key at position k when k <= q, both lie in the same document,
/// q - k < window, and neither is padding (a position of `seq_len` or more).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask {
    seq_len: usize,
    /// Where each document begins, ascending, the first is 0.
    starts: Vec<u32>,
    window: Option<usize>,
}

impl Mask {
    /// `documents` are lengths whose sum is `seq_len`; empty means one document.
    pub fn new(
        seq_len: usize,
        documents: &[usize],
        window: Option<usize>,
    ) -> Result<Self, Refusal> {
        let shown = || documents.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        if documents.contains(&0) {
            return Err(Refusal::new(
                "documents",
                shown(),
                message!("a document has length 0"),
                message!("leave it out: every length is at least 1"),
            ));
        }
        let total = documents.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
        if !documents.is_empty() && total != Some(seq_len) {
            let total = total.map_or(message!("too large a number"), Message::from);
            return Err(Refusal::new(
                "documents",
                shown(),
                message!("the lengths add up to {total}, and seq_len is {seq_len}", total, seq_len),
                message!("give lengths that add up to seq_len"),
            ));
        }
        if window == Some(0) {
            return Err(Refusal::new(
                "window",
                0,
                message!("a query must at least see itself"),
                message!("try 1 or more, or leave it out for full attention"),
            ));
        }
        let starts = documents
            .iter()
            .scan(0u32, |next, &len| {
                let start = *next;
                *next += len as u32;
                Some(start)
            })
            .collect::<Vec<_>>();
        let starts = if starts.is_empty() { vec![0] } else { starts };
        Ok(Self { seq_len, starts, window })
    }

    /// Tokens that are not padding.
    pub fn seq_len(&self) -> usize {
        self.seq_len
    }

    /// How far back a query sees, itself included; `None` is the whole document.
    pub fn window(&self) -> Option<usize> {
        self.window
    }

    /// The document that `position` lies in, counted from 0; `None` for padding.
    pub fn document(&self, position: u32) -> Option<u32> {
        ((position as usize) < self.seq_len)
            .then(|| self.starts.partition_point(|&start| start <= position) as u32 - 1)
    }

    /// The keys that the query at `position` sees: a range of global positions, empty for padding.
    pub fn keys_of(&self, position: u32) -> std::ops::Range<u32> {
        let Some(document) = self.document(position) else {
            return 0..0;
        };
        let start = self.starts[document as usize];
        let by_window = match self.window {
            Some(window) => (position + 1).saturating_sub(window.min(u32::MAX as usize) as u32),
            None => 0,
        };
        start.max(by_window)..position + 1
    }

    /// Whether the query at `q` sees the key at `k`.
    pub fn sees(&self, q: u32, k: u32) -> bool {
        self.keys_of(q).contains(&k)
    }

    /// Whether `position` is the last of its document, so that it has no next token to predict.
    pub fn ends_document(&self, position: u32) -> bool {
        self.document(position).is_none() || self.document(position) != self.document(position + 1)
    }

    /// The number of (query, key) pairs between two lists of ascending positions.
    pub fn pairs(&self, queries: &[u32], keys: &[u32]) -> u64 {
        // From one query to the next, both ends of what is seen only move forward.
        let (mut from, mut to) = (0, 0);
        let mut pairs = 0;
        for seen in queries.iter().map(|&q| self.keys_of(q)).filter(|seen| !seen.is_empty()) {
            from += keys[from..].iter().take_while(|&&k| k < seen.start).count();
            to += keys[to..].iter().take_while(|&&k| k < seen.end).count();
            pairs += (to - from) as u64;
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_and_windows_bound_what_is_seen() {
        let mask = Mask::new(8, &[3, 5], Some(2)).expect("lengths add up");
        assert_eq!(mask.keys_of(0), 0..1);
        assert_eq!(mask.keys_of(2), 1..3);
        assert_eq!(mask.keys_of(3), 3..4);
        assert_eq!(mask.keys_of(8), 0..0);
        assert!(mask.ends_document(2) && mask.ends_document(7) && !mask.ends_document(3));
    }

    #[test]
    fn bad_documents_are_refused_by_name() {
        for (documents, window, field) in [
            (vec![3, 4], None, "documents"),
            (vec![0, 8], None, "documents"),
            (vec![], Some(0), "window"),
        ] {
            let error = Mask::new(8, &documents, window).expect_err("it must be refused");
            assert_eq!(error.field, field);
        }
    }

    proptest::proptest! {
        #[test]
        fn pairs_equal_counting_one_by_one(
            a in 1usize..20, b in 1usize..20, window in proptest::option::of(1usize..12), cut in 0u32..40,
        ) {
            let mask = Mask::new(a + b, &[a, b], window).expect("lengths add up");
            let queries: Vec<u32> = (0..(a + b) as u32 + 3).filter(|p| p % 2 == 0).collect();
            let keys: Vec<u32> = (0..(a + b) as u32 + 3).filter(|&p| p != cut).collect();
            let slow = queries.iter().flat_map(|&q| keys.iter().map(move |&k| (q, k)))
                .filter(|&(q, k)| mask.sees(q, k)).count() as u64;
            proptest::prop_assert_eq!(mask.pairs(&queries, &keys), slow);
        }
    }
}
