//! Sigmoid: `1 / (1 + e^-x)` of each element.

use tfe_core::Result;
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use crate::host::elementwise::chosen;
use crate::host::function::map;
use crate::host::number::FIELD;
use crate::host::{complex, elementary};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", FIELD)],
    ..KernelDef::cpu(ops::SIGMOID, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let functions = [
        map(elementary::sigmoid),
        map(|x: f64| 1.0 / (1.0 + (-x).exp())),
        map(complex::sigmoid),
    ];
    chosen(init, functions, 1.5)
}
