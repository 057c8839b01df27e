//! `Unpack`: the tensors that lie side by side along a dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::part::part;
use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::cpu(ops::UNPACK, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (num, given) = (init.attrs.int("num")?, init.attrs.int("axis")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let rank = input.rank();
        let axis = axes::normalize(given, rank).ok_or_else(|| {
            let least = -(rank as i64);
            err!(InvalidArgument, "axis = {given} not in [{least}, {rank})")
        })?;
        ensure!(
            input.dims()[axis] == num,
            InvalidArgument,
            "Input shape axis {axis} must equal {num}, got shape {}",
            input.shape()
        );
        let mut dims = SmallVec::<[i64; 8]>::from_slice(input.dims());
        dims.remove(axis);
        let shape = Shape::new(&dims)?;
        for i in 0..num as usize {
            let out = part(ctx, ctx.input(0), axis, i..i + 1, &shape)?;
            ctx.set_output(i, out);
        }
        Ok(())
    }))
}
