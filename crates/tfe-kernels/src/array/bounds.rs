//! `LowerBound` and `UpperBound`: where values belong in rows of sorted ones, before or behind those that are equal.

use tfe_core::{DTypeSet, Plain, Result, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: TYPES,
        ..KernelDef::cpu(ops::LOWER_BOUND, build_lower)
    },
    KernelDef {
        types: TYPES,
        ..KernelDef::cpu(ops::UPPER_BOUND, build_upper)
    },
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL), ("out_type", DTypeSet::INDEX)];

fn build_lower(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    build(init, false)
}

fn build_upper(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    build(init, true)
}

fn build(init: &KernelInit<'_>, upper: bool) -> Result<Box<dyn Kernel>> {
    let output = init.attrs.dtype("out_type")?;
    let find = dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(find::<T> as Find))?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (sorted, values) = (ctx.input(0), ctx.input(1));
        for (input, name) in [(sorted, "sorted_inputs"), (values, "values")] {
            ensure!(
                input.rank() == 2,
                InvalidArgument,
                "Shape must be rank 2 but is rank {} for `{name}` argument",
                input.rank()
            );
        }
        ensure!(
            sorted.dims()[0] == values.dims()[0],
            InvalidArgument,
            "Leading dim_size of both tensors must match."
        );
        let found = find(sorted, values, upper)?;
        let out = axes::tensor(ctx, output, values.shape().clone(), &found)?;
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
    Ok(values.iter().enumerate().map(find).collect())
}
