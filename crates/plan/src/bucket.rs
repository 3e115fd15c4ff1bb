//! How the gradient bucket is cut into pieces, each summed over the ranks as soon as it is complete.
//!
//! The bucket holds the parameters in their order: embedding, per layer norm, qkv, out, norm, up
//! and down, then the last norm and the head. The backward pass comes from the end, so what lies
//! behind a layer's qkv is complete when it turns to that layer's attention, which is when messages
//! have compute to hide behind: there is a cut before each layer's out. What is left, the
//! embedding with the first layer's norm and qkv, is complete at the very end, and the loss and the
//! valid tokens ride with it.

use crate::WorldSize;
use crate::run::{MLP_RATIO, ModelShape};
use crate::traffic::F32_BYTES;

/// Bytes that are worth messages of their own: a smaller piece is summed with the one before it.
pub const SMALLEST: u64 = 16 << 10;

/// Numbers in each piece, by the order of the parameters; one rank sums nothing and has one piece.
pub fn pieces(model: &ModelShape, world: WorldSize) -> Vec<usize> {
    if world == WorldSize::ONE {
        return vec![model.parameters()];
    }
    let d = model.d_model;
    let before_attention = d + model.qkv_rows() * d;
    let after_attention = d * d + d + 2 * MLP_RATIO * d * d;
    let mut pieces = vec![model.vocab * d + before_attention];
    pieces.extend(vec![after_attention + before_attention; model.layers - 1]);
    pieces.push(after_attention + d + model.vocab * d);
    merged(pieces)
}

/// Joins what is too small to the piece before it, which is complete later.
fn merged(mut pieces: Vec<usize>) -> Vec<usize> {
    for index in (1..pieces.len()).rev() {
        if (pieces[index] as u64) * F32_BYTES < SMALLEST {
            pieces[index - 1] += pieces.remove(index);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lens(d_model: usize, layers: usize, ranks: usize) -> Vec<usize> {
        let model = ModelShape { vocab: 256, d_model, heads: 4, kv_heads: 2, layers };
        let pieces = pieces(&model, WorldSize::new(ranks).expect("a small world"));
        assert_eq!(pieces.iter().sum::<usize>(), model.parameters());
        pieces
    }

    #[test]
    fn a_piece_a_layer_and_one_for_the_rest() {
        let before = |d: usize| d + 2 * d * d;
        let after = |d: usize| 9 * d * d + d;
        let embedding = |d: usize| 256 * d;
        let (first, last) = (embedding(64) + before(64), after(64) + 64 + embedding(64));
        let middle = after(64) + before(64);
        assert_eq!(lens(64, 3, 2), [first, middle, middle, last]);
        assert_eq!(lens(64, 1, 8), [first, last]);
        assert_eq!(lens(64, 3, 1).len(), 1, "one rank has nothing to sum");
    }

    #[test]
    fn small_pieces_go_together() {
        // A layer of width 16 has 11.4 KB: with its neighbour it is enough.
        let sizes: Vec<usize> = lens(16, 5, 2).iter().map(|len| len * 4).collect();
        assert_eq!(sizes.len(), 4, "{sizes:?}");
        assert!(sizes[1..].iter().all(|&size| size as u64 >= SMALLEST), "{sizes:?}");
        let sizes: Vec<usize> = lens(4, 2, 2).iter().map(|len| len * 4).collect();
        assert_eq!(sizes.len(), 1, "all of it is too little: {sizes:?}");
    }
}
