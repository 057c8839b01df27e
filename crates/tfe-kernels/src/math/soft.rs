//! Activations that bend softly: exponential linear units, softplus, softsign.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementary;
use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::rules;

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];

/// The scale of Selu, and its product with Selu's alpha: those with which mean 0 and variance 1 stay (G. Klambauer and
/// others, "Self-Normalizing Neural Networks", 2017).
pub(super) const SCALE: f64 = 1.050_700_987_355_480_5;
pub(super) const SCALED_ALPHA: f64 = 1.758_099_340_847_376_8;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::ELU, rules::like::<0>, |init| {
        let functions = [
            map(|x: f32| if x < 0.0 { elementary::exp_m1(x) } else { x }),
            map(|x: f64| if x < 0.0 { x.exp_m1() } else { x }),
        ];
        chosen(init, functions, 1.5)
    })
    .of(TYPES),
    KernelDef::host(ops::SELU, rules::like::<0>, |init| {
        let (scale, alpha) = (SCALE as f32, SCALED_ALPHA as f32);
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
                    SCALED_ALPHA * x.exp_m1()
                } else {
                    SCALE * x
                }
            }),
        ];
        chosen(init, functions, 1.5)
    })
    .of(TYPES),
    KernelDef::host(ops::SOFTPLUS, rules::like::<0>, |init| {
        let functions = [
            map(elementary::softplus),
            map(|x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p()),
        ];
        chosen(init, functions, 3.0)
    })
    .of(TYPES),
    KernelDef::host(ops::SOFTSIGN, rules::like::<0>, |init| {
        let functions = [
            map(|x: f32| x / (1.0 + x.abs())),
            map(|x: f64| x / (1.0 + x.abs())),
        ];
        chosen(init, functions, 0.5)
    })
    .of(TYPES),
];
