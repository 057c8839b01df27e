//! `LowerBound` and `UpperBound`: where values belong in rows of sorted ones, before or behind those that are equal.

use std::cmp::Ordering;

use tfe_core::memory::try_collect;
use tfe_core::{DTypeSet, Plain, Result, Tensor, dispatch, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::LOWER_BOUND, rule, |init| build(init, false)).of(TYPES),
    KernelDef::host(ops::UPPER_BOUND, rule, |init| build(init, true)).of(TYPES),
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL), ("out_type", DTypeSet::INDEX)];

/// A place for each value; as many rows of them as of sorted ones.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [sorted, values] = op.inputs(["sorted_inputs", "values"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        for (input, name) in [(sorted, "sorted_inputs"), (values, "values")] {
            call.of_rank(input, 2, || {
                err!(
                    InvalidArgument,
                    "Shape must be rank 2 but is rank {} for `{name}` argument",
                    call.rank(input).unwrap_or_default()
                )
            })?;
        }
        let dims = |input| call.dims(input).unwrap_or(&[dim::UNKNOWN; 2]);
        let mut found = [dim::UNKNOWN, dims(values)[1]];
        found[0] = dim::merge(dims(sorted)[0], dims(values)[0]).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Leading dim_size of both tensors must match."
            )
        })?;
        call.set(0, &found)
    }))
}

fn build(init: &KernelInit<'_>, upper: bool) -> Result<Box<dyn Kernel>> {
    let [sorted, values] = init.inputs(["sorted_inputs", "values"])?;
    let find = dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(find::<T> as Find))?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let found = find(ctx.input(sorted), ctx.input(values), upper)?;
        let (dtype, shape) = (ctx.output_dtype(0), ctx.output_shape(0)?.clone());
        let out = axes::tensor(ctx, dtype, shape, &found)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// For each value, how many sorted ones of its row come before it; with those that are equal, or without.
type Find = fn(&Tensor, &Tensor, bool) -> Result<Vec<i64>>;

fn find<T: Plain + PartialOrd>(sorted: &Tensor, values: &Tensor, upper: bool) -> Result<Vec<i64>> {
    let (n, m) = (sorted.shape().dim(1), values.shape().dim(1));
    let (sorted, values) = (sorted.as_slice::<T>()?, values.as_slice::<T>()?);
    try_collect(values.iter().enumerate().map(|(i, value)| {
        let row = &sorted[i / m * n..][..n];
        let place = if upper {
            // Of numbers without order, none is before the other: so that NaN is behind all.
            row.partition_point(|x| value.partial_cmp(x) != Some(Ordering::Less))
        } else {
            row.partition_point(|x| x < value)
        };
        place as i64
    }))
}
