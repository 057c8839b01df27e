//! Hyperbolic functions of each element, and their inverses.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementary::flushed;
use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::number::FIELD;
use tfe_host::{complex, cost, elementary, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", FIELD)];

// Where there is no function for `f32` it is computed in `f64`.
pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::TANH, rules::like::<0>, |init| {
        chosen(
            init,
            [
                map(elementary::tanh),
                map(flushed(f64::tanh)),
                map(complex::tanh),
            ],
            cost::ELEMENTARY,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::SINH, rules::like::<0>, |init| {
        chosen(
            init,
            [map(flushed(f64::sinh)), map(complex::sinh)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::COSH, rules::like::<0>, |init| {
        chosen(
            init,
            [map(f64::cosh), map(complex::cosh)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::ASINH, rules::like::<0>, |init| {
        chosen(
            init,
            [map(flushed(libm::asinh)), map(complex::asinh)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::ACOSH, rules::like::<0>, |init| {
        chosen(
            init,
            [map(acosh), map(complex::acosh)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::ATANH, rules::like::<0>, |init| {
        chosen(
            init,
            [map(flushed(libm::atanh)), map(complex::atanh)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
];

/// With an answer for numbers below 1, which `libm` looks for among the large ones only.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}
