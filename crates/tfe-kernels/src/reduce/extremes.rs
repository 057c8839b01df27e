//! `Max` and `Min`: the largest and the smallest element along axes; NaN where there is one.

use tfe_core::{DTypeSet, Result, dispatch};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Larger, Smaller};
use tfe_host::reduce;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: TYPES,
        host_inputs: &["reduction_indices"],
        ..KernelDef::cpu(ops::MAX, build_max)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["reduction_indices"],
        ..KernelDef::cpu(ops::MIN, build_min)
    },
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL), ("Tidx", DTypeSet::INDEX)];

fn build_max(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let keep_dims = init.attrs.bool("keep_dims")?;
    dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(reduce::kernel(
        Folded::<T, _>::by(Larger),
        keep_dims
    )))
}

fn build_min(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let keep_dims = init.attrs.bool("keep_dims")?;
    dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(reduce::kernel(
        Folded::<T, _>::by(Smaller),
        keep_dims
    )))
}
