//! Trigonometric functions of each element, and their inverses.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementary::flushed;
use tfe_host::elementwise::chosen;
use tfe_host::function::{map, map_within, zip};
use tfe_host::number::FIELD;
use tfe_host::{complex, cost, elementary, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", FIELD)];

// Where there is no function for `f32` it is computed in `f64`.
pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::SIN, rules::like::<0>, |init| {
        let far = |x: f32| f64::from(x).sin() as f32;
        let near = map_within(elementary::reaches, elementary::sin, far);
        chosen(
            init,
            [near, map(flushed(f64::sin)), map(complex::sin)],
            cost::ELEMENTARY,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::COS, rules::like::<0>, |init| {
        let far = |x: f32| f64::from(x).cos() as f32;
        let near = map_within(elementary::reaches, elementary::cos, far);
        chosen(
            init,
            [near, map(f64::cos), map(complex::cos)],
            cost::ELEMENTARY,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::TAN, rules::like::<0>, |init| {
        chosen(
            init,
            [map(flushed(f64::tan)), map(complex::tan)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::ASIN, rules::like::<0>, |init| {
        chosen(
            init,
            [map(flushed(f64::asin)), map(complex::asin)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::ACOS, rules::like::<0>, |init| {
        chosen(
            init,
            [map(f64::acos), map(complex::acos)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::ATAN, rules::like::<0>, |init| {
        chosen(
            init,
            [map(flushed(f64::atan)), map(complex::atan)],
            cost::TRANSCENDENTAL,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::ATAN2, rules::broadcast, |init| {
        chosen(init, [zip(atan2), zip(f64::atan2)], cost::TRANSCENDENTAL)
    })
    .of(&[("T", DTypeSet::FLOAT)]),
];

/// The angle of a point. One on the vertical axis so near that it counts as zero is seen on the diagonal, as by TensorFlow.
fn atan2(y: f32, x: f32) -> f32 {
    if x == 0.0 && y.is_subnormal() {
        return 1.0f32.copysign(y).atan2(1.0f32.copysign(x));
    }
    y.atan2(x)
}
