//! Square: each element multiplied by itself.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::map;
use tfe_host::number::Number;
use tfe_host::{cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER)],
    ..KernelDef::host(ops::SQUARE, rules::like::<0>, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let square = function!(init.attrs.dtype("T")?, Number, |T| map(|x: T| x.times(x)))?;
    Ok(elementwise::kernel(square, cost::ARITHMETIC))
}
