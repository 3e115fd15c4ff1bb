//! Next-token targets, shifted on the whole sequence before anything is sharded.

use serde::Serialize;

use crate::{Mask, Sequence, Task};

/// The target of a token that has nothing to predict; the loss leaves it out.
pub const IGNORED: i64 = -100;

/// The next token of each position; [`IGNORED`] at the end of a document.
pub fn next_token_targets(ids: &[i64], mask: &Mask) -> Vec<i64> {
    (0..ids.len())
        .map(|i| if mask.ends_document(i as u32) { IGNORED } else { ids[i + 1] })
        .collect()
}

/// Targets put back where their tokens stand: what is to be shifted once more.
pub fn unshifted(targets: &[i64]) -> Vec<i64> {
    let known = targets.len().saturating_sub(1);
    std::iter::once(IGNORED).chain(targets[..known].iter().copied()).collect()
}

/// A slice's own shift: the next label of the slice, and none for its last token.
pub fn shift_within(labels: &[i64]) -> Vec<i64> {
    labels.iter().skip(1).copied().chain(labels.first().map(|_| IGNORED)).collect()
}

/// How many targets count in the loss.
pub fn count_valid(targets: &[i64]) -> usize {
    targets.iter().filter(|&&target| target != IGNORED).count()
}

/// How many tokens count in the loss, by rank, in one sequence of `task`.
pub fn valid_by_rank(task: Task, sequence: &Sequence) -> Vec<usize> {
    let (mask, seq_len) = (sequence.mask(), sequence.seq_len());
    let counts = |&&p: &&u32| task.counts(seq_len, p as usize) && !mask.ends_document(p);
    let ranks = sequence.world().ranks();
    ranks.map(|rank| sequence.positions(rank).iter().filter(counts).count()).collect()
}

/// What `inspect targets` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetsView {
    /// Targets of the whole sequence that count in the loss.
    pub valid: usize,
    /// Each rank's share.
    pub ranks: Vec<RankTargets>,
}

/// One rank's ids and targets, padding left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankTargets {
    /// The rank within its context-parallel group.
    pub rank: usize,
    /// Its token ids.
    pub ids: Vec<i64>,
    /// Its targets, -100 for none.
    pub targets: Vec<i64>,
}

/// Shards `ids` and their targets as a training step does.
pub fn view(ids: &[i64], sequence: &Sequence) -> TargetsView {
    let targets = next_token_targets(ids, sequence.mask());
    let ranks = sequence
        .view()
        .into_iter()
        .map(|shard| {
            let pick = |whole: &[i64]| shard.positions.iter().map(|&p| whole[p as usize]).collect();
            RankTargets { rank: shard.rank, ids: pick(ids), targets: pick(&targets) }
        })
        .collect();
    TargetsView { valid: count_valid(&targets), ranks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, WorldSize};

    fn check(layout: Layout, w: usize, documents: &[usize], expect: &[(&[i64], &[i64])]) {
        let ids: Vec<i64> = (1..=8).collect();
        let mask = Mask::new(8, documents, None).expect("documents add up");
        let world = WorldSize::new(w).expect("a small world");
        let sequence = Sequence::new(mask, layout, world).expect("it fits");
        let view = view(&ids, &sequence);
        assert_eq!(view.valid, 8 - documents.len().max(1));
        let got: Vec<_> =
            view.ranks.iter().map(|r| (r.ids.as_slice(), r.targets.as_slice())).collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn targets_are_shifted_before_sharding() {
        check(
            Layout::Contiguous,
            2,
            &[],
            &[(&[1, 2, 3, 4], &[2, 3, 4, 5]), (&[5, 6, 7, 8], &[6, 7, 8, -100])],
        );
        check(
            Layout::Zigzag,
            2,
            &[],
            &[(&[1, 2, 7, 8], &[2, 3, 8, -100]), (&[3, 4, 5, 6], &[4, 5, 6, 7])],
        );
    }

    #[test]
    fn a_document_does_not_predict_the_next_one() {
        check(
            Layout::Contiguous,
            1,
            &[3, 5],
            &[(&[1, 2, 3, 4, 5, 6, 7, 8], &[2, 3, -100, 5, 6, 7, 8, -100])],
        );
    }
}
