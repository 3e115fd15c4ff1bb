//! Associative recall over a distance that no rank spans alone.
//!
//! Entries of a table stand in the second quarter of the sequence, one token each: a key a to h
//! with its value 0 to 7 (byte 128 + 8 key + value). In the last quarter the keys come back, each
//! followed by its value, and only those values count. In every layout and for every world of 2
//! or more, an entry and the question about it lie on different ranks.

use plan::config::RECALL_KEYS;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Values that a key may have; guessing gives a loss of ln 8 = 2.08.
pub const ANSWERS: usize = 8;
const FIRST_ENTRY: u8 = 128;
const FILLER: u8 = b'.';

/// A sequence; what it asks stands where [`plan::Task::counts`] says.
pub(super) fn sequence(seq_len: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let quarter = seq_len / 4;
    let mut bytes = vec![FILLER; seq_len];
    let table: Vec<(u8, u8)> =
        (0..RECALL_KEYS as u8).map(|key| (key, rng.random_range(0..ANSWERS as u8))).collect();
    let mut table = shuffled(table, rng);
    table.truncate(quarter / 2);
    for (i, (key, value)) in table.iter().enumerate() {
        bytes[quarter + i] = FIRST_ENTRY + key * ANSWERS as u8 + value;
    }
    for (i, (key, value)) in shuffled(table, rng).into_iter().enumerate() {
        let at = 3 * quarter + 2 * i;
        bytes[at] = b'a' + key;
        bytes[at + 1] = b'0' + value;
    }
    bytes
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
    use plan::{Layout, Task, WorldSize};
    use rand::SeedableRng;

    #[test]
    fn questions_and_their_entries_lie_on_different_ranks() {
        let bytes = sequence(256, &mut ChaCha8Rng::seed_from_u64(1));
        for w in [2, 4, 8] {
            let world = WorldSize::new(w).expect("a small world");
            for layout in [Layout::Contiguous, Layout::Zigzag] {
                let owner = |p: usize| {
                    world.ranks().find(|&r| layout.positions(256, world, r).contains(&(p as u32)))
                };
                for question in (0..256).filter(|&i| Task::Recall.counts(256, i)) {
                    let (key, value) = (bytes[question] - b'a', bytes[question + 1] - b'0');
                    let entry = FIRST_ENTRY + key * ANSWERS as u8 + value;
                    let entry = bytes.iter().position(|&b| b == entry);
                    let entry = entry.expect("every question has its entry");
                    assert!(entry < question);
                    assert_ne!(owner(entry), owner(question), "{layout}, {w} ranks");
                }
            }
        }
    }
}
