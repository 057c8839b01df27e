//! `Squeeze`: drops dimensions of size 1, sharing the memory.

use smallvec::SmallVec;
use tfe_core::{Result, Shape, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::cpu(ops::SQUEEZE, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let axes = Box::<[i64]>::from(init.attrs.int_list("squeeze_dims")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let shape = squeezed(ctx.input(0).dims(), &axes)?;
        let out = ctx.take_input(0).reshaped(shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The dimensions without those that are named; without all of size 1 when none is.
fn squeezed(dims: &[i64], given: &[i64]) -> Result<Shape> {
    let rank = dims.len();
    let mut named: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
    for &axis in given {
        let axis = axes::normalize(axis, rank).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Tried to squeeze dim index {axis} for tensor with {rank} dimensions."
            )
        })?;
        named[axis] = true;
    }
    let mut kept = SmallVec::<[i64; 8]>::new();
    for (i, (&dim, &named)) in dims.iter().zip(&named).enumerate() {
        ensure!(
            dim == 1 || !named,
            InvalidArgument,
            "Can not squeeze dim[{i}], expected a dimension of 1, got {dim}"
        );
        if dim != 1 || !(named || given.is_empty()) {
            kept.push(dim);
        }
    }
    Shape::new(&kept)
}
