//! SquaredDifference: the square of the difference of two broadcast tensors; of complex numbers, of its size.

use tfe_core::{DTypeSet, DataType, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::zip;
use tfe_host::number::{FIELD, Number};
use tfe_host::{cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[(
        "T",
        FIELD.union(DTypeSet::of(&[DataType::Int32, DataType::Int64])),
    )],
    ..KernelDef::host(ops::SQUARED_DIFFERENCE, rules::broadcast, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let function = function!(
        dtype,
        [Float, Double, Int32, Int64, Complex64, Complex128],
        |T| zip(|a: T, b: T| {
            let difference = a.minus(b);
            difference.times(difference.conjugate())
        })
    )?;
    Ok(elementwise::kernel(function, cost::ARITHMETIC))
}
