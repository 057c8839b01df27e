//! `Identity`: its input, sharing the memory.

use tfe_core::Result;
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::cpu(ops::IDENTITY, build)];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.take_input(0);
        ctx.set_output(0, input);
        Ok(())
    }))
}
