//! What kind of floats elements are: finite, infinite, or no numbers.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementwise::chosen;
use tfe_host::function::test;
use tfe_host::{cost, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::IS_NAN, rules::like::<0>, |init| {
        chosen(
            init,
            [test(f32::is_nan), test(f64::is_nan)],
            cost::ARITHMETIC,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::IS_INF, rules::like::<0>, |init| {
        chosen(
            init,
            [test(f32::is_infinite), test(f64::is_infinite)],
            cost::ARITHMETIC,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::IS_FINITE, rules::like::<0>, |init| {
        chosen(
            init,
            [test(f32::is_finite), test(f64::is_finite)],
            cost::ARITHMETIC,
        )
    })
    .of(TYPES),
];
