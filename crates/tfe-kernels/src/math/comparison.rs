//! Comparison of the elements of two broadcast tensors: which one is less.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::compare;
use tfe_host::{cost, elementwise, rules};

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::LESS, rules::broadcast, |init| less(init, false)).of(TYPES),
    KernelDef::host(ops::LESS_EQUAL, rules::broadcast, |init| {
        less_equal(init, false)
    })
    .of(TYPES),
    KernelDef::host(ops::GREATER, rules::broadcast, |init| less(init, true)).of(TYPES),
    KernelDef::host(ops::GREATER_EQUAL, rules::broadcast, |init| {
        less_equal(init, true)
    })
    .of(TYPES),
];

/// Whether the first is less than the second, or the other way round.
fn less(init: &KernelInit<'_>, swapped: bool) -> Result<Box<dyn Kernel>> {
    let less = function!(
        init.attrs.dtype("T")?,
        Real,
        |T| compare(|a: T, b: T| a < b)
    )?;
    Ok(elementwise::kernel(
        if swapped { less.swapped() } else { less },
        cost::ARITHMETIC,
    ))
}

fn less_equal(init: &KernelInit<'_>, swapped: bool) -> Result<Box<dyn Kernel>> {
    let less = function!(init.attrs.dtype("T")?, Real, |T| compare(
        |a: T, b: T| a <= b
    ))?;
    Ok(elementwise::kernel(
        if swapped { less.swapped() } else { less },
        cost::ARITHMETIC,
    ))
}
