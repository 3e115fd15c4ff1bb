//! Between rows of tokens and heads: the fused projection split and turned by RoPE, and back.
//!
//! A pair (x_i, x_{i + D/2}) at angle a becomes (x_i cos a - x_{i + D/2} sin a,
//! x_{i + D/2} cos a + x_i sin a); backward turns by -a (Su et al., 2021).

use candle_core::{D, Result, Tensor};

use crate::profile::{self, Kind};
use crate::simd::widest;
use crate::values::{Values, is_fused, tensor};

/// RoPE's tables for the tokens at hand.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Cosines (T, D/2).
    pub cos: &'a Tensor,
    /// Sines (T, D/2).
    pub sin: &'a Tensor,
}

/// How many of each there are.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// B: sequences.
    pub batch: usize,
    /// H: query heads.
    pub heads: usize,
    /// K: key/value heads.
    pub kv_heads: usize,
    /// D: size of a head.
    pub head_dim: usize,
}

/// Splits `fused` (B T, (H + 2 K) D) into q (B, H, T, D), k and v (B, K, T, D); q and k turned.
pub fn split(fused: &Tensor, shape: Shape, turn: Turn<'_>) -> Result<[Tensor; 3]> {
    let _span = profile::span(Kind::Kernel, "heads and RoPE forward");
    let Shape { heads, kv_heads, .. } = shape;
    let part = |first, count, turned| to_heads(fused, shape, first, count, turned);
    Ok([
        part(0, heads, Some(turn))?,
        part(heads, kv_heads, Some(turn))?,
        part(heads + kv_heads, kv_heads, None)?,
    ])
}

/// Backward of [`split`]: gradients of q, k and v as one of `fused`.
pub fn merge(grads: [&Tensor; 3], shape: Shape, turn: Turn<'_>) -> Result<Tensor> {
    let _span = profile::span(Kind::Kernel, "heads and RoPE backward");
    let Shape { batch, heads, kv_heads, head_dim } = shape;
    let t = grads[0].dim(2)?;
    let width = (heads + 2 * kv_heads) * head_dim;
    if !is_fused(grads[0]) {
        let back = Some(Turn { cos: turn.cos, sin: &turn.sin.neg()? });
        let rows = |x: &Tensor, turn: Option<Turn<'_>>| {
            let x = turn.map_or_else(|| Ok(x.clone()), |turn| turned(x, turn))?;
            x.transpose(1, 2)?.contiguous()?.reshape((batch * t, ()))
        };
        let parts = [rows(grads[0], back)?, rows(grads[1], back)?, rows(grads[2], None)?];
        return Tensor::cat(&parts, D::Minus1);
    }
    let mut fused = vec![0.0; batch * t * width];
    let (cos, sin) = (Values::of(turn.cos)?, Values::of(turn.sin)?);
    let mut first = 0;
    for (grad, turns) in grads.into_iter().zip([true, true, false]) {
        let grad = grad.contiguous()?;
        let count = grad.dim(1)?;
        let values = Values::of(&grad)?;
        widest(
            #[inline(always)]
            || {
                for (row, from) in values.chunks_exact(head_dim).enumerate() {
                    let (b, head, token) = (row / (count * t), row / t % count, row % t);
                    let at = (b * t + token) * width + (first + head) * head_dim;
                    let to = &mut fused[at..at + head_dim];
                    if turns {
                        turn_row(to, from, token, &cos, &sin, -1.0);
                    } else {
                        to.copy_from_slice(from);
                    }
                }
            },
        );
        first += count;
    }
    tensor(fused, (batch * t, width))
}

/// (B T, H D) as (B, H, T, D).
pub fn from_rows(rows: &Tensor, shape: Shape) -> Result<Tensor> {
    let _span = profile::span(Kind::Kernel, "rows to heads");
    to_heads(rows, shape, 0, shape.heads, None)
}

/// (B, H, T, D) as (B T, H D).
pub fn to_rows(x_bhtd: &Tensor) -> Result<Tensor> {
    let _span = profile::span(Kind::Kernel, "heads to rows");
    let (b, h, t, d) = x_bhtd.dims4()?;
    if !is_fused(x_bhtd) {
        return x_bhtd.transpose(1, 2)?.contiguous()?.reshape((b * t, h * d));
    }
    let x = x_bhtd.contiguous()?;
    let values = Values::of(&x)?;
    let mut rows = vec![0.0; values.len()];
    for (row, from) in values.chunks_exact(d).enumerate() {
        let (b, head, token) = (row / (h * t), row / t % h, row % t);
        rows[((b * t + token) * h + head) * d..][..d].copy_from_slice(from);
    }
    tensor(rows, (b * t, h * d))
}

