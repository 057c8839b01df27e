//! Rectifiers: what is negative becomes zero, or a part of itself.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::elementary::leaky_alpha;
use tfe_host::elementwise::{self, chosen};
use tfe_host::function::map;
use tfe_host::number::{Number, Real};
use tfe_host::{cost, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::RELU, rules::like::<0>, |init| {
        let relu = function!(init.attrs.dtype("T")?, Real, |T| map(
            |x: T| x.nan_max(T::default())
        ))?;
        Ok(elementwise::kernel(relu, cost::ARITHMETIC))
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::host(ops::RELU6, rules::like::<0>, |init| {
        let relu = function!(init.attrs.dtype("T")?, Real, |T| {
            let six = T::from_u8(6);
            map(move |x: T| x.nan_max(T::default()).nan_min(six))
        })?;
        Ok(elementwise::kernel(relu, cost::ARITHMETIC))
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::host(ops::LEAKY_RELU, rules::like::<0>, leaky).of(&[("T", DTypeSet::FLOAT)]),
];

fn leaky(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alpha = leaky_alpha(init)?;
    let functions = [
        map(move |x: f32| if x > 0.0 { x } else { alpha * x }),
        map(move |x: f64| if x > 0.0 { x } else { f64::from(alpha) * x }),
    ];
    chosen(init, functions, cost::ARITHMETIC)
}
