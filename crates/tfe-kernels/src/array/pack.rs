//! `Pack`: tensors of one shape side by side along a new dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::join::join;
use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::cpu(ops::PACK, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint16,
    DataType::Quint16,
    DataType::Qint32,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let given = init.attrs.int("axis")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (axis, shape) = result_shape(ctx, given)?;
        let n = ctx.num_inputs();
        let out = if n == 1 {
            ctx.take_input(0).reshaped(shape)?
        } else {
            join(ctx, 0..n, axis, shape)?
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn result_shape(ctx: &KernelContext<'_>, given: i64) -> Result<(usize, Shape)> {
    let first = ctx.input(0);
    let rank = first.rank() + 1;
    let axis = axes::normalize(given, rank)
        .ok_or_else(|| err!(InvalidArgument, "axis = {given} not in [-{rank}, {rank})"))?;
    for (i, input) in ctx.input_range(1..ctx.num_inputs()).enumerate() {
        ensure!(
            input.shape() == first.shape(),
            InvalidArgument,
            "Shapes of all inputs must match: values[0].shape = {} != values[{}].shape = {}",
            first.shape(),
            i + 1,
            input.shape()
        );
    }
    let mut dims = SmallVec::<[i64; 8]>::from_slice(first.dims());
    dims.insert(axis, ctx.num_inputs() as i64);
    Ok((axis, Shape::new(&dims)?))
}
