//! The greater and the lesser of the elements of two broadcast tensors; NaN where either is.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use crate::host::elementwise;
use crate::host::function::zip;
use crate::host::number::Real;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::MAXIMUM, |init| {
        let maximum = function!(init.attrs.dtype("T")?, Real, |T| {
            zip(|x: T, y: T| x.greater(y).flushed())
        })?;
        Ok(elementwise::kernel(maximum, 0.2))
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::cpu(ops::MINIMUM, |init| {
        let minimum = function!(init.attrs.dtype("T")?, Real, |T| {
            zip(|x: T, y: T| x.lesser(y).flushed())
        })?;
        Ok(elementwise::kernel(minimum, 0.2))
    })
    .of(&[("T", DTypeSet::REAL)]),
];
