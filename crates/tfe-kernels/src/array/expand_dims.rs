//! `ExpandDims`: one more dimension, of size 1, sharing the memory.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tdim", DTypeSet::INDEX)],
    host_inputs: &["dim"],
    ..KernelDef::cpu(ops::EXPAND_DIMS, build)
}];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shape = expanded(ctx.input(0), ctx.input(1))?;
        let out = ctx.take_input(0).reshaped(shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn expanded(input: &Tensor, axis: &Tensor) -> Result<Shape> {
    ensure!(
        axis.num_elements() == 1,
        InvalidArgument,
        "'dim' must be a tensor with a single value"
    );
    let given = axes::integers(axis)?[0];
    let rank = input.rank();
    let axis = axes::normalize(given, rank + 1).ok_or_else(|| {
        err!(
            InvalidArgument,
            "Tried to expand dim index {given} for tensor with {rank} dimensions."
        )
    })?;
    let mut dims = SmallVec::<[i64; 8]>::from_slice(input.dims());
    dims.insert(axis, 1);
    Shape::new(&dims)
}
