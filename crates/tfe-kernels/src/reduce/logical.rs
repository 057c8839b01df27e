//! `All` and `Any`: whether every element along axes is true, or one at least.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::accumulate::{And, Folded, Or};
use tfe_host::reduce;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("Tidx", DTypeSet::INDEX)],
        host_inputs: &["reduction_indices"],
        ..KernelDef::cpu(ops::ALL, build_all)
    },
    KernelDef {
        types: &[("Tidx", DTypeSet::INDEX)],
        host_inputs: &["reduction_indices"],
        ..KernelDef::cpu(ops::ANY, build_any)
    },
];

fn build_all(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let keep_dims = init.attrs.bool("keep_dims")?;
    Ok(reduce::kernel(Folded::<bool, _>::by(And), keep_dims))
}

fn build_any(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let keep_dims = init.attrs.bool("keep_dims")?;
    Ok(reduce::kernel(Folded::<bool, _>::by(Or), keep_dims))
}
