//! `VarIsInitializedOp`: whether a handle means a variable that has a value.

use tfe_core::{Result, Tensor};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_host::rules;
use tfe_ops::ops;

use super::handle::handle;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    host_inputs: &["resource"],
    host_outputs: &["is_initialized"],
    ..KernelDef::host(ops::VAR_IS_INITIALIZED_OP, rules::scalars, build)
}];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        // A handle of another kind means no variable either.
        let variable = Variable::update(ctx.resources(), handle(ctx.input(0))?, |_| Ok(()));
        ctx.set_output(0, Tensor::scalar(variable.is_ok())?);
        Ok(())
    }))
}
