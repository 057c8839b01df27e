//! Neg: each element with the other sign; integers wrap.

use tfe_core::{Complex64, Complex128, DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::map;
use tfe_host::number::{SIGNED, Signed};
use tfe_host::{cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", SIGNED.union(DTypeSet::COMPLEX))],
    ..KernelDef::host(ops::NEG, rules::like::<0>, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    if DTypeSet::COMPLEX.contains(dtype) {
        return elementwise::chosen(
            init,
            [map(|z: Complex64| -z), map(|z: Complex128| -z)],
            cost::ARITHMETIC,
        );
    }
    let neg = function!(dtype, Signed, |T| map(T::neg))?;
    Ok(elementwise::kernel(neg, cost::ARITHMETIC))
}
