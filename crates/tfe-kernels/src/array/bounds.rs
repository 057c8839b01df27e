//! `LowerBound` and `UpperBound`: where values belong in rows of sorted ones, before or behind those that are equal.

use tfe_core::{DTypeSet, Plain, Result, Tensor, dispatch, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::{axes, scratch};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::LOWER_BOUND, rule, |init| build(init, false)).of(TYPES),
    KernelDef::host(ops::UPPER_BOUND, rule, |init| build(init, true)).of(TYPES),
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL), ("out_type", DTypeSet::INDEX)];

/// A place for each value; the rows of both inputs belong together.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [sorted, values] = op.inputs(["sorted_inputs", "values"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        for (i, name) in [(sorted, "sorted_inputs"), (values, "values")] {
            call.of_rank(i, 2, || {
                err!(
                    InvalidArgument,
                    "Shape must be rank 2 but is rank {} for `{name}` argument",
                    call.rank(i).unwrap_or_default()
                )
            })?;
        }
        let size = |i: usize, axis: usize| call.dims(i).map_or(dim::UNKNOWN, |dims| dims[axis]);
        let rows = dim::merge(size(sorted, 0), size(values, 0)).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Leading dim_size of both tensors must match."
            )
        })?;
        call.set(0, &[rows, size(values, 1)])
    }))
}

fn build(init: &KernelInit<'_>, upper: bool) -> Result<Box<dyn Kernel>> {
    let find = dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(find::<T> as Find))?;
    let [sorted, values] = init.inputs(["sorted_inputs", "values"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let found = find(ctx.input(sorted), ctx.input(values), upper)?;
        let shape = ctx.output_shape(0)?.clone();
        let out = axes::tensor(ctx, ctx.output_dtype(0), shape, &found)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// For each value, how many sorted ones of its row come before it; with those that are equal, or without.
type Find = fn(&Tensor, &Tensor, bool) -> Result<Vec<i64>>;

fn find<T: Plain + PartialOrd>(sorted: &Tensor, values: &Tensor, upper: bool) -> Result<Vec<i64>> {
    let (n, m) = (sorted.shape().dim(1), values.shape().dim(1));
    let (sorted, values) = (sorted.as_slice::<T>()?, values.as_slice::<T>()?);
    let find = |(i, value): (usize, &T)| {
        let row = &sorted[i / m * n..][..n];
        let place = if upper {
            // Of numbers without order, none is before the other: so that NaN is behind all.
            row.partition_point(|x| value.partial_cmp(x) != Some(std::cmp::Ordering::Less))
        } else {
            row.partition_point(|x| x < value)
        };
        place as i64
    };
    let mut found = scratch(values.len())?;
    found.extend(values.iter().enumerate().map(find));
    Ok(found)
}
