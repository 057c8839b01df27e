//! Broadcasting: how shapes fit together, and walks over several inputs in the order of the output.

use smallvec::SmallVec;
use tfe_core::{Error, PartialShape, Result, Shape, bail, err};
use tfe_device::dim;

/// The most dimensions that TensorFlow's elementwise ops broadcast, once those that behave alike are merged.
const MAX_DIMS: usize = 8;

/// A dimension of the output and what each of `N` inputs does along it: advance, or stay where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim<const N: usize> {
    /// Elements of the output along it.
    pub len: usize,
    /// For each input, whether it advances along it; otherwise it is repeated.
    pub moves: [bool; N],
}

/// The shapes of `N` inputs fitted together.
#[derive(Clone, Debug)]
pub struct Broadcast<const N: usize> {
    /// The shape of the result.
    pub shape: Shape,
    /// Its dimensions, outermost first, without those of size 1; neighbours that behave alike are one.
    pub dims: SmallVec<[Dim<N>; 4]>,
}

/// The dimensions of what shapes with these dimensions are broadcast to, -1 where unknown; `None` when a rank is unknown.
///
/// # Errors
/// `InvalidArgument` when two differ in a dimension that is 1 in neither.
pub fn dims_of(inputs: &[Option<&[i64]>]) -> Result<Option<SmallVec<[i64; 8]>>> {
    let Some(inputs) = inputs.iter().copied().collect::<Option<SmallVec<[_; 3]>>>() else {
        return Ok(None);
    };
    let rank = inputs.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let mut result: SmallVec<[i64; 8]> = SmallVec::with_capacity(rank);
    for i in 0..rank {
        let along = |dims: &[i64]| (i + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
        let all = inputs.iter().map(|dims| along(dims));
        let len = match all.clone().find(|&d| d != 1 && d != dim::UNKNOWN) {
            Some(len) => len,
            None if all.clone().any(|d| d == dim::UNKNOWN) => dim::UNKNOWN,
            None => 1,
        };
        if all.clone().any(|d| d != 1 && d != dim::UNKNOWN && d != len) {
            return Err(incompatible(&inputs));
        }
        result.push(len);
    }
    Ok(Some(result))
}

/// Checks that inputs of those dimensions are within what TensorFlow's elementwise ops broadcast, as far as they are known.
///
/// # Errors
/// `Unimplemented` when more than 8 dimensions are left once those that behave alike are merged.
pub fn check_limit(inputs: &[Option<&[i64]>], result: &[i64]) -> Result<()> {
    if result.len() <= MAX_DIMS || result.contains(&dim::UNKNOWN) {
        return Ok(());
    }
    let inputs: SmallVec<[&[i64]; 3]> = inputs.iter().copied().flatten().collect();
    // Bits: which inputs advance along the dimension before.
    let (mut merged, mut last) = (0, None);
    for (i, &len) in result.iter().enumerate().filter(|&(_, &len)| len != 1) {
        let advances = |dims: &[i64]| {
            (i + dims.len())
                .checked_sub(result.len())
                .map_or(1, |i| dims[i])
                == len
        };
        let bits = inputs.iter().enumerate();
        let bits = bits.fold(0u64, |bits, (k, dims)| {
            bits | u64::from(advances(dims)) << (k % 64)
        });
        if last.replace(bits) != Some(bits) {
            merged += 1;
        }
    }
    if merged > MAX_DIMS {
        bail!(
            Unimplemented,
            "Broadcast between {} is not supported yet.",
            joined(&inputs, " and ")
        );
    }
    Ok(())
}

#[cold]
fn incompatible(inputs: &[&[i64]]) -> Error {
    err!(
        InvalidArgument,
        "Incompatible shapes: {}",
        joined(inputs, " vs. ")
    )
}

fn joined(inputs: &[&[i64]], between: &str) -> String {
    let shapes: Vec<_> = inputs
        .iter()
        .map(|dims| PartialShape::of(dims).to_string())
        .collect();
    shapes.join(between)
}

impl<const N: usize> Broadcast<N> {
    /// Fits shapes together: aligned at their last dimensions, a dimension of 1 is repeated.
    ///
    /// # Errors
    /// `InvalidArgument` when two differ in a dimension that is 1 in neither, or the result is too large for a shape.
    pub fn new(shapes: [&Shape; N]) -> Result<Self> {
        let rank = shapes.iter().map(|s| s.rank()).max().unwrap_or(0);
        let mut shape: SmallVec<[i64; 8]> = SmallVec::with_capacity(rank);
        let mut dims: SmallVec<[Dim<N>; 4]> = SmallVec::new();
        for i in 0..rank {
            let along = shapes.map(|s| (i + s.rank()).checked_sub(rank).map_or(1, |i| s.dims()[i]));
            let len = along.into_iter().find(|&d| d != 1).unwrap_or(1);
            if along.iter().any(|&d| d != 1 && d != len) {
                return Err(incompatible(&shapes.map(Shape::dims)));
            }
            shape.push(len);
            if len == 1 {
                continue;
            }
            let moves = along.map(|d| d == len);
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

    /// Whether input `k` has an element of its own for each of the output.
    pub fn is_dense(&self, k: usize) -> bool {
        self.dims.iter().all(|d| d.moves[k])
    }

    /// The length of a row: the innermost dimension.
    pub fn row_len(&self) -> usize {
        self.dims.last().map_or(1, |d| d.len)
    }

    /// The rows from row `first` of the output on.
    pub fn rows(&self, first: usize) -> Rows<N> {
        let mut rows = Rows {
            dims: SmallVec::new(),
            at: [0; N],
        };
        let mut strides = [1; N];
        for (i, dim) in self.dims.iter().rev().enumerate() {
            if i > 0 {
                let step = std::array::from_fn(|k| if dim.moves[k] { strides[k] } else { 0 });
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
            for k in 0..N {
                rows.at[k] += dim.index * dim.step[k];
            }
        }
        rows
    }

    /// For each element of the output, in order, which elements of the inputs belong to it.
    pub fn places(&self) -> impl Iterator<Item = [usize; N]> + use<N> {
        self.places_from(0)
    }

    /// [`places`](Self::places) from element `first` of the output on.
    pub fn places_from(&self, first: usize) -> impl Iterator<Item = [usize; N]> + use<N> {
        let row = self.row_len();
        let moves = self.dims.last().map_or([true; N], |d| d.moves);
        let n = self.shape.num_elements();
        // An empty output has no rows to walk.
        let mut rows = (first < n).then(|| self.rows(first / row));
        let mut starts = [0; N];
        (first..n).map(move |at| {
            let inner = at % row;
            if let Some(rows) = rows.as_mut().filter(|_| inner == 0 || at == first) {
                starts = rows.advance();
            }
            std::array::from_fn(|k| starts[k] + if moves[k] { inner } else { 0 })
        })
    }
}

/// A walk over the rows of the output: where in each input the row begins.
#[derive(Clone)]
pub struct Rows<const N: usize> {
    /// From the innermost outwards.
    dims: SmallVec<[RowDim<N>; 4]>,
    at: [usize; N],
}

#[derive(Clone)]
struct RowDim<const N: usize> {
    len: usize,
    step: [usize; N],
    index: usize,
}

impl<const N: usize> Rows<N> {
    /// Where the current row begins in each input; then on to the next.
    #[inline]
    pub fn advance(&mut self) -> [usize; N] {
        let now = self.at;
        for dim in &mut self.dims {
            dim.index += 1;
            for k in 0..N {
                self.at[k] += dim.step[k];
            }
            if dim.index < dim.len {
                break;
            }
            dim.index = 0;
            for k in 0..N {
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
                let got = Broadcast::new([&shape(a), &shape(b)]);
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
        check(&[1 << 40, 1], &[1, 1 << 40], Err(Code::InvalidArgument));
    }

    #[test]
    fn no_more_dimensions_are_broadcast_than_tensorflow_does() {
        let check = |a: &[i64], b: &[i64], want: Result<(), Code>| {
            let inputs = [Some(a), Some(b)];
            let dims = dims_of(&inputs).expect("they fit").expect("ranks");
            assert_eq!(check_limit(&inputs, &dims).map_err(|e| e.code()), want);
        };
        let (a, b) = ([1, 2, 1, 2, 1, 2, 1, 2, 1], [2, 1, 2, 1, 2, 1, 2, 1, 2]);
        check(&a[1..], &b[1..], Ok(()));
        check(&a, &b, Err(Code::Unimplemented));
        // Neighbours that behave alike count as one.
        check(&[2; 9], &[2; 9], Ok(()));
        check(&[2; 9], &[1; 9], Ok(()));
    }

    #[test]
    fn places_follow_the_output() {
        let [a, b, c] = [&[2, 1][..], &[3], &[1]].map(|d| Shape::new(d).expect("a shape"));
        let fitted = Broadcast::new([&a, &b, &c]).expect("they fit");
        let want = [
            [0, 0, 0],
            [0, 1, 0],
            [0, 2, 0],
            [1, 0, 0],
            [1, 1, 0],
            [1, 2, 0],
        ];
        for first in 0..=want.len() {
            let places: Vec<_> = fitted.places_from(first).collect();
            assert_eq!(places, want[first..]);
        }
        let empty = Shape::new(&[0, 3]).expect("a shape");
        let fitted = Broadcast::new([&a, &empty]);
        assert_eq!(fitted.expect_err("2 and 0").code(), Code::InvalidArgument);
        let fitted = Broadcast::new([&c, &empty]).expect("they fit");
        assert_eq!(fitted.places().count(), 0);
    }
}
