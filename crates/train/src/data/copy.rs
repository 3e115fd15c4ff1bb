//! The copy task: random letters, then the same letters again; the second half counts.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Between the halves.
const SEPARATOR: u8 = b'|';

/// A sequence.
pub(super) fn sequence(seq_len: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let half = (seq_len - 1) / 2;
    let letters: Vec<u8> = (0..half).map(|_| b'a' + rng.random_range(0..26)).collect();
    let mut bytes = letters.clone();
    bytes.push(SEPARATOR);
    bytes.extend(&letters);
    bytes.resize(seq_len, SEPARATOR);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Task;
    use rand::SeedableRng;

    #[test]
    fn the_second_half_repeats_the_first() {
        let bytes = sequence(9, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(bytes[..4], bytes[5..]);
        // The separator's target is the first repeated letter.
        let counts: Vec<bool> = (0..9).map(|i| Task::Copy.counts(9, i)).collect();
        assert_eq!(counts, [false, false, false, false, true, true, true, true, false]);
    }
}
