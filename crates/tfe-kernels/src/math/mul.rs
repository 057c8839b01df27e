//! Mul: the product, element by element, of two broadcast tensors.

use tfe_core::{DTypeSet, Result, dispatch};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use crate::host::elementwise;
use crate::host::number::Number;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER)],
    ..KernelDef::cpu(ops::MUL, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    dispatch!(dtype, Number, |T| Ok(elementwise::binary::<T>(
        |a, b| a.times(b),
        0.2
    )))
}
