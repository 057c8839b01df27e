//! `Pack`: tensors of one shape side by side along a new dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::join::join;
use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::host(ops::PACK, rule, build)
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

/// A new dimension of as many elements as there are tensors.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let given = op.attrs.int("axis")?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let n = call.num_inputs();
        for i in 1..n {
            ensure!(
                call.may_be_equal(0, i),
                InvalidArgument,
                "Shapes of all inputs must match: values[0].shape = {} != values[{i}].shape = {}",
                call.shown(0),
                call.shown(i)
            );
        }
        let Some(first) = (0..n).find_map(|i| call.dims(i)) else {
            return Ok(());
        };
        let rank = first.len() + 1;
        let axis = axes::normalize(given, rank)
            .ok_or_else(|| err!(InvalidArgument, "axis = {given} not in [-{rank}, {rank})"))?;
        let mut dims = SmallVec::<[i64; 8]>::from_slice(first);
        dims.insert(axis, n as i64);
        call.set(0, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let given = init.attrs.int("axis")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (n, shape) = (ctx.num_inputs(), ctx.output_shape(0)?.clone());
        let out = if n == 1 {
            ctx.take_input(0).reshaped(shape)?
        } else {
            join(ctx, 0..n, axes::from_start(given, shape.rank()))?
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}
