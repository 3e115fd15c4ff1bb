//! The wasm memory of each rank over the steps: noted when it changes, and bounded.

use std::collections::BTreeMap;

/// Changes that are kept of one rank. Memory grows by doubling or by large tensors, so that there
/// are a dozen in practice.
const MOST: usize = 256;

/// When each rank's memory changed, and to what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryLog {
    ranks: BTreeMap<u16, Vec<(u32, u64)>>,
}

impl MemoryLog {
    /// Whether `bytes` is news of `rank`.
    pub fn is_news(&self, rank: u16, bytes: u64) -> bool {
        self.now(rank) != Some(bytes)
    }

    /// Notes that `rank` held `bytes` after `steps` steps.
    pub fn note(&mut self, rank: u16, steps: u32, bytes: u64) {
        if !self.is_news(rank, bytes) {
            return;
        }
        let changes = self.ranks.entry(rank).or_default();
        if changes.len() >= MOST {
            // Every second one goes; the first and the last stay.
            let last = changes.len() - 1;
            let stays = |index: usize| index.is_multiple_of(2) || index == last;
            let kept = changes.iter().enumerate().filter(|(index, _)| stays(*index));
            *changes = kept.map(|(_, &change)| change).collect();
        }
        changes.push((steps, bytes));
    }

    /// The changes of `rank` in order: steps done, and bytes from then on.
    pub fn changes(&self, rank: u16) -> &[(u32, u64)] {
        self.ranks.get(&rank).map_or(&[], Vec::as_slice)
    }

    /// What `rank` holds now.
    pub fn now(&self, rank: u16) -> Option<u64> {
        Some(self.changes(rank).last()?.1)
    }

    /// What `rank` held after `steps` steps; `None` before the first news.
    pub fn at(&self, rank: u16, steps: u32) -> Option<u64> {
        let changes = self.changes(rank);
        let behind = changes.partition_point(|&(since, _)| since <= steps);
        Some(changes.get(behind.checked_sub(1)?)?.1)
    }

    /// The most that any rank has held.
    pub fn most(&self) -> u64 {
        self.ranks.values().flatten().map(|&(_, bytes)| bytes).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_kept() {
        let mut log = MemoryLog::default();
        for (steps, bytes) in [(1, 10), (2, 10), (3, 20), (9, 20)] {
            log.note(1, steps, bytes);
        }
        assert_eq!(log.changes(1), [(1, 10), (3, 20)]);
        assert_eq!((log.now(1), log.now(0), log.most()), (Some(20), None, 20));
        let at = [0, 1, 2, 3, 50].map(|steps| log.at(1, steps));
        assert_eq!(at, [None, Some(10), Some(10), Some(20), Some(20)]);
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let mut log = MemoryLog::default();
        for step in 0..100_000 {
            log.note(0, step, u64::from(step));
        }
        let changes = log.changes(0);
        assert!(changes.len() <= MOST, "{}", changes.len());
        assert_eq!((changes[0], log.now(0)), ((0, 0), Some(99_999)));
        assert!(changes.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
