//! Complex numbers made of their parts, and the parts of them.

use tfe_core::{Complex64, Complex128, DTypeSet, DataType, Result, ensure};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::elementwise::{chosen, kernel};
use tfe_host::function::{map, zip};
use tfe_host::{cost, rules};

/// The type of the parts goes with that of the numbers: one kernel for each.
const SINGLE: &[(&str, DTypeSet)] = &[("T", C64), ("Tout", F32)];
const DOUBLE: &[(&str, DTypeSet)] = &[("T", C128), ("Tout", F64)];
const F32: DTypeSet = DTypeSet::of(&[DataType::Float]);
const F64: DTypeSet = DTypeSet::of(&[DataType::Double]);
const C64: DTypeSet = DTypeSet::of(&[DataType::Complex64]);
const C128: DTypeSet = DTypeSet::of(&[DataType::Complex128]);

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::COMPLEX, rules::broadcast, |_| {
        Ok(kernel(zip(Complex64::new), cost::ARITHMETIC))
    })
    .of(&[("T", F32), ("Tout", C64)]),
    KernelDef::host(ops::COMPLEX, rules::broadcast, |_| {
        Ok(kernel(zip(Complex128::new), cost::ARITHMETIC))
    })
    .of(&[("T", F64), ("Tout", C128)]),
    KernelDef::host(ops::CONJ, rules::like::<0>, |init| {
        chosen(
            init,
            [map(|z: Complex64| z.conj()), map(|z: Complex128| z.conj())],
            cost::ARITHMETIC,
        )
    })
    .of(&[("T", DTypeSet::COMPLEX)]),
    KernelDef::host(ops::REAL, rules::like::<0>, |_| {
        Ok(kernel(map(|z: Complex64| z.re), cost::ARITHMETIC))
    })
    .of(SINGLE),
    KernelDef::host(ops::REAL, rules::like::<0>, |_| {
        Ok(kernel(map(|z: Complex128| z.re), cost::ARITHMETIC))
    })
    .of(DOUBLE),
    KernelDef::host(ops::IMAG, rules::like::<0>, |_| {
        Ok(kernel(map(|z: Complex64| z.im), cost::ARITHMETIC))
    })
    .of(SINGLE),
    KernelDef::host(ops::IMAG, rules::like::<0>, |_| {
        Ok(kernel(map(|z: Complex128| z.im), cost::ARITHMETIC))
    })
    .of(DOUBLE),
    KernelDef::host(ops::COMPLEX_ABS, rules::like::<0>, abs).of(&[("T", DTypeSet::COMPLEX)]),
    KernelDef::host(ops::ANGLE, rules::like::<0>, angle).of(SINGLE),
    KernelDef::host(ops::ANGLE, rules::like::<0>, angle).of(DOUBLE),
];

fn abs(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, given) = (init.attrs.dtype("T")?, init.attrs.dtype("Tout")?);
    let part = match dtype {
        DataType::Complex64 => DataType::Float,
        _ => DataType::Double,
    };
    // A kernel there is all the same: TensorFlow's is bound by `T` alone, and finds that out.
    ensure!(
        given == part,
        InvalidArgument,
        "Signature mismatch, have: {dtype}->{given} expected: {dtype}->{part}"
    );
    chosen(init, [map(|z: Complex128| z.norm())], cost::TRANSCENDENTAL)
}

fn angle(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    chosen(init, [map(|z: Complex128| z.arg())], cost::COMPLEX_FUNCTION)
}
