//! `EnsureShape`: its input, if that has the shape that is expected.

use tfe_core::{Result, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::cpu(ops::ENSURE_SHAPE, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let expected = init.attrs.shape("shape")?.clone();
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.take_input(0);
        ensure!(
            expected.is_compatible_with(input.shape()),
            InvalidArgument,
            "Shape of tensor input {} is not compatible with expected shape {expected}.",
            input.shape()
        );
        ctx.set_output(0, input);
        Ok(())
    }))
}
