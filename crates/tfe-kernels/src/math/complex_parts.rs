//! Complex numbers made of their parts, and the parts of them.

use tfe_core::{Complex64, Complex128, DTypeSet, DataType};
use tfe_device::KernelDef;
use tfe_ops::ops;

use crate::host::elementwise::chosen;
use crate::host::function::{map, zip};

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::COMPLEX)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::COMPLEX, |init| {
        chosen(init, [zip(Complex64::new), zip(Complex128::new)], 0.5)
    })
    .of(&[("T", DTypeSet::of(&[DataType::Float, DataType::Double]))]),
    KernelDef::cpu(ops::CONJ, |init| {
        chosen(
            init,
            [map(|z: Complex64| z.conj()), map(|z: Complex128| z.conj())],
            0.4,
        )
    })
    .of(TYPES),
    KernelDef::cpu(ops::REAL, |init| {
        chosen(
            init,
            [map(|z: Complex64| z.re), map(|z: Complex128| z.re)],
            0.3,
        )
    })
    .of(TYPES),
    KernelDef::cpu(ops::IMAG, |init| {
        chosen(
            init,
            [map(|z: Complex64| z.im), map(|z: Complex128| z.im)],
            0.3,
        )
    })
    .of(TYPES),
    KernelDef::cpu(ops::COMPLEX_ABS, |init| {
        chosen(init, [map(|z: Complex128| z.norm())], 3.0)
    })
    .of(TYPES),
    KernelDef::cpu(ops::ANGLE, |init| {
        chosen(init, [map(|z: Complex128| z.arg())], 20.0)
    })
    .of(TYPES),
];
