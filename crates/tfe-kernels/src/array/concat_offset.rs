//! `ConcatOffset`: where each of several shapes begins when they are joined along a dimension.

use tfe_core::{DTypeSet, Result, Shape, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("shape_type", DTypeSet::INDEX)],
    host_inputs: &["concat_dim", "shape"],
    host_outputs: &["offset"],
    ..KernelDef::cpu(ops::CONCAT_OFFSET, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("shape_type")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let axis = ctx.input(0);
        ensure!(
            axis.rank() == 0,
            InvalidArgument,
            "Concat dim tensor should be a scalar integer, but got shape {}",
            axis.shape()
        );
        let given = axes::integers(axis)?[0];
        let first = axes::integers(ctx.input(1))?;
        let rank = first.len();
        let axis = axes::normalize(given, rank).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Concat dim is out of range: {given} vs. {rank}"
            )
        })?;
        let mut offset = vec![0i64; rank];
        for i in 0..ctx.num_inputs() - 1 {
            let shape = ctx.input(i + 1);
            ensure!(
                shape.rank() == 1,
                InvalidArgument,
                "input {i} should be a vector, but got shape {}",
                shape.shape()
            );
            let sizes = axes::integers(shape)?;
            ensure!(
                sizes.len() == rank,
                InvalidArgument,
                "input {i} should contain {rank} elements, but got {}",
                sizes.len()
            );
            let same = sizes.iter().zip(&first).enumerate();
            let same = same.into_iter().all(|(d, (a, b))| d == axis || a == b);
            let text = |sizes: &[i64]| {
                let sizes: Vec<_> = sizes.iter().map(i64::to_string).collect();
                sizes.join(" ")
            };
            ensure!(
                same,
                InvalidArgument,
                "All dimensions except {axis} must match. Input {i} has shape [{}] and doesn't match input 0 with shape [{}].",
                text(&sizes),
                text(&first)
            );
            let out = axes::tensor(ctx, dtype, Shape::vector(rank), &offset)?;
            ctx.set_output(i, out);
            offset[axis] = offset[axis].saturating_add(sizes[axis]);
        }
        Ok(())
    }))
}
