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

/// A matrix to read, by how far apart its rows and columns lie in `values`.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) row_stride: usize,
    pub(crate) col_stride: usize,
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
        let (is_first, is_by_rows) = (from == 0, a.col_stride == 1);
        if !is_by_rows {
            pack_pairs(&mut pairs, m, from..from + depth, a);
        }
        for first_column in (0..n).step_by(WIDTH) {
            let width = WIDTH.min(n - first_column);
            let panel = &mut panel[..depth];
            pack_panel(panel, from, first_column..first_column + width, b);
            for (pair, row) in (0..m).step_by(ROWS).enumerate() {
                let sums = if is_by_rows {
                    let of = |row: usize| &a.values[row * a.row_stride + from..][..depth];
                    // The last of an odd number of rows goes with itself.
                    let (one, other) = (of(row), of((row + 1).min(m - 1)));
                    tile(one.iter().zip(other).map(|(&one, &other)| [one, other]), panel)
                } else {
                    tile(pairs[pair * depth..][..depth].iter().copied(), panel)
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
fn pack_panel(panel: &mut [[f32; WIDTH]], from: usize, columns: Range<usize>, b: Source<'_>) {
    if panel.is_empty() {
        return;
    }
    let width = columns.len();
    if b.col_stride == 1 {
        for (row, packed) in panel.iter_mut().enumerate() {
            let start = (from + row) * b.row_stride + columns.start;
            packed[..width].copy_from_slice(&b.values[start..start + width]);
            packed[width..].fill(0.0);
        }
        return;
    }
    if width < WIDTH {
        panel.fill([0.0; WIDTH]);
    }
    for (place, column) in columns.enumerate() {
        let values = &b.values[column * b.col_stride + from * b.row_stride..];
        for (packed, value) in panel.iter_mut().zip(values.iter().step_by(b.row_stride)) {
            packed[place] = *value;
        }
    }
}

/// Lays rows of `a` that go together side by side, for a matrix whose rows lie across.
fn pack_pairs(pairs: &mut Vec<[f32; ROWS]>, m: usize, inner: Range<usize>, a: Source<'_>) {
    let depth = inner.len();
    pairs.resize(m.div_ceil(ROWS) * depth, [0.0; ROWS]);
    for (place, column) in inner.enumerate() {
        let values = &a.values[column * a.col_stride..];
        for (pair, row) in (0..m).step_by(ROWS).enumerate() {
            let other = (row + 1).min(m - 1);
            pairs[pair * depth + place] =
                [values[row * a.row_stride], values[other * a.row_stride]];
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
                let lie = |across: bool, rows, cols| if across { (1, rows) } else { (cols, 1) };
                let source =
                    |values, (row_stride, col_stride)| Source { values, row_stride, col_stride };
                let a = source(&a[..], lie(a_lies_across, m, k));
                let b = source(&b[..], lie(b_lies_across, k, n));
                let mut found = vec![f32::NAN; m * n];
                product((m, k, n), a, b, |brought| {
                    let start = brought.row * n + brought.first_column;
                    for (to, sum) in found[start..].iter_mut().zip(brought.sums) {
                        *to = if brought.is_first { *sum } else { *to + sum };
                    }
                });
                let at =
                    |of: Source<'_>, row, col| of.values[row * of.row_stride + col * of.col_stride];
                let sum = |row, col| (0..k).map(|i| at(a, row, i) * at(b, i, col)).sum::<f32>();
                let wanted = (0..m * n).map(|place| sum(place / n, place % n)).collect::<Vec<_>>();
                assert_eq!(found, wanted, "{m} {k} {n}, across: {a_lies_across} {b_lies_across}");
            }
        }
    }
}
