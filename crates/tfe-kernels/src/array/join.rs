//! Tensors joined along an axis: what `Concat` and `Pack` share.

use std::mem::MaybeUninit;
use std::ops::Range;

use smallvec::SmallVec;
use tfe_core::{
    DataType, Element, ResourceHandle, Result, TString, Tensor, Variant, Word, bail,
    dispatch_width, ensure, err,
};
use tfe_device::{Inference, KernelContext, dim};
use tfe_host::{Cursor, axes, cost, fill_words, parallel};

/// The shape of tensors joined along `axis`, counted from the end when negative.
///
/// # Errors
/// `InvalidArgument` for scalars, for an axis that is not there, and for tensors that differ elsewhere.
pub(super) fn rule(call: &mut Inference<'_>, values: Range<usize>, axis: i64) -> Result<()> {
    ensure!(
        !values.is_empty(),
        InvalidArgument,
        "ConcatOp : there is nothing to concatenate"
    );
    let mut known = values.clone().filter_map(|i| Some((i, call.dims(i)?)));
    let Some((first, like)) = known.next() else {
        return Ok(());
    };
    let rank = like.len();
    let scalars = || {
        err!(
            InvalidArgument,
            "ConcatOp : Can't concatenate scalars (use tf.stack instead)"
        )
    };
    let at = match axes::normalize(axis, rank) {
        Some(at) => at,
        None if axis == 0 => return Err(scalars()),
        None => {
            bail!(
                InvalidArgument,
                "ConcatOp : Expected concatenating dimensions in the range [{}, {rank}), but got {axis}",
                -(rank as i64)
            );
        }
    };
    let mut result = SmallVec::<[i64; 8]>::from_slice(like);
    for (i, dims) in known {
        if dims.is_empty() {
            return Err(scalars());
        }
        let against = || {
            format!(
                "shape[{}] = {} vs. shape[{}] = {}",
                first - values.start,
                call.shown(first),
                i - values.start,
                call.shown(i)
            )
        };
        ensure!(
            dims.len() == rank,
            InvalidArgument,
            "ConcatOp : Ranks of all input tensors should match: {}",
            against()
        );
        for (d, (result, &len)) in result.iter_mut().zip(dims).enumerate() {
            *result = if d == at {
                dim::add(*result, len)?
            } else {
                dim::merge(*result, len).ok_or_else(|| {
                    err!(
                        InvalidArgument,
                        "ConcatOp : Dimension {d} in both shapes must be equal: {}",
                        against()
                    )
                })?
            };
        }
    }
    if values.into_iter().any(|i| call.dims(i).is_none()) {
        result[at] = dim::UNKNOWN;
    }
    call.set(0, &result)
}

/// The elements of an input, and how many of them make a row: one step of the dimensions before the axis.
type Piece<'a, T> = (&'a [T], usize);

/// Output 0: the inputs of that range, of which there is one at least, along `axis`.
///
/// # Errors
/// `ResourceExhausted`.
pub(super) fn join(
    ctx: &mut KernelContext<'_>,
    inputs: Range<usize>,
    axis: usize,
) -> Result<Tensor> {
    match ctx.input(inputs.start).dtype() {
        DataType::String => join_owned::<TString>(ctx, inputs, axis),
        DataType::Resource => join_owned::<ResourceHandle>(ctx, inputs, axis),
        DataType::Variant => join_owned::<Variant>(ctx, inputs, axis),
        plain => dispatch_width!(plain.size(), |W| join_words::<W>(ctx, inputs, axis)),
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
    ctx: &mut KernelContext<'_>,
    inputs: Range<usize>,
    axis: usize,
) -> Result<Tensor> {
    let out = ctx.output(0)?;
    let pieces = pieces(ctx, inputs, axis, Tensor::as_words::<W>)?;
    fill_words::<W>(out, |slots| {
        // Long pieces may be cut anywhere.
        Ok(parallel::write(
            ctx.device(),
            slots,
            1,
            cost::copy(size_of::<W>()),
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
    ctx: &mut KernelContext<'_>,
    inputs: Range<usize>,
    axis: usize,
) -> Result<Tensor> {
    let out = ctx.output(0)?;
    let pieces = pieces(ctx, inputs, axis, Tensor::as_slice::<T>)?;
    let rows = pieces
        .first()
        .map_or(0, |(elements, row)| elements.len() / row);
    let elements = (0..rows).flat_map(|i| pieces.iter().flat_map(move |&(e, n)| &e[i * n..][..n]));
    out.try_fill_from(elements.map(T::try_clone))
}
