//! `Bitcast`: the same bytes as elements of another type, sharing the memory.

use std::cmp::Ordering;

use smallvec::SmallVec;
use tfe_core::{Result, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::host(ops::BITCAST, rule, build)];

/// An element becomes a row of smaller ones; a row of as many as fit becomes a larger one.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (from, to) = (op.attrs.dtype("T")?, op.attrs.dtype("type")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let Some(dims) = call.dims(0) else {
            return Ok(());
        };
        let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
        match from.size().cmp(&to.size()) {
            Ordering::Equal => {}
            Ordering::Greater => dims.push((from.size() / to.size()) as i64),
            Ordering::Less => {
                let row = (to.size() / from.size()) as i64;
                ensure!(
                    dims.pop().is_some_and(|d| dim::merge(d, row).is_some()),
                    InvalidArgument,
                    "Cannot bitcast from {} to {}",
                    from.number(),
                    to.number()
                );
            }
        }
        call.set(0, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let to = init.attrs.dtype("type")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let mut input = ctx.take_input(0);
        if input.is_host() && !input.data_ptr().addr().is_multiple_of(to.size()) {
            input = input.deep_copy()?;
        }
        let out = input.reinterpreted(to, ctx.output_shape(0)?.clone())?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
