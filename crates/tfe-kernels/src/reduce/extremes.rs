//! `Max` and `Min`: the largest and the smallest element along axes; NaN where there is one.

use tfe_core::{DTypeSet, dispatch};
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Larger, Smaller};
use tfe_host::{reduce, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: TYPES,
        host_inputs: &["reduction_indices"],
        ..KernelDef::host(ops::MAX, rules::reduction, |init| {
            dispatch!(init.attrs.dtype("T")?, Real, |T| reduce::kernel(
                init,
                Folded::<T, _>::by(Larger)
            ))
        })
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["reduction_indices"],
        ..KernelDef::host(ops::MIN, rules::reduction, |init| {
            dispatch!(init.attrs.dtype("T")?, Real, |T| reduce::kernel(
                init,
                Folded::<T, _>::by(Smaller)
            ))
        })
    },
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL), ("Tidx", DTypeSet::INDEX)];
