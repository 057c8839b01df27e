//! The greater and the lesser of the elements of two broadcast tensors; NaN where either is.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use crate::host::elementwise;
use crate::host::function::zip;
use crate::host::number::Real;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::MAXIMUM, |init| {
        let maximum = function!(init.attrs.dtype("T")?, Real, |T| zip(|a: T, b: T| a
            .greater(b)
            .flushed()))?;
        Ok(elementwise::kernel(maximum, 0.2))
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::cpu(ops::MINIMUM, |init| {
        let minimum = function!(init.attrs.dtype("T")?, Real, |T| zip(|a: T, b: T| a
            .lesser(b)
            .flushed()))?;
        Ok(elementwise::kernel(minimum, 0.2))
    })
    .of(&[("T", DTypeSet::REAL)]),
];
