//! `Split` and `SplitV`: the parts of a tensor along an axis, of one size each or of given sizes.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::part::part;
use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES)],
        host_inputs: &["split_dim"],
        ..KernelDef::cpu(ops::SPLIT, build)
    },
    KernelDef {
        types: &[("T", TYPES), ("Tlen", LENGTHS)],
        host_inputs: &["size_splits", "split_dim"],
        ..KernelDef::cpu(ops::SPLIT_V, build_v)
    },
];

const LENGTHS: DTypeSet = DTypeSet::of(&[DataType::Int8, DataType::Int32, DataType::Int64]);
const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Quint8,
    DataType::Int4,
    DataType::Uint4,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let n = init.attrs.int("num_split")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (axis, input) = (ctx.input(0), ctx.input(1));
        ensure!(
            axis.rank() == 0,
            InvalidArgument,
            "split_dim must be a scalar but has rank {}",
            axis.rank()
        );
        let axis = split_axis(axis, input)?;
        let size = input.dims()[axis];
        ensure!(
            size % n == 0,
            InvalidArgument,
            "Number of ways to split should evenly divide the split dimension, but got split_dim {axis} (size = {size}) and num_split {n}"
        );
        split(ctx, 1, axis, std::iter::repeat_n(size / n, n as usize))
    }))
}

fn build_v(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let axis = split_axis(ctx.input(2), ctx.input(0))?;
        let sizes = sizes(ctx, axis)?;
        split(ctx, 0, axis, sizes.iter().copied())
    }))
}

fn split_axis(axis: &Tensor, input: &Tensor) -> Result<usize> {
    ensure!(
        axis.num_elements() == 1,
        InvalidArgument,
        "split_dim_tensor must have exactly one element, not shape {}",
        axis.shape()
    );
    let (given, rank) = (axes::integers(axis)?[0], input.rank());
    axes::normalize(given, rank).ok_or_else(|| {
        err!(
            InvalidArgument,
            "-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {given}"
        )
    })
}

/// The sizes that are asked for; one at most is said -1, which is what the others leave.
fn sizes(ctx: &KernelContext<'_>, axis: usize) -> Result<SmallVec<[i64; 8]>> {
    let (input, lengths) = (ctx.input(0), ctx.input(1));
    let n = ctx.num_outputs();
    ensure!(
        lengths.rank() == 1 && lengths.num_elements() == n,
        InvalidArgument,
        "size of the split_tensor must be 1-D and have {n} elements, but got shape {}",
        lengths.shape()
    );
    let mut sizes = axes::integers(lengths)?;
    let mut unknown = None;
    let (mut total, whole) = (0i64, input.dims()[axis]);
    for (i, &size) in sizes.iter().enumerate() {
        if size == -1 && unknown.replace(i).is_none() {
            continue;
        }
        ensure!(
            size >= 0,
            InvalidArgument,
            "Split size at index {i} must be >= 0. Got: {size}"
        );
        total = total.saturating_add(size);
    }
    ensure!(
        total == whole || (unknown.is_some() && total < whole),
        InvalidArgument,
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified.  Got: {total}"
    );
    if let Some(i) = unknown {
        sizes[i] = whole - total;
    }
    Ok(sizes)
}

/// Sets the parts of an input, of these sizes.
fn split(
    ctx: &mut KernelContext<'_>,
    input: usize,
    axis: usize,
    sizes: impl ExactSizeIterator<Item = i64>,
) -> Result<()> {
    if sizes.len() == 1 {
        let whole = ctx.take_input(input);
        ctx.set_output(0, whole);
        return Ok(());
    }
    let mut dims = SmallVec::<[i64; 8]>::from_slice(ctx.input(input).dims());
    let mut start = 0;
    for (i, size) in sizes.enumerate() {
        dims[axis] = size;
        let range = start..start + size as usize;
        start = range.end;
        let out = part(ctx, ctx.input(input), axis, range, &Shape::new(&dims)?)?;
        ctx.set_output(i, out);
    }
    Ok(())
}
