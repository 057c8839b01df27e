//! `BroadcastTo`: a tensor repeated along its dimensions of size 1, and along new ones before them.

use tfe_core::{DTypeSet, DataType, PartialShape, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["shape"],
    ..KernelDef::host(ops::BROADCAST_TO, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
]));

/// The shape that is asked for, if the input fits it.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, shape] = op.inputs(["input", "shape"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(shape, 1, || {
            err!(
                InvalidArgument,
                "shape must be a vector of {{int32,int64}}, got shape {}",
                call.shown(shape)
            )
        })?;
        call.set_from_sizes(0, shape)?;
        let (Some(dims), Some(rank)) = (call.dims(input), call.num_elements(shape)) else {
            return Ok(());
        };
        ensure!(
            dims.len() <= rank as usize,
            InvalidArgument,
            "Rank of input ({}) must be no greater than rank of output shape ({rank}).",
            dims.len()
        );
        let Some(sizes) = call.integers(shape)? else {
            return Ok(());
        };
        let mut pairs = dims.iter().zip(&sizes[sizes.len() - dims.len()..]);
        ensure!(
            pairs.all(|(&own, &len)| own == 1 || dim::merge(own, len).is_some()),
            InvalidArgument,
            "Incompatible shapes: {} vs. {}",
            call.shown(input),
            PartialShape::of(&sizes)
        );
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let input = init.input("input")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, shape) = (ctx.input(input), ctx.output_shape(0)?);
        let strides = strided::strides(input.dims());
        let new = shape.rank() - input.rank();
        let walk = shape.dims().iter().enumerate().map(|(i, &len)| {
            let stride = match i.checked_sub(new) {
                Some(i) if input.dims()[i] != 1 => strides[i],
                _ => 0,
            };
            (len as usize, stride)
        });
        let out = strided::gather(ctx, input, &Strided::new(walk, 0), shape.clone())?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
