//! Dense matrices as operands of products.

/// A dense matrix, or the transpose of one.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    transposed: bool,
}

impl<'a, T> Matrix<'a, T> {
    /// The matrix of `rows` and `cols` in row-major order, then transposed if asked for.
    ///
    /// # Panics
    /// When `data` has another length.
    pub fn new(data: &'a [T], [rows, cols]: [usize; 2], transposed: bool) -> Self {
        assert_eq!(Some(data.len()), rows.checked_mul(cols));
        let [rows, cols] = if transposed {
            [cols, rows]
        } else {
            [rows, cols]
        };
        Self {
            data,
            rows,
            cols,
            transposed,
        }
    }

    /// The elements, row-major as stored.
    pub fn data(&self) -> &'a [T] {
        self.data
    }

    /// Rows of the operand, after transposition.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the operand, after transposition.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Whether the elements are stored column by column.
    pub fn is_transposed(&self) -> bool {
        self.transposed
    }

    /// Steps in `data` from row to row, and from column to column.
    pub fn strides(&self) -> [usize; 2] {
        if self.transposed {
            [1, self.rows]
        } else {
            [self.cols, 1]
        }
    }

    /// The matrix with other elements in the same places.
    pub fn with<'b, U>(&self, data: &'b [U]) -> Matrix<'b, U> {
        assert_eq!(data.len(), self.data.len());
        Matrix {
            data,
            rows: self.rows,
            cols: self.cols,
            transposed: self.transposed,
        }
    }
}
