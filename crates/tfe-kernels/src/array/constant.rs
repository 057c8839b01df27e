//! `Const`: the tensor in its attribute. (`const` is a keyword, hence the file's name.)

use tfe_core::{Result, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    host_outputs: &["output"],
    ..KernelDef::cpu(ops::CONST, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let value = init.attrs.tensor("value")?.clone();
    let dtype = init.attrs.dtype("dtype")?;
    ensure!(
        value.dtype() == dtype,
        InvalidArgument,
        "Type mismatch between value ({}) and dtype ({dtype})",
        value.dtype()
    );
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        ctx.set_output(0, value.clone());
        Ok(())
    }))
}
