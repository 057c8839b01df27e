//! Sign: -1, 0 or 1 by the sign of each element; of a complex number the one in its direction on the unit circle.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::map;
use tfe_host::number::{SIGNED, Signed};
use tfe_host::{complex, cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", SIGNED.union(DTypeSet::COMPLEX))],
    ..KernelDef::host(ops::SIGN, rules::like::<0>, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    if DTypeSet::COMPLEX.contains(dtype) {
        return elementwise::chosen(init, [map(complex::sign)], cost::TRANSCENDENTAL);
    }
    let sign = function!(dtype, Signed, |T| map(T::sign))?;
    Ok(elementwise::kernel(sign, cost::ARITHMETIC))
}
