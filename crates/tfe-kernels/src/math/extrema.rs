//! The greater and the lesser of the elements of two broadcast tensors; NaN where either is.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::function::zip;
use tfe_host::number::Real;
use tfe_host::{cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::MAXIMUM, rules::broadcast, |init| {
        let maximum = function!(init.attrs.dtype("T")?, Real, |T| zip(|a: T, b: T| a
            .nan_max(b)
            .flushed()))?;
        Ok(elementwise::kernel(maximum, cost::ARITHMETIC))
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::host(ops::MINIMUM, rules::broadcast, |init| {
        let minimum = function!(init.attrs.dtype("T")?, Real, |T| zip(|a: T, b: T| a
            .nan_min(b)
            .flushed()))?;
        Ok(elementwise::kernel(minimum, cost::ARITHMETIC))
    })
    .of(&[("T", DTypeSet::REAL)]),
];
