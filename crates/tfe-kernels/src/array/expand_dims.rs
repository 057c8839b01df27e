//! `ExpandDims`: one more dimension, of size 1, sharing the memory.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tdim", DTypeSet::INDEX)],
    host_inputs: &["dim"],
    ..KernelDef::host(ops::EXPAND_DIMS, rule, build)
}];

/// The dimensions of the input with a 1 put in at the axis.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, axis] = op.inputs(["input", "dim"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.num_elements(axis).is_none_or(|n| n == 1),
            InvalidArgument,
            "'dim' must be a tensor with a single value"
        );
        let Some(dims) = call.dims(input) else {
            return Ok(());
        };
        let rank = dims.len();
        let Some(given) = call.integer(axis)? else {
            call.set_rank(0, rank + 1);
            return Ok(());
        };
        let axis = axes::normalize(given, rank + 1).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Tried to expand dim index {given} for tensor with {rank} dimensions."
            )
        })?;
        let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
        dims.insert(axis, 1);
        call.set(0, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let input = init.input("input")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let shape = ctx.output_shape(0)?.clone();
        let out = ctx.take_input(input).reshaped(shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
