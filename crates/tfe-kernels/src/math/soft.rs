//! Activations that bend softly: exponential linear units, softplus, softsign.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementary::{self, SELU_SCALE, SELU_SCALED_ALPHA};
use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::{cost, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::ELU, rules::like::<0>, |init| {
        let functions = [
            map(|x: f32| if x < 0.0 { elementary::exp_m1(x) } else { x }),
            map(|x: f64| if x < 0.0 { x.exp_m1() } else { x }),
        ];
        chosen(init, functions, cost::ELEMENTARY)
    })
    .of(TYPES),
    KernelDef::host(ops::SELU, rules::like::<0>, |init| {
        let (scale, alpha) = (SELU_SCALE as f32, SELU_SCALED_ALPHA as f32);
        let functions = [
            map(move |x: f32| {
                if x < 0.0 {
                    alpha * elementary::exp_m1(x)
                } else {
                    scale * x
                }
            }),
            map(|x: f64| {
                if x < 0.0 {
                    SELU_SCALED_ALPHA * x.exp_m1()
                } else {
                    SELU_SCALE * x
                }
            }),
        ];
        chosen(init, functions, cost::ELEMENTARY)
    })
    .of(TYPES),
    KernelDef::host(ops::SOFTPLUS, rules::like::<0>, |init| {
        let functions = [
            map(elementary::softplus),
            map(|x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p()),
        ];
        chosen(init, functions, cost::ELEMENTARY)
    })
    .of(TYPES),
    KernelDef::host(ops::SOFTSIGN, rules::like::<0>, |init| {
        let functions = [
            map(|x: f32| x / (1.0 + x.abs())),
            map(|x: f64| x / (1.0 + x.abs())),
        ];
        chosen(init, functions, cost::DIVISION)
    })
    .of(TYPES),
];
