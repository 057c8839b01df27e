//! Sigmoid: `1 / (1 + e^-x)` of each element.

use tfe_core::Result;
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::number::FIELD;
use tfe_host::{complex, cost, elementary, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", FIELD)],
    ..KernelDef::host(ops::SIGMOID, rules::like::<0>, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let functions = [
        map(elementary::sigmoid),
        map(|x: f64| 1.0 / (1.0 + (-x).exp())),
        map(complex::sigmoid),
    ];
    chosen(init, functions, cost::ELEMENTARY)
}
