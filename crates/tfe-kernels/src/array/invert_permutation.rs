//! `InvertPermutation`: where each number of a permutation stands.

use tfe_core::{DTypeSet, Result, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::{axes, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::INDEX)],
    host_inputs: &["x"],
    host_outputs: &["y"],
    ..KernelDef::cpu(ops::INVERT_PERMUTATION, build)
}];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        ensure!(
            input.rank() == 1,
            InvalidArgument,
            "invert_permutation expects a 1D vector."
        );
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
