//! Exponentials and logarithms of each element.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementary::flushed;
use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::number::FIELD;
use tfe_host::{complex, cost, elementary, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", FIELD)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::EXP, rules::like::<0>, |init| {
        chosen(
            init,
            [map(elementary::exp), map(f64::exp), map(complex::exp)],
            cost::ELEMENTARY,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::EXPM1, rules::like::<0>, |init| {
        let functions = [
            map(elementary::exp_m1),
            map(flushed(f64::exp_m1)),
            map(complex::exp_m1),
        ];
        chosen(init, functions, cost::ELEMENTARY)
    })
    .of(TYPES),
    KernelDef::host(ops::LOG, rules::like::<0>, |init| {
        chosen(
            init,
            [map(elementary::ln), map(flushed(f64::ln)), map(complex::ln)],
            cost::ELEMENTARY,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::LOG1P, rules::like::<0>, |init| {
        let functions = [
            map(elementary::ln_1p),
            map(flushed(f64::ln_1p)),
            map(complex::ln_1p),
        ];
        chosen(init, functions, cost::ELEMENTARY)
    })
    .of(TYPES),
];
