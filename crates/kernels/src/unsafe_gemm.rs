//! Matrix products on slices: the one place that hands pointers to the gemm crate. On wasm it is
//! [`panels`](crate::panels) that multiplies.

#![allow(unsafe_code)]

#[cfg(not(target_arch = "wasm32"))]
use gemm::Parallelism;

#[cfg(target_arch = "wasm32")]
use crate::panels;

/// A matrix to read: `rows` by `cols` numbers of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a> Matrix<'a> {
    /// Rows laid end to end.
    pub(crate) fn new(values: &'a [f32], rows: usize, cols: usize) -> Self {
        Self::rows_apart(values, rows, cols, cols)
    }

    /// Rows that begin `row_stride` numbers apart.
    pub(crate) fn rows_apart(
        values: &'a [f32],
        rows: usize,
        cols: usize,
        row_stride: usize,
    ) -> Self {
        assert!(fits(values.len(), rows, cols, row_stride), "the matrix lies within its slice");
        Self { values, rows, cols, row_stride, col_stride: 1 }
    }

    #[cfg(target_arch = "wasm32")]
    fn source(self) -> panels::Source<'a> {
        let lies_across = self.col_stride != 1;
        let stride = if lies_across { self.col_stride } else { self.row_stride };
        panels::Source { values: self.values, stride, lies_across }
    }

    /// The transpose, without moving anything.
    pub(crate) fn t(self) -> Self {
        Self {
            values: self.values,
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }
}

/// A matrix to write.
#[derive(Debug)]
pub(crate) struct MatrixMut<'a> {
    values: &'a mut [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
}

impl<'a> MatrixMut<'a> {
    /// Rows laid end to end.
    pub(crate) fn new(values: &'a mut [f32], rows: usize, cols: usize) -> Self {
        Self::rows_apart(values, rows, cols, cols)
    }

    /// Rows that begin `row_stride` numbers apart.
    pub(crate) fn rows_apart(
        values: &'a mut [f32],
        rows: usize,
        cols: usize,
        row_stride: usize,
    ) -> Self {
        assert!(fits(values.len(), rows, cols, row_stride), "the matrix lies within its slice");
        assert!(row_stride >= cols, "rows do not overlap");
        Self { values, rows, cols, row_stride }
    }
}

fn fits(len: usize, rows: usize, cols: usize, row_stride: usize) -> bool {
    rows == 0 || cols == 0 || (rows - 1) * row_stride + cols <= len
}

/// What a product does to what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// Replaces it.
    Over,
    /// Adds to it.
    Add,
}

/// `a b` as new numbers (rows of `a`, columns of `b`); nothing is written twice.
pub(crate) fn new_product(a: Matrix<'_>, b: Matrix<'_>) -> Vec<f32> {
    assert_eq!(a.cols, b.rows, "shapes of a product");
    let len = a.rows * b.cols;
    if a.cols == 0 {
        return vec![0.0; len];
    }
    let mut values = Vec::with_capacity(len);
    // SAFETY: there is room for `len` numbers, which is what rows of `b.cols` reach. Told that
    // nothing stands there, the product writes every one of them before it reads any, the inner
    // size not being 0; so they may be counted as written afterwards.
    unsafe {
        product_into(values.as_mut_ptr(), b.cols, Write::Over, 1.0, a, b);
        values.set_len(len);
    }
    values
}

/// `scale a b`, written into `to` (rows of `a`, columns of `b`).
pub(crate) fn product(to: MatrixMut<'_>, write: Write, scale: f32, a: Matrix<'_>, b: Matrix<'_>) {
    assert_eq!((a.rows, a.cols, b.cols), (to.rows, b.rows, to.cols), "shapes of a product");
    // SAFETY: `to` was checked by its constructor to hold its rows and columns, which are those of
    // the product. It is borrowed mutably, so it overlaps neither `a` nor `b`, and its rows do not
    // overlap.
    unsafe { product_into(to.values.as_mut_ptr(), to.row_stride, write, scale, a, b) }
}

/// # Safety
/// `to` must be good for writes of `a.rows` rows of `b.cols` numbers that begin `row_stride` apart
/// and do not overlap each other, `a` or `b`; to add, for reads as well. `a.cols` is `b.rows`.
// SAFETY: what the callers answer for stands above.
unsafe fn product_into(
    to: *mut f32,
    row_stride: usize,
    write: Write,
    scale: f32,
    a: Matrix<'_>,
    b: Matrix<'_>,
) {
    if a.rows == 0 || b.cols == 0 {
        return;
    }
    #[cfg(target_arch = "wasm32")]
    panels::product((a.rows, a.cols, b.cols), a.source(), b.source(), |brought| {
        let is_over = write == Write::Over && brought.is_first;
        let start = brought.row * row_stride + brought.first_column;
        for (place, sum) in brought.sums.iter().enumerate() {
            // SAFETY: rows and columns of what is brought are those of the product, for which the
            // caller answers; what is read was written before, by the caller or for `is_first`.
            unsafe {
                let to = to.add(start + place);
                *to = if is_over { scale * sum } else { *to + scale * sum };
            }
        }
    });
    #[cfg(not(target_arch = "wasm32"))]
    let (row, col) =
        (|m: &Matrix<'_>| m.row_stride as isize, |m: &Matrix<'_>| m.col_stride as isize);
    // SAFETY: the constructors of the matrices checked that every number that their sizes and
    // strides reach lies within their slices; `t` swaps sizes and strides together. For `to` the
    // caller answers.
    #[cfg(not(target_arch = "wasm32"))]
    unsafe {
        gemm::gemm(
            a.rows,
            b.cols,
            a.cols,
            to,
            1,
            row_stride as isize,
            write == Write::Add,
            a.values.as_ptr(),
            col(&a),
            row(&a),
            b.values.as_ptr(),
            col(&b),
            row(&b),
            1.0,
            scale,
            false,
            false,
            false,
            // A rank is a thread already.
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_and_transposes_are_followed() {
        let a = [1.0, 2.0, 9.0, 3.0, 4.0, 9.0];
        let b = [5.0, 6.0, 7.0, 8.0];
        let mut to = [1.0; 5];
        let a = Matrix::rows_apart(&a, 2, 2, 3);
        product(
            MatrixMut::rows_apart(&mut to, 2, 2, 3),
            Write::Add,
            2.0,
            a,
            Matrix::new(&b, 2, 2).t(),
        );
        assert_eq!(to, [35.0, 47.0, 1.0, 79.0, 107.0]);
        product(
            MatrixMut::rows_apart(&mut to, 2, 2, 3),
            Write::Over,
            1.0,
            a.t(),
            Matrix::new(&b, 2, 2),
        );
        assert_eq!(to, [26.0, 30.0, 1.0, 38.0, 44.0]);
    }

    #[test]
    fn a_new_product_has_all_its_numbers() {
        for (m, k, n) in [(1, 1, 1), (3, 5, 7), (70, 33, 19), (0, 2, 3), (2, 0, 3)] {
            let (a, b) = (vec![2.0; m * k], vec![0.5; k * n]);
            let new = new_product(Matrix::new(&a, m, k), Matrix::new(&b, k, n));
            assert_eq!(new, vec![k as f32; m * n], "{m} {k} {n}");
        }
    }

    #[test]
    #[should_panic(expected = "within its slice")]
    fn a_matrix_larger_than_its_slice_is_refused() {
        Matrix::new(&[0.0; 5], 2, 3);
    }
}
