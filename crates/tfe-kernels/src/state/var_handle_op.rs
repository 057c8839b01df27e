//! `VarHandleOp`: a handle to the variable of a name, whether or not it was assigned yet.

use tfe_core::{Result, Tensor};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_host::rules;
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    host_outputs: &["resource"],
    ..KernelDef::host(ops::VAR_HANDLE_OP, rules::scalars, build)
}];

/// The name by which clients ask for a variable that no name reaches, a new one a call: TensorFlow's own constant.
const ANONYMOUS: &str = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // Neither the dtype nor the shape binds the variable: what is assigned to it does.
    init.attrs.shape("shape")?.validate()?;
    let name = &*init.attrs.label("shared_name")?;
    if name == ANONYMOUS {
        return Ok(Box::new(|ctx: &mut KernelContext<'_>| {
            let handle = ctx
                .resources()
                .anonymous_handle::<Variable>(Variable::TYPE_NAME);
            ctx.set_output(0, Tensor::scalar(handle)?);
            Ok(())
        }));
    }
    // An empty name is a name like any other, as in TensorFlow: all handles without a name mean one variable.
    let container = &*init.attrs.label("container")?;
    let resources = init.device.resources();
    let handle =
        Tensor::scalar(resources.handle::<Variable>(container, name, Variable::TYPE_NAME))?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        ctx.set_output(0, handle.clone());
        Ok(())
    }))
}
