//! Products and quotients of two broadcast tensors that are zero where one of them is, whatever the other.

use tfe_core::{Complex128, DTypeSet};
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementary::flushed;
use tfe_host::elementwise::{self, chosen};
use tfe_host::function::zip;
use tfe_host::number::{FIELD, Number};
use tfe_host::{complex, cost, elementary, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", FIELD)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::MUL_NO_NAN, rules::broadcast, |init| {
        let dtype = init.attrs.dtype("T")?;
        let product = function!(dtype, [Float, Double, Complex64, Complex128], |T| zip(
            |x: T, y: T| if y == T::default() {
                T::default()
            } else {
                x.times(y)
            }
        ))?;
        Ok(elementwise::kernel(product, cost::ARITHMETIC))
    })
    .of(TYPES),
    KernelDef::host(ops::XDIVY, rules::broadcast, |init| {
        let functions = [
            zip(|x: f32, y: f32| if x == 0.0 { 0.0 } else { x / y }),
            zip(|x: f64, y: f64| if x == 0.0 { 0.0 } else { x / y }),
            zip(|x, y| {
                if x == complex::ZERO {
                    complex::ZERO
                } else {
                    complex::div(x, y)
                }
            }),
        ];
        chosen(init, functions, cost::DIVISION)
    })
    .of(TYPES),
    KernelDef::host(ops::XLOGY, rules::broadcast, |init| {
        let functions = [
            zip(|x: f32, y: f32| if x == 0.0 { 0.0 } else { x * elementary::ln(y) }),
            zip(|x: f64, y: f64| {
                if x == 0.0 {
                    0.0
                } else {
                    x * flushed(f64::ln)(y)
                }
            }),
            zip(|x: Complex128, y| {
                if x == complex::ZERO {
                    complex::ZERO
                } else {
                    x * complex::ln(y)
                }
            }),
        ];
        chosen(init, functions, cost::ELEMENTARY)
    })
    .of(TYPES),
    KernelDef::host(ops::XLOG1PY, rules::broadcast, |init| {
        let functions = [
            zip(|x: f32, y: f32| {
                if x == 0.0 {
                    0.0
                } else {
                    x * elementary::ln_1p(y)
                }
            }),
            zip(|x: f64, y: f64| if x == 0.0 { 0.0 } else { x * y.ln_1p() }),
            zip(|x: Complex128, y| {
                if x == complex::ZERO {
                    complex::ZERO
                } else {
                    x * complex::ln_1p(y)
                }
            }),
        ];
        chosen(init, functions, cost::ELEMENTARY)
    })
    .of(TYPES),
];
