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

/// The shape that is asked for; the input fits it.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, sizes] = op.inputs(["input", "shape"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(sizes, 1, || {
            err!(
                InvalidArgument,
                "shape must be a vector of {{int32,int64}}, got shape {}",
                call.shown(sizes)
            )
        })?;
        call.set_from_sizes(0, sizes)?;
        let (Some(dims), Some(rank)) = (call.dims(input), call.num_elements(sizes)) else {
            return Ok(());
        };
        let new = (rank as usize).checked_sub(dims.len()).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Rank of input ({}) must be no greater than rank of output shape ({rank}).",
                dims.len()
            )
        })?;
        let Some(sizes) = call.integers(sizes)? else {
            return Ok(());
        };
        let mut pairs = dims.iter().zip(&sizes[new..]);
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
        let (input, shape) = (ctx.input(input), ctx.output_shape(0)?.clone());
        let strides = strided::strides(input.dims());
        let new = shape.rank() - input.rank();
        let walk = shape.dims().iter().enumerate().map(|(i, &len)| {
            let own = i.checked_sub(new).filter(|&i| input.dims()[i] != 1);
            (len as usize, own.map_or(0, |i| strides[i]))
        });
        let walk = Strided::new(walk, 0);
        let out = strided::gather(ctx, input, &walk, shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
