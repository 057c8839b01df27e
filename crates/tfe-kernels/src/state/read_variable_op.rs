//! `ReadVariableOp`: the value of a variable, sharing its memory.

use tfe_core::Result;
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_host::rules;
use tfe_ops::ops;

use super::handle::handle;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    host_inputs: &["resource"],
    ..KernelDef::host(ops::READ_VARIABLE_OP, rules::unknown, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("dtype")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let value = Variable::read(ctx.resources(), handle(ctx.input(0))?, dtype)?;
        ctx.set_output(0, value);
        Ok(())
    }))
}
