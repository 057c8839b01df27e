//! `Split` and `SplitV`: the parts of a tensor along an axis, of one size each or of given sizes.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::part::part;
use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES)],
        host_inputs: &["split_dim"],
        ..KernelDef::host(ops::SPLIT, rule, build)
    },
    KernelDef {
        types: &[("T", TYPES), ("Tlen", LENGTHS)],
        host_inputs: &["size_splits", "split_dim"],
        ..KernelDef::host(ops::SPLIT_V, rule_v, build)
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

/// As many parts of one size.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let n = op.attrs.int("num_split")?;
    let [split_dim, value] = op.inputs(["split_dim", "value"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.rank(split_dim).is_none_or(|rank| rank == 0),
            InvalidArgument,
            "split_dim must be a scalar but has rank {}",
            call.rank(split_dim).unwrap_or_default()
        );
        let axis = split_axis(call, split_dim, value)?;
        let size = match (axis, call.dims(value)) {
            (Some(axis), Some(dims)) => dims[axis],
            _ => dim::UNKNOWN,
        };
        let part = match dim::known(size) {
            Some(size) => {
                ensure!(
                    size % n == 0,
                    InvalidArgument,
                    "Number of ways to split should evenly divide the split dimension, but got split_dim {} (size = {size}) and num_split {n}",
                    axis.unwrap_or_default()
                );
                size / n
            }
            None => dim::UNKNOWN,
        };
        parts(call, value, axis, |_| part)
    }))
}

/// Parts of the sizes that are asked for; one at most is said -1, which is what the others leave.
fn rule_v(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [value, lengths, split_dim] = op.inputs(["value", "size_splits", "split_dim"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let axis = split_axis(call, split_dim, value)?;
        let n = call.num_outputs();
        ensure!(
            match call.dims(lengths) {
                Some(&[len]) => dim::merge(len, n as i64).is_some(),
                dims => dims.is_none(),
            },
            InvalidArgument,
            "size of the split_tensor must be 1-D and have {n} elements, but got shape {}",
            call.shown(lengths)
        );
        let Some(mut sizes) = call.integers(lengths)? else {
            return parts(call, value, axis, |_| dim::UNKNOWN);
        };
        let whole = match (axis, call.dims(value)) {
            (Some(axis), Some(dims)) => dim::known(dims[axis]),
            _ => None,
        };
        let (mut open, mut total) = (None, 0i64);
        for (i, &size) in sizes.iter().enumerate() {
            if size == -1 && open.replace(i).is_none() {
                continue;
            }
            ensure!(
                size >= 0,
                InvalidArgument,
                "Split size at index {i} must be >= 0. Got: {size}"
            );
            total = total.saturating_add(size);
        }
        if let Some(whole) = whole {
            ensure!(
                total == whole || (open.is_some() && total < whole),
                InvalidArgument,
                "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified.  Got: {total}"
            );
            if let Some(i) = open {
                sizes[i] = whole - total;
            }
        }
        parts(call, value, axis, |i| sizes[i])
    }))
}

/// The axis that input `axis` says, if it and the rank of input `value` are known.
fn split_axis(call: &Inference<'_>, axis: usize, value: usize) -> Result<Option<usize>> {
    ensure!(
        call.num_elements(axis).is_none_or(|n| n == 1),
        InvalidArgument,
        "split_dim_tensor must have exactly one element, not shape {}",
        call.shown(axis)
    );
    let (Some(given), Some(rank)) = (call.integer(axis)?, call.rank(value)) else {
        return Ok(None);
    };
    let axis = axes::normalize(given, rank).ok_or_else(|| {
        err!(
            InvalidArgument,
            "-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {given}"
        )
    })?;
    Ok(Some(axis))
}

/// Says that each output is a part of input `value`, of a size along the axis.
fn parts(
    call: &mut Inference<'_>,
    value: usize,
    axis: Option<usize>,
    size: impl Fn(usize) -> i64,
) -> Result<()> {
    let Some(dims) = call.dims(value) else {
        return Ok(());
    };
    let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
    for i in 0..call.num_outputs() {
        match axis {
            Some(axis) => {
                dims[axis] = size(i);
                call.set(i, &dims)?;
            }
            None => call.set_rank(i, dims.len()),
        }
    }
    Ok(())
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [value, split_dim] = init.inputs(["value", "split_dim"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        if ctx.num_outputs() == 1 {
            let whole = ctx.take_input(value);
            ctx.set_output(0, whole);
            return Ok(());
        }
        let axis = axes::from_start(ctx.integer(split_dim)?, ctx.input(value).rank());
        let mut start = 0;
        for i in 0..ctx.num_outputs() {
            let shape = ctx.output_shape(i)?;
            let range = start..start + shape.dim(axis);
            start = range.end;
            let out = part(ctx, ctx.input(value), axis, range, shape)?;
            ctx.set_output(i, out);
        }
        Ok(())
    }))
}
