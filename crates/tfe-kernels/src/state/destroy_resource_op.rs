//! `DestroyResourceOp`: drops the resource that a handle means.

use tfe_core::{Code, Result};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_host::rules;
use tfe_ops::ops;

use super::handle::handle;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    host_inputs: &["resource"],
    ..KernelDef::host(ops::DESTROY_RESOURCE_OP, rules::unknown, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let may_be_missing = init.attrs.bool("ignore_lookup_error")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        match ctx.resources().destroy(handle(ctx.input(0))?) {
            Err(e) if e.code() == Code::NotFound && may_be_missing => Ok(()),
            done => done,
        }
    }))
}
