//! Operations on the bits of integers.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementwise;
use tfe_host::function::{map, zip};

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
        Ok(elementwise::kernel(function.giving(dtype), 0.2))
    }};
}

/// How far to shift by `given`: no further than bits there are, and not backwards.
macro_rules! places {
    ($T:ty, $given:expr) => {
        $given.clamp(0, (8 * size_of::<$T>() - 1) as $T)
    };
}

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::BITWISE_AND, |init| {
        of_bits!(init, |T| zip(|a: T, b: T| a & b))
    })
    .of(TYPES),
    KernelDef::cpu(ops::BITWISE_OR, |init| {
        of_bits!(init, |T| zip(|a: T, b: T| a | b))
    })
    .of(TYPES),
    KernelDef::cpu(ops::BITWISE_XOR, |init| {
        of_bits!(init, |T| zip(|a: T, b: T| a ^ b))
    })
    .of(TYPES),
    KernelDef::cpu(ops::INVERT, |init| of_bits!(init, |T| map(|a: T| !a))).of(TYPES),
    KernelDef::cpu(ops::LEFT_SHIFT, |init| {
        let shift = function!(init.attrs.dtype("T")?, Int, |T| zip(
            |a: T, b: T| a << places!(T, b)
        ))?;
        Ok(elementwise::kernel(shift, 0.3))
    })
    .of(TYPES),
    KernelDef::cpu(ops::RIGHT_SHIFT, |init| {
        let shift = function!(init.attrs.dtype("T")?, Int, |T| zip(
            |a: T, b: T| a >> places!(T, b)
        ))?;
        Ok(elementwise::kernel(shift, 0.3))
    })
    .of(TYPES),
    KernelDef::cpu(ops::POPULATION_COUNT, |init| {
        let count = function!(init.attrs.dtype("T")?, Int, |T| map(
            |a: T| a.count_ones() as u8
        ))?;
        Ok(elementwise::kernel(count, 0.5))
    })
    .of(TYPES),
];
