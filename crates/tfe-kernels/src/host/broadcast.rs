//! Broadcasting: how two shapes fit together, and walks over two inputs in the order of the output.

use smallvec::SmallVec;
use tfe_core::{Result, Shape, bail};

/// The most dimensions that TensorFlow broadcasts, once those that behave alike are merged.
const MAX_DIMS: usize = 8;

/// A dimension of the output and what the inputs do along it: advance, or stay where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim {
    pub(crate) len: usize,
    pub(crate) moves: [bool; 2],
}

/// Two shapes fitted together.
#[derive(Clone, Debug)]
pub(crate) struct Broadcast {
    /// The shape of the result.
    pub(crate) shape: Shape,
    /// Its dimensions, outermost first, without those of size 1; neighbours that behave alike are one.
    pub(crate) dims: SmallVec<[Dim; 4]>,
}

impl Broadcast {
    /// Fits two shapes together: aligned at their last dimensions, a dimension of 1 is repeated.
    ///
    /// # Errors
    /// `InvalidArgument` when a dimension differs and is 1 on neither side, or the result is too large for a shape.
    pub(crate) fn new(a: &Shape, b: &Shape) -> Result<Self> {
        let rank = a.rank().max(b.rank());
        let mut shape: SmallVec<[i64; 8]> = SmallVec::with_capacity(rank);
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
        for i in 0..rank {
            let along = |s: &Shape| (i + s.rank()).checked_sub(rank).map_or(1, |i| s.dims()[i]);
            let (x, y) = (along(a), along(b));
            if x != y && x != 1 && y != 1 {
                bail!(InvalidArgument, "Incompatible shapes: {a} vs. {b}");
            }
            let len = if x == 1 { y } else { x };
            shape.push(len);
            if x == 1 && y == 1 {
                continue;
            }
            let moves = [x == len, y == len];
            match dims.last_mut() {
                Some(outer) if outer.moves == moves => {
                    outer.len = outer.len.saturating_mul(len as usize);
                }
                _ => dims.push(Dim {
                    len: len as usize,
                    moves,
                }),
            }
        }
        Ok(Self {
            shape: Shape::new(&shape)?,
            dims,
        })
    }

    /// As [`new`](Self::new), for ops that TensorFlow limits in dimensions.
    ///
    /// # Errors
    /// As [`new`](Self::new), and `Unimplemented` when more than 8 dimensions are left after merging.
    pub(crate) fn limited(a: &Shape, b: &Shape) -> Result<Self> {
        let fitted = Self::new(a, b)?;
        if fitted.dims.len() > MAX_DIMS {
            bail!(
                Unimplemented,
                "Broadcast between {a} and {b} is not supported yet."
            );
        }
        Ok(fitted)
    }

    /// The length of a row: the innermost dimension.
    pub(crate) fn row_len(&self) -> usize {
        self.dims.last().map_or(1, |d| d.len)
    }

    /// The rows from row `first` of the output on.
    pub(crate) fn rows(&self, first: usize) -> Rows {
        let mut rows = Rows {
            dims: SmallVec::new(),
            at: [0; 2],
        };
        let mut strides = [1; 2];
        for (i, dim) in self.dims.iter().rev().enumerate() {
            if i > 0 {
                let step = [0, 1].map(|k| if dim.moves[k] { strides[k] } else { 0 });
                rows.dims.push(RowDim {
                    len: dim.len,
                    step,
                    index: 0,
                });
            }
            for (stride, moves) in strides.iter_mut().zip(dim.moves) {
                if moves {
                    *stride *= dim.len;
                }
            }
        }
        let mut rest = first;
        for dim in &mut rows.dims {
            dim.index = rest % dim.len;
            rest /= dim.len;
            for k in 0..2 {
                rows.at[k] += dim.index * dim.step[k];
            }
        }
        rows
    }
}

/// A walk over the rows of the output: where in each input the row begins.
pub(crate) struct Rows {
    /// From the innermost outwards.
    dims: SmallVec<[RowDim; 4]>,
    at: [usize; 2],
}

struct RowDim {
    len: usize,
    step: [usize; 2],
    index: usize,
}

impl Rows {
    /// Where the current row begins in each input; then on to the next.
    #[inline]
    pub(crate) fn next(&mut self) -> [usize; 2] {
        let now = self.at;
        for dim in &mut self.dims {
            dim.index += 1;
            for k in 0..2 {
                self.at[k] += dim.step[k];
            }
            if dim.index < dim.len {
                break;
            }
            dim.index = 0;
            for k in 0..2 {
                self.at[k] -= dim.step[k] * dim.len;
            }
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::Code;

    use super::*;

    #[test]
    fn shapes_fit_together() {
        let shape = |dims: &[i64]| Shape::new(dims).expect("a shape");
        let check = |a: &[i64], b: &[i64], want: Result<(&[i64], usize), Code>| {
            for (a, b) in [(a, b), (b, a)] {
                let got = Broadcast::limited(&shape(a), &shape(b));
                let got = got
                    .map(|f| (f.shape.dims().to_vec(), f.dims.len()))
                    .map_err(|e| e.code());
                assert_eq!(got, want.map(|(s, n)| (s.to_vec(), n)), "{a:?} and {b:?}");
            }
        };
        check(&[], &[], Ok((&[], 0)));
        check(&[1, 1], &[1], Ok((&[1, 1], 0)));
        check(&[2, 3], &[2, 3], Ok((&[2, 3], 1)));
        check(&[2, 3], &[], Ok((&[2, 3], 1)));
        check(&[4, 2, 3], &[2, 3], Ok((&[4, 2, 3], 2)));
        check(
            &[4, 1, 3],
            &[4, 2, 1, 1],
            Ok((&[4, 4, 2, 3], 4)).and(Err(Code::InvalidArgument)),
        );
        check(&[4, 1, 3], &[4, 2, 1], Ok((&[4, 2, 3], 3)));
        check(&[0], &[1], Ok((&[0], 1)));
        check(&[0], &[2], Err(Code::InvalidArgument));
        check(&[2, 3, 4], &[3, 3], Err(Code::InvalidArgument));
        check(
            &[1, 2, 1, 2, 1, 2, 1, 2],
            &[2, 1, 2, 1, 2, 1, 2, 1],
            Ok((&[2; 8], 8)),
        );
        check(
            &[1, 2, 1, 2, 1, 2, 1, 2, 1],
            &[2, 1, 2, 1, 2, 1, 2, 1, 2],
            Err(Code::Unimplemented),
        );
        check(&[1 << 40, 1], &[1, 1 << 40], Err(Code::InvalidArgument));
    }
}
