//! Matrix products: tiny ones and integers in plain loops, floats and complex numbers by `matrixmultiply`.
#![expect(unsafe_code, reason = "matrixmultiply takes pointers")]

use tfe_core::{Complex64, Complex128};

use super::number::Number;

/// A matrix as a kernel sees it: elements, and strides in elements of rows and columns.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a, T> {
    pub(crate) data: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) row_stride: usize,
    pub(crate) column_stride: usize,
}

impl<'a, T: Copy> Matrix<'a, T> {
    /// A dense row-major matrix, seen transposed on request.
    ///
    /// # Panics
    /// When `data` has another number of elements.
    pub(crate) fn dense(data: &'a [T], rows: usize, columns: usize, transposed: bool) -> Self {
        assert_eq!(data.len(), rows * columns);
        if transposed {
            Self {
                data,
                rows: columns,
                columns: rows,
                row_stride: 1,
                column_stride: columns,
            }
        } else {
            Self {
                data,
                rows,
                columns,
                row_stride: columns,
                column_stride: 1,
            }
        }
    }

    /// Rows `start..start + rows`, which have to be there.
    pub(crate) fn rows(self, start: usize, rows: usize) -> Self {
        assert!(start + rows <= self.rows);
        Self {
            data: self.data.get(start * self.row_stride..).unwrap_or(&[]),
            rows,
            ..self
        }
    }

    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> T {
        self.data[row * self.row_stride + column * self.column_stride]
    }

    /// Whether every element lies within the data.
    fn is_inside(&self) -> bool {
        self.rows == 0
            || self.columns == 0
            || (self.rows - 1) * self.row_stride + (self.columns - 1) * self.column_stride
                < self.data.len()
    }
}

/// Below this many multiplications a plain loop is faster than packing.
const TINY: usize = 8 * 8 * 8;

/// An element type that matrices can be multiplied in.
pub(crate) trait Gemm: Number {
    /// Adds the product of `a` and `b` to `c`, which is dense and row-major and holds zeros.
    fn gemm(a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self]) {
        plain(a, b, c);
    }
}

/// The product by rows: the inner loop runs along rows of `b` and `c`.
fn plain<T: Number>(a: Matrix<'_, T>, b: Matrix<'_, T>, c: &mut [T]) {
    for (i, row) in c.chunks_exact_mut(b.columns.max(1)).enumerate() {
        for k in 0..a.columns {
            let x = a.at(i, k);
            for (j, c) in row.iter_mut().enumerate() {
                *c = c.plus(x.times(b.at(k, j)));
            }
        }
    }
}

macro_rules! plainly {
    ($($t:ty),*) => {$(
        impl Gemm for $t {}
    )*};
}
plainly!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! by_library {
    ($($t:ty, $part:ty, $function:ident, [$($flags:expr),*], $one:expr, $zero:expr;)*) => {$(
        impl Gemm for $t {
            fn gemm(a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self]) {
                let (m, k, n) = (a.rows, a.columns, b.columns);
                assert!(a.is_inside() && b.is_inside() && b.rows == k && c.len() == m * n);
                if m * k * n <= TINY {
                    return plain(a, b, c);
                }
                // SAFETY: all elements that the sizes and strides reach lie within the slices, as was just asserted, and
                // `c` overlaps neither of the others.
                unsafe {
                    matrixmultiply::$function(
                        $($flags,)* m, k, n, $one,
                        a.data.as_ptr().cast::<$part>(), a.row_stride as isize, a.column_stride as isize,
                        b.data.as_ptr().cast::<$part>(), b.row_stride as isize, b.column_stride as isize,
                        $zero, c.as_mut_ptr().cast::<$part>(), n as isize, 1,
                    );
                }
            }
        }
    )*};
}
use matrixmultiply::CGemmOption::Standard;
by_library! {
    f32, f32, sgemm, [], 1.0, 0.0;
    f64, f64, dgemm, [], 1.0, 0.0;
    Complex64, [f32; 2], cgemm, [Standard, Standard], [1.0, 0.0], [0.0, 0.0];
    Complex128, [f64; 2], zgemm, [Standard, Standard], [1.0, 0.0], [0.0, 0.0];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_agrees_with_the_plain_loop() {
        for (m, k, n) in [
            (1, 1, 1),
            (3, 700, 2),
            (17, 33, 65),
            (64, 64, 64),
            (5, 0, 4),
        ] {
            let a: Vec<f64> = (0..m * k).map(|i| (i % 13) as f64 - 6.0).collect();
            let b: Vec<f64> = (0..k * n).map(|i| (i % 7) as f64 - 3.0).collect();
            for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
                let (ar, ac) = if ta { (k, m) } else { (m, k) };
                let (br, bc) = if tb { (n, k) } else { (k, n) };
                let (a, b) = (Matrix::dense(&a, ar, ac, ta), Matrix::dense(&b, br, bc, tb));
                let (mut want, mut got) = (vec![0.0; m * n], vec![0.0; m * n]);
                plain(a, b, &mut want);
                Gemm::gemm(a, b, &mut got);
                assert_eq!(got, want, "{m} {k} {n} {ta} {tb}");
            }
        }
    }
}
