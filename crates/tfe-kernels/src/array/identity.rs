//! Ops that pass their inputs on, sharing the memory: `Identity` and those that only mean something to gradients.

use tfe_core::{DTypeSet, DataType, Result};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::IDENTITY, build),
    KernelDef::cpu(ops::IDENTITY_N, build),
    KernelDef::cpu(ops::PREVENT_GRADIENT, build),
    KernelDef {
        types: &[("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool])))],
        ..KernelDef::cpu(ops::SNAPSHOT, build)
    },
    KernelDef::cpu(ops::STOP_GRADIENT, build),
];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        for i in 0..ctx.num_inputs() {
            let input = ctx.take_input(i);
            ctx.set_output(i, input);
        }
        Ok(())
    }))
}