/// The heads `first .. first + count` of rows of tokens.
fn to_heads(
    rows: &Tensor,
    shape: Shape,
    first: usize,
    count: usize,
    turn: Option<Turn<'_>>,
) -> Result<Tensor> {
    let (b, d) = (shape.batch, shape.head_dim);
    let (n, width) = rows.dims2()?;
    let t = n / b;
    if !is_fused(rows) {
        let part = rows.narrow(1, first * d, count * d)?.reshape((b, t, count, d))?;
        let part = part.transpose(1, 2)?.contiguous()?;
        return turn.map_or_else(|| Ok(part.clone()), |turn| turned(&part, turn));
    }
    let values = Values::of(rows)?;
    let tables = turn
        .map(|turn| Ok::<_, candle_core::Error>((Values::of(turn.cos)?, Values::of(turn.sin)?)));
    let tables = tables.transpose()?;
    let mut heads = vec![0.0; b * count * t * d];
    widest(
        #[inline(always)]
        || {
            for (row, to) in heads.chunks_exact_mut(d).enumerate() {
                let (b, head, token) = (row / (count * t), row / t % count, row % t);
                let from = &values[(b * t + token) * width + (first + head) * d..][..d];
                match &tables {
                    Some((cos, sin)) => turn_row(to, from, token, cos, sin, 1.0),
                    None => to.copy_from_slice(from),
                }
            }
        },
    );
    tensor(heads, (b, count, t, d))
}

#[inline(always)]
fn turn_row(to: &mut [f32], from: &[f32], token: usize, cos: &[f32], sin: &[f32], sign: f32) {
    let half = from.len() / 2;
    let (cos, sin) = (&cos[token * half..][..half], &sin[token * half..][..half]);
    let (first, second) = from.split_at(half);
    let (to_first, to_second) = to.split_at_mut(half);
    for i in 0..half {
        let sin = sign * sin[i];
        to_first[i] = first[i] * cos[i] - second[i] * sin;
        to_second[i] = second[i] * cos[i] + first[i] * sin;
    }
}

/// Turns (B, H, T, D) by candle's operations.
fn turned(x_bhtd: &Tensor, Turn { cos, sin }: Turn<'_>) -> Result<Tensor> {
    let half = x_bhtd.dim(D::Minus1)? / 2;
    let first = x_bhtd.narrow(D::Minus1, 0, half)?;
    let second = x_bhtd.narrow(D::Minus1, half, half)?;
    let turned_first = (first.broadcast_mul(cos)? - second.broadcast_mul(sin)?)?;
    let turned_second = (second.broadcast_mul(cos)? + first.broadcast_mul(sin)?)?;
    Tensor::cat(&[turned_first, turned_second], D::Minus1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{assert_close, exact, numbers};
    use candle_core::Var;

    #[test]
    fn the_fused_form_and_candles_graph_agree() -> Result<()> {
        for (batch, t, heads, kv_heads, head_dim) in
            [(1, 1, 1, 1, 2), (2, 3, 4, 2, 6), (1, 5, 3, 1, 16)]
        {
            let shape = Shape { batch, heads, kv_heads, head_dim };
            let width = (heads + 2 * kv_heads) * head_dim;
            let (cos, sin) = (numbers(&[t, head_dim / 2], 8)?, numbers(&[t, head_dim / 2], 9)?);
            let (cos_exact, sin_exact) = (exact(&cos)?, exact(&sin)?);
            let (turn, exact_turn) =
                (Turn { cos: &cos, sin: &sin }, Turn { cos: &cos_exact, sin: &sin_exact });
            let rows = numbers(&[batch * t, width], 1)?;
            let var = Var::from_tensor(&exact(&rows)?)?;
            let (fused, composed) = (split(&rows, shape, turn)?, split(&var, shape, exact_turn)?);
            let grads =
                [heads, kv_heads, kv_heads].map(|count| numbers(&[batch, count, t, head_dim], 5));
            let [dq, dk, dv] = grads;
            let grads = [dq?, dk?, dv?];
            let mut sum = var.zeros_like()?.sum_all()?;
            for ((fused, composed), grad) in fused.iter().zip(&composed).zip(&grads) {
                assert_close("split", fused, composed)?;
                sum = (sum + (composed * exact(grad)?)?.sum_all()?)?;
            }
            let store = sum.backward()?;
            let expect = store.get(&var).expect("it takes part");
            assert_close("merge", &merge(grads.each_ref(), shape, turn)?, expect)?;
            let [dq, dk, dv] = grads.each_ref().map(exact);
            let merged = merge([&dq?, &dk?, &dv?], shape, exact_turn)?;
            assert_close("composed merge", &merged, expect)?;

            let out = to_rows(&fused[0])?;
            assert_close("to_rows", &out, &to_rows(&exact(&fused[0])?)?)?;
            assert_close("from_rows", &from_rows(&out, shape)?, &exact(&fused[0])?)?;
        }
        Ok(())
    }
}
