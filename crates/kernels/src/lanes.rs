//! Sums, maxima and exponentials over slices, written so that they become vector code.

/// Independent accumulators: enough to fill two of the widest vectors.
const LANES: usize = 32;

/// The sum of `term` over the pairs of `a` and `b`.
#[inline(always)]
pub(crate) fn sum_of(a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0f32; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    let rest: f32 = rest.map(|(&a, &b)| term(a, b)).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for i in 0..LANES {
            lanes[i] += term(a[i], b[i]);
        }
    }
    fold(lanes, |a, b| a + b) + rest
}

/// The sum of squares, in f64.
#[inline(always)]
pub(crate) fn squares(values: &[f32]) -> f64 {
    // A few thousand squares in f32 lanes, then f64: one pass, and no digits lost in long sums.
    values.chunks(1 << 12).map(|part| f64::from(sum_of(part, part, |a, b| a * b))).sum()
}

/// The largest value; -inf of nothing.
#[inline(always)]
pub(crate) fn max(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder().iter().fold(f32::NEG_INFINITY, |a, &b| larger(a, b));
    for chunk in chunks {
        for i in 0..LANES {
            lanes[i] = larger(lanes[i], chunk[i]);
        }
    }
    larger(fold(lanes, larger), rest)
}

/// Replaces each value by `exp(value - offset)` and returns their sum.
#[inline(always)]
pub(crate) fn exp_in_place(values: &mut [f32], offset: f32) -> f32 {
    let mut lanes = [0f32; LANES];
    let mut chunks = values.chunks_exact_mut(LANES);
    for chunk in &mut chunks {
        for i in 0..LANES {
            let e = exp(chunk[i] - offset);
            chunk[i] = e;
            lanes[i] += e;
        }
    }
    let mut rest = 0.0;
    for value in chunks.into_remainder() {
        *value = exp(*value - offset);
        rest += *value;
    }
    fold(lanes, |a, b| a + b) + rest
}

/// Not `f32::max`, whose rules for NaN cost two more instructions.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn fold(mut lanes: [f32; LANES], combine: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = combine(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// e^x to 2 units in the last place; 0 below -87, and finite above 88.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2, e^x = 2^n e^r, e^r by a polynomial of degree 6. Adding
/// 1.5 * 2^23 rounds to the nearest whole n and leaves it in the low bits.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let inside = if x < -87.0 { -87.0 } else { x };
    let inside = if inside > 88.0 { 88.0 } else { inside };
    let shifted = inside * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = inside - n * LN2_HIGH - n * LN2_LOW;
    let p = 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let p = p * r * r + r + 1.0;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    let e = p * power;
    if x < -87.0 { 0.0 } else { e }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_two_units_in_the_last_place() {
        let mut worst = 0f64;
        for i in -870_000..880_000 {
            let x = i as f32 * 1e-4;
            let expect = f64::from(x).exp();
            worst = worst.max((f64::from(exp(x)) - expect).abs() / expect);
        }
        assert!(worst < 2.4e-7, "{worst:e}");
        assert_eq!((exp(f32::NEG_INFINITY), exp(-87.5), exp(0.0)), (0.0, 0.0, 1.0));
        assert!(exp(1e30).is_finite() && exp(f32::NAN).is_nan());
    }

    proptest::proptest! {
        #[test]
        fn reductions_agree_with_plain_loops(values in proptest::collection::vec(-3f32..3.0, 0..100)) {
            let close = |a: f32, b: f32| (a - b).abs() <= 1e-6 * (1.0 + a.abs()) * 4.0;
            let expect: f32 = values.iter().map(|v| v * v).sum();
            proptest::prop_assert!(close(sum_of(&values, &values, |a, b| a * b), expect));
            let expect = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            proptest::prop_assert_eq!(max(&values), expect);
            let mut exps = values.clone();
            let sum = exp_in_place(&mut exps, 1.0);
            proptest::prop_assert!(close(sum, values.iter().map(|v| (v - 1.0).exp()).sum()));
        }
    }
}
