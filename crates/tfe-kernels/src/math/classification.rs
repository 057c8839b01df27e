//! What kind of floats elements are: finite, infinite, or no numbers.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementwise::chosen;
use tfe_host::function::test;

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::IS_NAN, |init| {
        chosen(init, [test(f32::is_nan), test(f64::is_nan)], 0.2)
    })
    .of(TYPES),
    KernelDef::cpu(ops::IS_INF, |init| {
        chosen(init, [test(f32::is_infinite), test(f64::is_infinite)], 0.2)
    })
    .of(TYPES),
    KernelDef::cpu(ops::IS_FINITE, |init| {
        chosen(init, [test(f32::is_finite), test(f64::is_finite)], 0.2)
    })
    .of(TYPES),
];
