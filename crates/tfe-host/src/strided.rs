//! Copies between a dense output and an input that is walked in strides: transpose, slice, reverse, broadcast, tile.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{DataType, Result, Shape, Tensor, Word};
use tfe_device::{Device, KernelContext};

use crate::movement::{Movement, moved};
use crate::{loops, parallel};

/// A walk over a dense input in the order of a dense output: per output dimension its length and the input's stride.
///
/// A stride of 0 repeats (broadcast), a negative one runs backwards. Strides are in elements. Dimensions that the walk
/// passes as one are one here, so that a walk over a whole tensor is one long copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strided {
    dims: SmallVec<[(usize, isize); 6]>,
    start: usize,
}

/// Nanoseconds for one element, roughly: by rows, and one by one.
const ROW_NS: f64 = 0.3;
const SINGLE_NS: f64 = 1.5;

impl Strided {
    /// A walk that begins at element `start` of the input, dimensions from the outermost to the innermost.
    pub fn new(dims: impl IntoIterator<Item = (usize, isize)>, start: usize) -> Self {
        let mut merged: SmallVec<[(usize, isize); 6]> = SmallVec::new();
        for (len, stride) in dims {
            if len == 1 {
                continue;
            }
            match merged.last_mut() {
                // One step of the outer dimension is as far as all steps of this one.
                Some((outer, s)) if *s == stride.wrapping_mul(len as isize) => {
                    *outer *= len;
                    *s = stride;
                }
                _ => merged.push((len, stride)),
            }
        }
        Self {
            dims: merged,
            start,
        }
    }

    /// A walk that repeats element 0.
    pub fn repeat(dims: &[i64]) -> Self {
        Self::new(dims.iter().map(|&d| (d as usize, 0)), 0)
    }

    /// A walk over a block of a dense tensor: from `begin` on, of a size in each dimension.
    pub fn block(
        input: &[i64],
        begin: impl IntoIterator<Item = usize>,
        size: impl IntoIterator<Item = usize>,
    ) -> Self {
        let strides = strides(input);
        let start = begin.into_iter().zip(&strides);
        let start = start.map(|(begin, &stride)| begin * stride as usize).sum();
        Self::new(size.into_iter().zip(strides), start)
    }

    /// The number of elements of the output.
    pub fn num_elements(&self) -> usize {
        self.dims.iter().map(|&(len, _)| len).product()
    }

    /// Writes the elements of the walk, on as many threads as that is worth.
    ///
    /// # Panics
    /// When `dst` has another length than the walk, or the walk leaves `src`: faults of the kernel.
    pub fn copy<'a, W: Word>(
        &self,
        device: &dyn Device,
        src: &[W],
        dst: &'a mut [MaybeUninit<W>],
    ) -> &'a mut [W] {
        let (Some(&(_, step)), Some(&(_, inner))) = (self.dims.first(), self.dims.last()) else {
            return loops::gather(dst, src, &[], self.start);
        };
        let ns = if inner.unsigned_abs() <= 1 {
            ROW_NS
        } else {
            SINGLE_NS
        };
        let unit = self.num_elements() / self.dims[0].0.max(1);
        parallel::write(device, dst, unit, ns, &|first, piece| {
            let first = first / unit.max(1);
            let mut dims = self.dims.clone();
            dims[0].0 = piece.len().checked_div(unit).unwrap_or(0);
            let start = self.start.wrapping_add_signed(step * first as isize);
            loops::gather(piece, src, &dims, start)
        })
    }
}

/// How far apart neighbours along each dimension of a dense tensor are, in elements.
pub fn strides(dims: &[i64]) -> SmallVec<[isize; 6]> {
    let mut strides: SmallVec<[isize; 6]> = SmallVec::from_elem(1, dims.len());
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i].wrapping_mul(dims[i] as isize);
    }
    strides
}

impl Movement for Strided {
    fn write<'a, W: Word>(
        &self,
        device: &dyn Device,
        source: &[W],
        _: W,
        dst: &'a mut [MaybeUninit<W>],
    ) -> Result<&'a mut [W]> {
        Ok(self.copy(device, source, dst))
    }

    fn source(&self, mut i: usize) -> Option<usize> {
        let mut at = self.start;
        for &(len, stride) in self.dims.iter().rev() {
            at = at.wrapping_add_signed(stride * (i % len) as isize);
            i /= len;
        }
        Some(at)
    }
}

/// The elements of `input` that a walk passes, as a tensor of `shape`; the memory of `input` where that is all of it, in
/// order, and no strings.
///
/// # Errors
/// `ResourceExhausted`.
pub fn gather(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    walk: &Strided,
    shape: Shape,
) -> Result<Tensor> {
    let n = input.num_elements();
    let is_all = n == shape.num_elements() && walk.start == 0;
    // Not of strings: there are clients that clear those of inputs which they are done with.
    if is_all && matches!(walk.dims[..], [] | [(_, 1)]) && input.dtype() != DataType::String {
        return input.reshaped(shape);
    }
    moved(ctx, ctx.allocate(input.dtype(), shape)?, input, None, walk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_are_merged_and_copied_in_order() {
        let src: Vec<u32> = (0..60).collect();
        let check = |dims: &[(usize, isize)], start: usize, merged: usize| {
            let walk = Strided::new(dims.iter().copied(), start);
            assert_eq!(walk.dims.len(), merged, "{dims:?}");
            let mut want = vec![start as isize];
            for &(len, stride) in dims {
                let step = |&at: &isize| (0..len).map(move |i| at + stride * i as isize);
                want = want.iter().flat_map(step).collect();
            }
            let mut out = vec![MaybeUninit::uninit(); walk.num_elements()];
            let got = loops::gather(&mut out, &src, &walk.dims, walk.start);
            assert!(
                got.iter().map(|&v| v as isize).eq(want),
                "{dims:?}: {got:?}"
            );
        };
        check(&[], 7, 0);
        check(&[(1, 5), (1, 1)], 7, 0);
        check(&[(3, 20), (4, 5), (5, 1)], 0, 1);
        check(&[(4, 5), (3, 20), (5, 1)], 0, 3);
        check(&[(5, 1), (4, 5), (3, 20)], 0, 3);
        check(&[(5, 1), (3, 20), (4, 5)], 0, 2);
        check(&[(20, 1), (3, 20)], 0, 2);
        check(&[(3, 20), (20, -1)], 19, 2);
        check(&[(3, -20), (20, -1)], 59, 1);
        check(&[(3, 0), (4, 0), (5, 1)], 10, 2);
        check(&[(5, 1), (12, 0)], 10, 2);
        check(&[(30, 2)], 1, 1);
        check(&[(0, 20), (5, 1)], 0, 2);
        check(&[(5, 1), (0, 20)], 0, 2);
    }
}
