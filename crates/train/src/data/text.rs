//! Windows of a text.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The text that a run trains on unless the user brings one.
pub const BUILT_IN: &[u8] = include_bytes!("../../text/ringside.txt");

/// `len` bytes from a random place; `text` holds at least that many.
pub(super) fn window(text: &[u8], len: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let start = rng.random_range(0..=text.len() - len);
    text[start..start + len].to_vec()
}
