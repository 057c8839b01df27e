//! Ops that pass their inputs on, sharing the memory: `Identity` and those that only mean something to gradients.

use tfe_core::{DTypeSet, DataType, Result};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::IDENTITY, rule, build),
    KernelDef::host(ops::IDENTITY_N, rule, build),
    KernelDef::host(ops::PREVENT_GRADIENT, rule, build),
    KernelDef {
        types: &[("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool])))],
        ..KernelDef::host(ops::SNAPSHOT, rule, build)
    },
    KernelDef::host(ops::STOP_GRADIENT, rule, build),
];

/// Each output is like the input of its place.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        (0..call.num_outputs()).for_each(|i| call.set_like(i, i));
        Ok(())
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        for i in 0..ctx.num_inputs() {
            let input = ctx.take_input(i);
            ctx.set_output(i, input);
        }
        Ok(())
    }))
}
