//! Square roots of each element, and what is one over something.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::number::FIELD;
use tfe_host::{complex, cost, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", FIELD)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::SQRT, rules::like::<0>, |init| {
        chosen(
            init,
            [map(f32::sqrt), map(f64::sqrt), map(complex::sqrt)],
            cost::DIVISION,
        )
    })
    .of(TYPES),
    KernelDef::host(ops::RSQRT, rules::like::<0>, |init| {
        let functions = [
            map(|x: f32| 1.0 / x.sqrt()),
            map(|x: f64| 1.0 / x.sqrt()),
            map(complex::rsqrt),
        ];
        chosen(init, functions, cost::DIVISION)
    })
    .of(TYPES),
    KernelDef::host(ops::RECIPROCAL, rules::like::<0>, reciprocal).of(TYPES),
    KernelDef::host(ops::INV, rules::like::<0>, reciprocal).of(TYPES),
];

fn reciprocal(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let functions = [
        map(|x: f32| 1.0 / x),
        map(|x: f64| 1.0 / x),
        map(complex::reciprocal),
    ];
    chosen(init, functions, cost::DIVISION)
}
