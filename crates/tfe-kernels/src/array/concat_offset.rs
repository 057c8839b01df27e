//! `ConcatOffset`: where each of several shapes begins when they are joined along a dimension.

use tfe_core::{DTypeSet, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::{axes, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("shape_type", DTypeSet::INDEX)],
    host_inputs: &["concat_dim", "shape"],
    host_outputs: &["offset"],
    ..KernelDef::host(ops::CONCAT_OFFSET, rule, build)
}];

/// As many offsets as sizes, for each shape.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (axis, shapes) = (op.input("concat_dim")?, op.list("shape")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(axis, 0, || {
            err!(
                InvalidArgument,
                "Concat dim tensor should be a scalar integer, but got shape {}",
                call.shown(axis)
            )
        })?;
        let rank = shapes.clone().find_map(|i| call.num_elements(i));
        if let (Some(rank), Some(given)) = (rank, call.integer(axis)?) {
            ensure!(
                axes::normalize(given, rank as usize).is_some(),
                InvalidArgument,
                "Concat dim is out of range: {given} vs. {rank}"
            );
        }
        for (i, shape) in shapes.clone().enumerate() {
            call.of_rank(shape, 1, || {
                err!(
                    InvalidArgument,
                    "input {i} should be a vector, but got shape {}",
                    call.shown(shape)
                )
            })?;
            if let (Some(rank), Some(n)) = (rank, call.num_elements(shape)) {
                ensure!(
                    n == rank,
                    InvalidArgument,
                    "input {i} should contain {rank} elements, but got {n}"
                );
            }
            call.set(i, &[rank.unwrap_or(dim::UNKNOWN)])?;
        }
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (axis, shapes) = (init.input("concat_dim")?, init.list("shape")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let first = axes::integers(ctx.input(shapes.start))?;
        let axis = axes::from_start(ctx.integer(axis)?, first.len());
        let mut offset = scratch_of(0i64, first.len())?;
        for (i, shape) in shapes.clone().enumerate() {
            let sizes = axes::integers(ctx.input(shape))?;
            let mut pairs = sizes.iter().zip(&first).enumerate();
            ensure!(
                pairs.all(|(d, (a, b))| d == axis || a == b),
                InvalidArgument,
                "All dimensions except {axis} must match. Input {i} has shape [{}] and doesn't match input 0 with shape [{}].",
                axes::listed(&sizes, " "),
                axes::listed(&first, " ")
            );
            let (dtype, shape) = (ctx.output_dtype(i), ctx.output_shape(i)?.clone());
            let out = axes::tensor(ctx, dtype, shape, &offset)?;
            ctx.set_output(i, out);
            offset[axis] = offset[axis].saturating_add(sizes[axis]);
        }
        Ok(())
    }))
}
