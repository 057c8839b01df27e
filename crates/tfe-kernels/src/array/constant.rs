//! `Const`: the tensor in its attribute. (`const` is a keyword, hence the file's name.)

use tfe_core::{Result, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    host_outputs: &["output"],
    ..KernelDef::host(ops::CONST, rule, build)
}];

/// The shape of the tensor in the attribute.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (value, dtype) = (op.attrs.tensor("value")?, op.attrs.dtype("dtype")?);
    ensure!(
        value.dtype() == dtype,
        InvalidArgument,
        "Type mismatch between value ({}) and dtype ({dtype})",
        value.dtype()
    );
    let shape = value.shape().clone();
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.set_shape(0, shape.clone());
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let value = init.attrs.tensor("value")?.clone();
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        ctx.set_output(0, value.clone());
        Ok(())
    }))
}
