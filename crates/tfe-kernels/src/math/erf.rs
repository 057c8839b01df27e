//! The error function of each element, and its complement.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::{cost, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::ERF, rules::like::<0>, |init| {
        chosen(init, [map(libm::erff), map(erf)], cost::TRANSCENDENTAL)
    })
    .of(TYPES),
    KernelDef::host(ops::ERFC, rules::like::<0>, |init| {
        chosen(
            init,
            [map(libm::erfcf), map(libm::erfc)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
];

/// As TensorFlow has it, which knows no answer where the square is infinite.
fn erf(x: f64) -> f64 {
    if (x * x).is_infinite() {
        f64::NAN
    } else {
        libm::erf(x)
    }
}
