//! Tensors joined along an axis: what `Concat` and `Pack` share.

use std::mem::MaybeUninit;
use std::ops::Range;

use smallvec::SmallVec;
use tfe_core::{
    DataType, Element, ResourceHandle, Result, Shape, TString, Tensor, Variant, Word,
    dispatch_width,
};
use tfe_device::KernelContext;

use crate::host::owned::fill_owned;
use crate::host::{Cursor, fill_words, parallel};

/// The elements of an input, and how many of them make a row: one step of the dimensions before the axis.
type Piece<'a, T> = (&'a [T], usize);

/// The inputs of that range, of which there is one at least, along `axis` in a tensor of `shape`.
///
/// # Errors
/// `ResourceExhausted`.
pub(super) fn join(
    ctx: &KernelContext<'_>,
    inputs: Range<usize>,
    axis: usize,
    shape: Shape,
) -> Result<Tensor> {
    match ctx.input(inputs.start).dtype() {
        DataType::String => join_owned::<TString>(ctx, inputs, axis, shape),
        DataType::Resource => join_owned::<ResourceHandle>(ctx, inputs, axis, shape),
        DataType::Variant => join_owned::<Variant>(ctx, inputs, axis, shape),
        plain => dispatch_width!(plain.size(), |W| join_words::<W>(ctx, inputs, axis, shape)),
    }
}

/// The inputs that have elements. `slice` views an input.
fn pieces<'a, T>(
    ctx: &'a KernelContext<'_>,
    inputs: Range<usize>,
    axis: usize,
    slice: impl Fn(&'a Tensor) -> Result<&'a [T]>,
) -> Result<SmallVec<[Piece<'a, T>; 4]>> {
    ctx.input_range(inputs)
        .filter(|input| input.num_elements() > 0)
        .map(|input| {
            let row = input.dims()[axis..].iter().product::<i64>() as usize;
            Ok((slice(input)?, row))
        })
        .collect()
}

fn join_words<W: Word>(
    ctx: &KernelContext<'_>,
    inputs: Range<usize>,
    axis: usize,
    shape: Shape,
) -> Result<Tensor> {
    let dtype = ctx.input(inputs.start).dtype();
    let pieces = pieces(ctx, inputs, axis, Tensor::as_words::<W>)?;
    let out = ctx.allocate(dtype, shape)?;
    fill_words::<W>(out, |slots| {
        // Memory speed; long pieces may be cut anywhere.
        let element_ns = 0.1 * size_of::<W>() as f64;
        Ok(parallel::write(
            ctx.device(),
            slots,
            1,
            element_ns,
            &|start, slots| copy_rows(&pieces, start, slots),
        ))
    })
}

/// Writes the elements of the result from element `start` on.
fn copy_rows<'a, W: Word>(
    pieces: &[Piece<'_, W>],
    start: usize,
    slots: &'a mut [MaybeUninit<W>],
) -> &'a mut [W] {
    let width = pieces.iter().map(|&(_, row)| row).sum::<usize>().max(1);
    let (mut row, mut skip) = (start / width, start % width);
    let mut out = Cursor::new(slots);
    while out.remaining() > 0 {
        for &(elements, len) in pieces {
            if skip >= len {
                skip -= len;
                continue;
            }
            let n = (len - skip).min(out.remaining());
            out.copy(&elements[row * len + skip..][..n]);
            skip = 0;
        }
        row += 1;
    }
    out.finish().expect("the loop ends when nothing remains")
}

fn join_owned<T: Element>(
    ctx: &KernelContext<'_>,
    inputs: Range<usize>,
    axis: usize,
    shape: Shape,
) -> Result<Tensor> {
    let pieces = pieces(ctx, inputs, axis, Tensor::as_slice::<T>)?;
    let rows = pieces
        .first()
        .map_or(0, |(elements, row)| elements.len() / row);
    let elements = (0..rows).flat_map(|i| pieces.iter().flat_map(move |&(e, n)| &e[i * n..][..n]));
    fill_owned(ctx, shape, elements.map(T::try_clone))
}
