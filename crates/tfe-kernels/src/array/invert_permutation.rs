//! `InvertPermutation`: where each number of a permutation stands.

use tfe_core::{DTypeSet, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::{axes, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::INDEX)],
    host_inputs: &["x"],
    host_outputs: &["y"],
    ..KernelDef::host(ops::INVERT_PERMUTATION, rule, build)
}];

fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        call.of_rank(0, 1, || {
            err!(InvalidArgument, "invert_permutation expects a 1D vector.")
        })?;
        call.set_like(0, 0);
        Ok(())
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let given = axes::integers(input)?;
        let n = given.len() as i64;
        let mut inverse = scratch_of(-1, given.len())?;
        for (i, &place) in given.iter().enumerate() {
            ensure!(
                (0..n).contains(&place),
                InvalidArgument,
                "{place} is not between 0 and {n}"
            );
            let slot = &mut inverse[place as usize];
            ensure!(
                *slot == -1,
                InvalidArgument,
                "{place} is duplicated in the input."
            );
            *slot = i as i64;
        }
        let out = axes::tensor(ctx, input.dtype(), input.shape().clone(), &inverse)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
