//! `Bitcast`: the same bytes as elements of another type, sharing the memory.

use smallvec::SmallVec;
use tfe_core::{Result, Shape, bail};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::cpu(ops::BITCAST, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (from, to) = (init.attrs.dtype("T")?, init.attrs.dtype("type")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let mut input = ctx.take_input(0);
        let mut dims = SmallVec::<[i64; 8]>::from_slice(input.dims());
        // An element becomes a row of smaller ones; a row of as many as fit becomes a larger one.
        if from.size() > to.size() {
            dims.push((from.size() / to.size()) as i64);
        } else if to.size() > from.size() && dims.pop() != Some((to.size() / from.size()) as i64) {
            bail!(
                InvalidArgument,
                "Cannot bitcast from {} to {}",
                from.number(),
                to.number()
            );
        }
        if input.is_host() && !input.data_ptr().addr().is_multiple_of(to.size()) {
            input = input.deep_copy()?;
        }
        let out = input.reinterpreted(to, Shape::new(&dims)?)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
