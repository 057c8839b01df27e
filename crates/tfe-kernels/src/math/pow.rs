//! Pow: each element of a tensor to the power of that of another; integers wrap.

use tfe_core::{DTypeSet, Result, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::elementwise::{self, Elementwise};
use tfe_host::function::zip;
use tfe_host::number::{FIELD, Real, SIGNED, Signed};
use tfe_host::{complex, cost, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", SIGNED.union(DTypeSet::COMPLEX))],
    ..KernelDef::host(ops::POW, rules::broadcast, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    if FIELD.contains(dtype) {
        // The C library sees denormal numbers even where they count as zero.
        let functions = [
            zip(|x: f32, y: f32| x.flushed().powf(y.flushed())),
            zip(|x: f64, y: f64| x.flushed().powf(y.flushed())),
            zip(complex::pow),
        ];
        return elementwise::chosen(init, functions, cost::COMPLEX_FUNCTION);
    }
    let function = function!(dtype, [Int8, Int16, Int32, Int64], |T| zip(power::<T>))?;
    Ok(Box::new(
        Elementwise::new(function, cost::COMPLEX_FUNCTION).checked(refuse_negative),
    ))
}

/// By squaring; a negative exponent counts as 0.
fn power<T: Signed + Into<i64>>(base: T, exponent: T) -> T {
    let (mut square, mut rest): (T, i64) = (base, exponent.into().max(0));
    let mut product = T::from_u8(1);
    while rest > 0 {
        if rest & 1 == 1 {
            product = product.times(square);
        }
        square = square.times(square);
        rest >>= 1;
    }
    product
}

fn refuse_negative(exponents: &Tensor) -> Result<()> {
    let negative = dispatch!(exponents.dtype(), [Int8, Int16, Int32, Int64], |T| Ok(
        exponents.as_slice::<T>()?.iter().any(|&e| e < 0)
    ))?;
    ensure!(
        !negative,
        InvalidArgument,
        "Integers to negative integer powers are not allowed"
    );
    Ok(())
}
