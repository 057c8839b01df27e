//! `ConcatV2`: tensors one after the other along an axis.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{
    DTypeSet, DataType, Result, Shape, TString, Tensor, Word, dispatch_width, ensure, err,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use crate::host::owned::{Owned, fill_owned};
use crate::host::{Cursor, axes, fill_words, parallel};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    host_inputs: &["axis"],
    ..KernelDef::cpu(ops::CONCAT_V2, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint16,
    DataType::Quint16,
    DataType::Qint32,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let join: Join = match init.attrs.dtype("T")? {
        DataType::String => join_owned::<TString>,
        plain => dispatch_width!(plain.size(), |W| Ok(join_words::<W> as Join))?,
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let n = ctx.num_inputs() - 1;
        let (axis, shape) = result_shape(ctx.input_range(0..n), ctx.input(n))?;
        let out = join(ctx, n, axis, shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// Joins the first `n` inputs along the axis to a tensor of that shape.
type Join = fn(&KernelContext<'_>, usize, usize, Shape) -> Result<Tensor>;

/// Axis and shape of the result, once all inputs fit each other.
fn result_shape<'a>(
    inputs: impl ExactSizeIterator<Item = &'a Tensor>,
    axis: &Tensor,
) -> Result<(usize, Shape)> {
    ensure!(
        matches!(axis.dims(), [] | [1]),
        InvalidArgument,
        "axis tensor should be a scalar integer, but got shape {}",
        axis.shape()
    );
    let given = axes::integers(axis)?[0];
    let mut inputs = inputs.enumerate();
    let (_, first) = inputs.next().ok_or_else(|| {
        err!(
            InvalidArgument,
            "ConcatOp : there is nothing to concatenate"
        )
    })?;
    let rank = first.rank();
    let scalars = || {
        err!(
            InvalidArgument,
            "ConcatOp : Can't concatenate scalars (use tf.stack instead)"
        )
    };
    let axis = match axes::normalize(given, rank) {
        Some(axis) => axis,
        None if given == 0 => return Err(scalars()),
        None => {
            return Err(err!(
                InvalidArgument,
                "ConcatOp : Expected concatenating dimensions in the range [{}, {rank}), but got {given}",
                -(rank as i64)
            ));
        }
    };
    let mut dims = SmallVec::<[i64; 4]>::from_slice(first.dims());
    for (i, input) in inputs {
        if input.rank() == 0 {
            return Err(scalars());
        }
        let against = || {
            format!(
                "shape[0] = {} vs. shape[{i}] = {}",
                first.shape(),
                input.shape()
            )
        };
        ensure!(
            input.rank() == rank,
            InvalidArgument,
            "ConcatOp : Ranks of all input tensors should match: {}",
            against()
        );
        for (d, (a, b)) in first.dims().iter().zip(input.dims()).enumerate() {
            ensure!(
                d == axis || a == b,
                InvalidArgument,
                "ConcatOp : Dimension {d} in both shapes must be equal: {}",
                against()
            );
        }
        dims[axis] = dims[axis].checked_add(input.dims()[axis]).ok_or_else(|| {
            err!(
                InvalidArgument,
                "ConcatOp : the inputs have 2**63 or more rows along axis {axis}"
            )
        })?;
    }
    Ok((axis, Shape::new(&dims)?))
}

/// The elements of an input, and how many of them make a row: one step of the dimensions before the axis.
type Piece<'a, T> = (&'a [T], usize);

/// The inputs that have elements. `slice` views an input.
fn pieces<'a, T>(
    ctx: &'a KernelContext<'_>,
    n: usize,
    axis: usize,
    slice: impl Fn(&'a Tensor) -> Result<&'a [T]>,
) -> Result<SmallVec<[Piece<'a, T>; 4]>> {
    ctx.input_range(0..n)
        .filter(|input| input.num_elements() > 0)
        .map(|input| {
            let row = input.dims()[axis..].iter().product::<i64>() as usize;
            Ok((slice(input)?, row))
        })
        .collect()
}

fn join_words<W: Word>(
    ctx: &KernelContext<'_>,
    n: usize,
    axis: usize,
    shape: Shape,
) -> Result<Tensor> {
    let pieces = pieces(ctx, n, axis, Tensor::as_words::<W>)?;
    let out = ctx.allocate(ctx.input(0).dtype(), shape)?;
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

fn join_owned<T: Owned>(
    ctx: &KernelContext<'_>,
    n: usize,
    axis: usize,
    shape: Shape,
) -> Result<Tensor> {
    let pieces = pieces(ctx, n, axis, Tensor::as_slice::<T>)?;
    let rows = pieces
        .first()
        .map_or(0, |(elements, row)| elements.len() / row);
    let elements = (0..rows).flat_map(|i| pieces.iter().flat_map(move |&(e, n)| &e[i * n..][..n]));
    fill_owned(ctx, shape, elements.map(T::copy))
}
