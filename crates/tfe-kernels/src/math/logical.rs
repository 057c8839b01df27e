//! Truth values of two broadcast tensors, or of one, combined element by element.

use tfe_core::DataType;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::function::{map, zip};
use tfe_host::{cost, elementwise, rules};

// A truth value is a byte of 0 or 1.
pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::LOGICAL_AND, rules::broadcast, |_| {
        Ok(elementwise::kernel(
            zip(|a: u8, b: u8| a & b).giving(DataType::Bool),
            cost::ARITHMETIC,
        ))
    }),
    KernelDef::host(ops::LOGICAL_OR, rules::broadcast, |_| {
        Ok(elementwise::kernel(
            zip(|a: u8, b: u8| a | b).giving(DataType::Bool),
            cost::ARITHMETIC,
        ))
    }),
    KernelDef::host(ops::LOGICAL_NOT, rules::broadcast, |_| {
        Ok(elementwise::kernel(
            map(|a: u8| a ^ 1).giving(DataType::Bool),
            cost::ARITHMETIC,
        ))
    }),
];
