//! A matrix product for wasm's vectors of four numbers. gemm's tiles of them need every register
//! that there is, and the browsers' compilers keep one for themselves.

use std::ops::Range;

/// Columns of a panel: four vectors. Of two rows that makes eight in registers, with room for what
/// is multiplied.
const WIDTH: usize = 16;
/// Rows that go through a panel together.
const ROWS: usize = 2;
/// The inner size that is worked through at once: a panel of it, 16 KB, stays in the first cache.
const DEPTH: usize = 256;

/// A matrix to read: rows that begin `stride` numbers apart, or, if it lies across, columns.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) lies_across: bool,
}

/// Some numbers of a row of a product, or what there is to add to them.
pub(crate) struct Sums<'a> {
    pub(crate) row: usize,
    pub(crate) first_column: usize,
    pub(crate) sums: &'a [f32],
    /// Whether nothing has been brought for them before.
    pub(crate) is_first: bool,
}

/// `a b`, of (m, k) by (k, n), told to `bring` piece by piece: each number once, and a long inner
/// size in parts that add up.
pub(crate) fn product(
    (m, k, n): (usize, usize, usize),
    a: Source<'_>,
    b: Source<'_>,
    mut bring: impl FnMut(Sums<'_>),
) {
    let mut panel = vec![[0.0; WIDTH]; DEPTH.min(k)];
    let mut pairs = Vec::new();
    // An inner size of 0 is one part too, whose sums are 0.
    for from in (0..k.max(1)).step_by(DEPTH) {
        let depth = DEPTH.min(k - from);
        let is_first = from == 0;
        if a.lies_across {
            pack_rows(&mut pairs, m, from..from + depth, a);
        }
        for first_column in (0..n).step_by(WIDTH) {
            let width = WIDTH.min(n - first_column);
            let panel = &mut panel[..depth];
            pack_columns(panel, from, first_column..first_column + width, b);
            for (pair, row) in (0..m).step_by(ROWS).enumerate() {
                let sums = if a.lies_across {
                    tile(pairs[pair * depth..][..depth].iter().copied(), panel)
                } else {
                    let of = |row: usize| &a.values[row * a.stride + from..][..depth];
                    // The last of an odd number of rows goes with itself.
                    let (one, other) = (of(row), of((row + 1).min(m - 1)));
                    tile(one.iter().zip(other).map(|(&one, &other)| [one, other]), panel)
                };
                for (row, sums) in (row..m).zip(&sums) {
                    let mut told = |sums: &[f32]| bring(Sums { row, first_column, sums, is_first });
                    // A length that is known makes it whole vectors.
                    if width == WIDTH { told(sums) } else { told(&sums[..width]) }
                }
            }
        }
    }
}

/// Two rows by a panel.
#[inline(always)]
fn tile(rows: impl Iterator<Item = [f32; ROWS]>, panel: &[[f32; WIDTH]]) -> [[f32; WIDTH]; ROWS] {
    let (mut one, mut other) = ([0.0; WIDTH], [0.0; WIDTH]);
    for (a, b) in rows.zip(panel) {
        for column in 0..WIDTH {
            one[column] += a[0] * b[column];
            other[column] += a[1] * b[column];
        }
    }
    [one, other]
}

/// Lays some columns of `b` side by side; what there is no column for is 0.
fn pack_columns(panel: &mut [[f32; WIDTH]], from: usize, columns: Range<usize>, b: Source<'_>) {
    if columns.len() < WIDTH {
        panel.fill([0.0; WIDTH]);
    }
    if !b.lies_across {
        for (row, packed) in (from..).zip(panel) {
            let values = &b.values[row * b.stride..][columns.clone()];
            packed[..values.len()].copy_from_slice(values);
        }
        return;
    }
    let depth = panel.len();
    let column = |column: usize| &b.values[column * b.stride + from..][..depth];
    for (place, first) in columns.clone().enumerate().step_by(4) {
        if first + 4 <= columns.end {
            let four = [first, first + 1, first + 2, first + 3].map(column);
            for (row, packed) in panel.iter_mut().enumerate() {
                packed[place..place + 4].copy_from_slice(&four.map(|column| column[row]));
            }
        } else {
            for (place, last) in (place..).zip(first..columns.end) {
                let packed = panel.iter_mut().map(|packed| &mut packed[place]);
                packed.zip(column(last)).for_each(|(packed, &value)| *packed = value);
            }
        }
    }
}

/// Lays rows of `a`, which lies across, side by side where they go through a panel together.
fn pack_rows(pairs: &mut Vec<[f32; ROWS]>, m: usize, inner: Range<usize>, a: Source<'_>) {
    let depth = inner.len();
    pairs.resize(m.div_ceil(ROWS) * depth, [0.0; ROWS]);
    let column = |column: usize| a.values[column * a.stride..][..m].chunks(ROWS);
    let row_of = |values: &[f32]| [values[0], values[values.len() - 1]];
    for (place, first) in inner.clone().enumerate().step_by(4) {
        if first + 4 <= inner.end {
            let [one, two, three, four] = [first, first + 1, first + 2, first + 3].map(column);
            let fours = one.zip(two).zip(three.zip(four));
            for (packed, ((one, two), (three, four))) in pairs.chunks_exact_mut(depth).zip(fours) {
                packed[place..place + 4].copy_from_slice(&[one, two, three, four].map(row_of));
            }
        } else {
            for (place, last) in (place..).zip(first..inner.end) {
                for (packed, values) in pairs.chunks_exact_mut(depth).zip(column(last)) {
                    packed[place] = row_of(values);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small whole numbers, so that sums are exact in any order.
    fn numbers(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|i| ((i * 7 + seed * 5) % 11) as f32 - 5.0).collect()
    }

    #[test]
    fn every_number_is_that_of_the_definition() {
        for (m, k, n) in
            [(1, 1, 1), (2, 3, 16), (5, 7, 17), (33, 300, 35), (4, 256, 15), (3, 513, 2), (2, 0, 3)]
        {
            let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
            for (a_lies_across, b_lies_across) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                let source = |values, lies_across, rows, cols| Source {
                    values,
                    stride: if lies_across { rows } else { cols },
                    lies_across,
                };
                let a = source(&a[..], a_lies_across, m, k);
                let b = source(&b[..], b_lies_across, k, n);
                let mut found = vec![f32::NAN; m * n];
                product((m, k, n), a, b, |brought| {
                    let start = brought.row * n + brought.first_column;
                    for (to, sum) in found[start..].iter_mut().zip(brought.sums) {
                        *to = if brought.is_first { *sum } else { *to + sum };
                    }
                });
                let at = |of: Source<'_>, row, col| match of.lies_across {
                    true => of.values[col * of.stride + row],
                    false => of.values[row * of.stride + col],
                };
                let sum = |row, col| (0..k).map(|i| at(a, row, i) * at(b, i, col)).sum::<f32>();
                let wanted = (0..m * n).map(|place| sum(place / n, place % n)).collect::<Vec<_>>();
                assert_eq!(found, wanted, "{m} {k} {n}, across: {a_lies_across} {b_lies_across}");
            }
        }
    }
}
