//! Associative recall over a distance that no rank spans alone.
//!
//! Key-value pairs stand in the second quarter of the sequence, their keys come back in the last
//! quarter, and only the values after those count. In every layout and for every world of 2 or
//! more, the pairs and the questions about them lie on different ranks.

use plan::Refusal;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Values that a key may have; guessing gives a loss of ln 8 = 2.08.
pub const ANSWERS: usize = 8;
/// Pairs in a sequence, where there is room.
const MAX_PAIRS: usize = 8;
const FILLER: u8 = b'.';

pub(super) fn check(seq_len: usize) -> Result<(), Refusal> {
    if seq_len >= 16 {
        return Ok(());
    }
    Err(Refusal::new("seq_len", seq_len, "task recall has no room for two pairs", "try 16 or more"))
}

/// A sequence, and for each token whether its target counts.
pub(super) fn sequence(seq_len: usize, rng: &mut ChaCha8Rng) -> (Vec<u8>, Vec<bool>) {
    let quarter = seq_len / 4;
    let pairs = (quarter / 2).min(MAX_PAIRS);
    let mut bytes = vec![FILLER; seq_len];
    let mut counts = vec![false; seq_len];
    let keys = shuffled((b'a'..=b'z').collect(), rng);
    let entries: Vec<[u8; 2]> =
        keys[..pairs].iter().map(|&key| [key, b'0' + rng.random_range(0..ANSWERS as u8)]).collect();
    for (i, entry) in entries.iter().enumerate() {
        let at = quarter + 2 * i;
        bytes[at..at + 2].copy_from_slice(entry);
    }
    for (i, entry) in shuffled(entries, rng).iter().enumerate() {
        let at = 3 * quarter + 2 * i;
        bytes[at..at + 2].copy_from_slice(entry);
        counts[at] = true;
    }
    (bytes, counts)
}

fn shuffled<T>(mut items: Vec<T>, rng: &mut ChaCha8Rng) -> Vec<T> {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.random_range(0..=last));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Layout, WorldSize};
    use rand::SeedableRng;

    #[test]
    fn questions_and_their_pairs_lie_on_different_ranks() {
        let (bytes, counts) = sequence(256, &mut ChaCha8Rng::seed_from_u64(1));
        for w in [2, 4, 8] {
            let world = WorldSize::new(w).expect("a small world");
            for layout in [Layout::Contiguous, Layout::Zigzag] {
                let owner = |p: usize| {
                    world.ranks().find(|&r| layout.positions(256, world, r).contains(&(p as u32)))
                };
                for question in (0..256).filter(|&i| counts[i]) {
                    let pair = bytes.iter().position(|&b| b == bytes[question]);
                    let pair = pair.expect("every key was given before");
                    assert!(pair < question && bytes[pair + 1] == bytes[question + 1]);
                    assert_ne!(owner(pair), owner(question), "{layout}, {w} ranks");
                }
            }
        }
    }
}
