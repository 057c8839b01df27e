//! Division of broadcast tensors: quotients and what is left of them, rounded one way or another.

use tfe_core::{DTypeSet, DataType, Result, Tensor, bf16, dispatch_width, ensure, f16};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::elementwise::{self, Check, Elementwise};
use tfe_host::function::{Function, zip};
use tfe_host::number::{FIELD, Half, Real};
use tfe_host::{complex, cost, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::DIV, rules::broadcast, |init| {
        let dtype = init.attrs.dtype("T")?;
        if FIELD.contains(dtype) {
            return quotient(init);
        }
        divided(dtype, function!(dtype, Int, |T| zip(T::div))?, refuse_zeros)
    })
    .of(&[("T", DTypeSet::NUMBER)]),
    KernelDef::host(ops::REAL_DIV, rules::broadcast, quotient).of(&[("T", FIELD)]),
    KernelDef::host(ops::DIV_NO_NAN, rules::broadcast, |init| {
        let functions = [
            zip(|a: f32, b: f32| if b == 0.0 { 0.0 } else { a / b }),
            zip(|a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b }),
            zip(complex::over_or_zero),
        ];
        elementwise::chosen(init, functions, cost::DIVISION)
    })
    .of(&[("T", FIELD)]),
    KernelDef::host(ops::TRUNCATE_DIV, rules::broadcast, |init| {
        let dtype = init.attrs.dtype("T")?;
        let function = match dtype {
            DataType::Half => half_quotient::<f16>(f32::trunc),
            DataType::Bfloat16 => half_quotient::<bf16>(f32::trunc),
            _ => function!(dtype, Real, |T| zip(T::trunc_div))?,
        };
        divided(dtype, function, refuse_zeros_internally)
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::host(ops::FLOOR_DIV, rules::broadcast, |init| {
        let dtype = init.attrs.dtype("T")?;
        let function = match dtype {
            DataType::Half => half_quotient::<f16>(f32::floor),
            DataType::Bfloat16 => half_quotient::<bf16>(f32::floor),
            _ => function!(dtype, Real, |T| zip(T::floor_div))?,
        };
        divided(dtype, function, refuse_zeros)
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::host(ops::FLOOR_MOD, rules::broadcast, |init| {
        let dtype = init.attrs.dtype("T")?;
        let function = function!(dtype, Real, |T| zip(T::floor_rem))?;
        divided(dtype, function, refuse_zeros)
    })
    .of(&[("T", DTypeSet::REAL)]),
    KernelDef::host(ops::MOD, rules::broadcast, |init| rest(init, refuse_zeros)).of(&[("T", WIDE)]),
    KernelDef::host(ops::TRUNCATE_MOD, rules::broadcast, |init| {
        rest(init, refuse_zeros_internally)
    })
    .of(&[("T", WIDE)]),
];

const WIDE: DTypeSet = DTypeSet::of(&[
    DataType::Float,
    DataType::Double,
    DataType::Int32,
    DataType::Int64,
]);

fn quotient(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let functions = [
        zip(|a: f32, b: f32| a / b),
        zip(|a: f64, b: f64| a / b),
        zip(complex::div),
    ];
    elementwise::chosen(init, functions, cost::DIVISION)
}

fn rest(init: &KernelInit<'_>, check: Check) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let function = function!(dtype, [Float, Double, Int32, Int64], |T| zip(T::trunc_rem))?;
    divided(dtype, function, check)
}

/// A quotient of half-precision floats, which is rounded to one before it is to a whole number: as TensorFlow's, and as
/// quotients of other floats are, 3 by 0.3 is 10.
fn half_quotient<H: Half>(whole: fn(f32) -> f32) -> Function<2> {
    zip(move |a: f32, b: f32| whole(H::of_f32(a / b).to_f32())).on(H::DTYPE)
}

/// The kernel: integers go through the check of the divisor first.
fn divided(dtype: DataType, function: Function<2>, check: Check) -> Result<Box<dyn Kernel>> {
    let kernel = Elementwise::new(function, cost::INTEGER_DIVISION);
    Ok(Box::new(if DTypeSet::INT.contains(dtype) {
        kernel.checked(check)
    } else {
        kernel
    }))
}

fn refuse_zeros(divisor: &Tensor) -> Result<()> {
    ensure!(
        !has_zeros(divisor)?,
        InvalidArgument,
        "Integer division by zero"
    );
    Ok(())
}

/// As TensorFlow, which takes this for an error of its own.
fn refuse_zeros_internally(divisor: &Tensor) -> Result<()> {
    ensure!(
        !has_zeros(divisor)?,
        Internal,
        "Unexpected error in binary operator (only integer div and mod should have errors)"
    );
    Ok(())
}

fn has_zeros(divisor: &Tensor) -> Result<bool> {
    dispatch_width!(divisor.dtype().size(), |W| Ok(divisor
        .as_words::<W>()?
        .contains(&0)))
}
