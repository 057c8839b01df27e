//! Abs: the absolute value of each element.

use tfe_core::Result;
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::map;
use tfe_host::number::{SIGNED, Signed};
use tfe_host::{cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", SIGNED)],
    ..KernelDef::host(ops::ABS, rules::like::<0>, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let abs = function!(init.attrs.dtype("T")?, Signed, |T| map(T::magnitude))?;
    Ok(elementwise::kernel(abs, cost::ARITHMETIC))
}
