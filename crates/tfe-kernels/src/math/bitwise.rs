//! Operations on the bits of integers.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::function::{map, zip};
use tfe_host::{cost, elementwise, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::INT)];

/// A function of the bits of elements, whatever they stand for: one for each width.
macro_rules! of_bits {
    ($init:expr, |$T:ident| $body:expr) => {{
        let dtype = $init.attrs.dtype("T")?;
        let function = match dtype.size() {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            _ => {
                type $T = u64;
                $body
            }
        };
        Ok(elementwise::kernel(
            function.giving(dtype),
            cost::ARITHMETIC,
        ))
    }};
}

/// How far to shift by `given`: no further than bits there are, and not backwards.
macro_rules! places {
    ($T:ty, $given:expr) => {
        $given.clamp(0, (8 * size_of::<$T>() - 1) as $T)
    };
}

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::BITWISE_AND, rules::broadcast, |init| {
        of_bits!(init, |T| zip(|a: T, b: T| a & b))
    })
    .of(TYPES),
    KernelDef::host(ops::BITWISE_OR, rules::broadcast, |init| {
        of_bits!(init, |T| zip(|a: T, b: T| a | b))
    })
    .of(TYPES),
    KernelDef::host(ops::BITWISE_XOR, rules::broadcast, |init| {
        of_bits!(init, |T| zip(|a: T, b: T| a ^ b))
    })
    .of(TYPES),
    KernelDef::host(ops::INVERT, rules::like::<0>, |init| {
        of_bits!(init, |T| map(|a: T| !a))
    })
    .of(TYPES),
    KernelDef::host(ops::LEFT_SHIFT, rules::broadcast, |init| {
        let shift = function!(init.attrs.dtype("T")?, Int, |T| zip(
            |a: T, b: T| a << places!(T, b)
        ))?;
        Ok(elementwise::kernel(shift, cost::ARITHMETIC))
    })
    .of(TYPES),
    KernelDef::host(ops::RIGHT_SHIFT, rules::broadcast, |init| {
        let shift = function!(init.attrs.dtype("T")?, Int, |T| zip(
            |a: T, b: T| a >> places!(T, b)
        ))?;
        Ok(elementwise::kernel(shift, cost::ARITHMETIC))
    })
    .of(TYPES),
    KernelDef::host(ops::POPULATION_COUNT, rules::like::<0>, |init| {
        let count = function!(init.attrs.dtype("T")?, Int, |T| map(
            |a: T| a.count_ones() as u8
        ))?;
        Ok(elementwise::kernel(count, cost::DIVISION))
    })
    .of(TYPES),
];
