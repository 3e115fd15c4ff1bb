//! The copy task: random letters, then the same letters again; the second half counts.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Between the halves.
const SEPARATOR: u8 = b'|';

/// A sequence, and for each token whether its target counts.
pub(super) fn sequence(seq_len: usize, rng: &mut ChaCha8Rng) -> (Vec<u8>, Vec<bool>) {
    let half = (seq_len - 1) / 2;
    let letters: Vec<u8> = (0..half).map(|_| b'a' + rng.random_range(0..26)).collect();
    let mut bytes = letters.clone();
    bytes.push(SEPARATOR);
    bytes.extend(&letters);
    bytes.resize(seq_len, SEPARATOR);
    // The separator's target is the first repeated letter.
    let counts = (0..seq_len).map(|i| (half..2 * half).contains(&i)).collect();
    (bytes, counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn the_second_half_repeats_the_first() {
        let (bytes, counts) = sequence(9, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(bytes[..4], bytes[5..]);
        assert_eq!(counts, [false, false, false, false, true, true, true, true, false]);
    }
}
