//! `Squeeze`: drops dimensions of size 1, sharing the memory.

use smallvec::SmallVec;
use tfe_core::{Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::host(ops::SQUEEZE, rule, build)];

/// The dimensions without those that are named; without all of size 1 when none is.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let given = Box::<[i64]>::from(op.attrs.int_list("squeeze_dims")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let Some(dims) = call.dims(0) else {
            return Ok(());
        };
        let rank = dims.len();
        let mut named: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
        for &axis in &given {
            let axis = axes::normalize(axis, rank).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Tried to squeeze dim index {axis} for tensor with {rank} dimensions."
                )
            })?;
            named[axis] = true;
        }
        if given.is_empty() {
            if dims.contains(&dim::UNKNOWN) {
                return Ok(());
            }
            named.iter_mut().zip(dims).for_each(|(n, &d)| *n = d == 1);
        }
        let mut kept = SmallVec::<[i64; 8]>::new();
        for (i, (&d, &named)) in dims.iter().zip(&named).enumerate() {
            ensure!(
                !named || dim::merge(d, 1).is_some(),
                InvalidArgument,
                "Can not squeeze dim[{i}], expected a dimension of 1, got {d}"
            );
            if !named {
                kept.push(d);
            }
        }
        call.set(0, &kept)
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shape = ctx.output_shape(0)?.clone();
        let out = ctx.take_input(0).reshaped(shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
