//! `All` and `Any`: whether every element along axes is true, or one at least.

use tfe_core::DTypeSet;
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::accumulate::{And, Folded, Or};
use tfe_host::{reduce, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("Tidx", DTypeSet::INDEX)],
        host_inputs: &["reduction_indices"],
        ..KernelDef::host(ops::ALL, rules::reduction, |init| {
            reduce::kernel(init, Folded::<bool, _>::by(And))
        })
    },
    KernelDef {
        types: &[("Tidx", DTypeSet::INDEX)],
        host_inputs: &["reduction_indices"],
        ..KernelDef::host(ops::ANY, rules::reduction, |init| {
            reduce::kernel(init, Folded::<bool, _>::by(Or))
        })
    },
];
