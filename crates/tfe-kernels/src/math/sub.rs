//! Sub: the difference of two broadcast tensors.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::zip;
use tfe_host::number::Number;
use tfe_host::{cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER)],
    ..KernelDef::host(ops::SUB, rules::broadcast, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let sub = function!(init.attrs.dtype("T")?, Number, |T| zip(T::minus))?;
    Ok(elementwise::kernel(sub, cost::ARITHMETIC))
}
