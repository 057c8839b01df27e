//! `Unpack`: the tensors that lie side by side along a dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::part::part;
use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::host(ops::UNPACK, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
]));

/// Each result has the dimensions of the input but for the axis, which is as long as there are results.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (num, given) = (op.attrs.int("num")?, op.attrs.int("axis")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let Some(dims) = call.dims(0) else {
            return Ok(());
        };
        let rank = dims.len();
        let axis = axes::normalize(given, rank).ok_or_else(|| {
            let least = -(rank as i64);
            err!(InvalidArgument, "axis = {given} not in [{least}, {rank})")
        })?;
        ensure!(
            dim::merge(dims[axis], num).is_some(),
            InvalidArgument,
            "Input shape axis {axis} must equal {num}, got shape {}",
            call.shown(0)
        );
        let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
        dims.remove(axis);
        (0..call.num_outputs()).try_for_each(|i| call.set(i, &dims))
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let given = init.attrs.int("axis")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let axis = axes::from_start(given, ctx.input(0).rank());
        for i in 0..ctx.num_outputs() {
            let out = part(ctx, ctx.input(0), axis, i..i + 1, ctx.output_shape(i)?)?;
            ctx.set_output(i, out);
        }
        Ok(())
    }))
}
