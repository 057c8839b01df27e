//! What the shape of a tensor is: `Shape`, `ShapeN`, `Size`, `Rank`. The elements are not read, so any device will do.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::{axes, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        host_outputs: &["output"],
        ..KernelDef::host(ops::RANK, rules::scalars, build_rank)
    },
    KernelDef {
        types: &[("out_type", DTypeSet::INDEX)],
        host_outputs: &["output"],
        ..KernelDef::host(ops::SHAPE, rule, build_shape)
    },
    KernelDef {
        types: &[("out_type", DTypeSet::INDEX)],
        host_outputs: &["output"],
        ..KernelDef::host(ops::SHAPE_N, rule, build_shape)
    },
    KernelDef {
        types: &[("out_type", DTypeSet::INDEX)],
        host_outputs: &["output"],
        ..KernelDef::host(ops::SIZE, rules::scalars, build_size)
    },
];

/// A vector as long as the rank, for each input.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        for i in 0..call.num_inputs() {
            let rank = call.rank(i).map_or(dim::UNKNOWN, |rank| rank as i64);
            call.set(i, &[rank])?;
        }
        Ok(())
    }))
}

fn build_rank(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let rank = ctx.input(0).rank() as i64;
        set(ctx, 0, &[rank])
    }))
}

fn build_shape(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        for i in 0..ctx.num_inputs() {
            let shape = ctx.input(i).shape().clone();
            set(ctx, i, shape.dims())?;
        }
        Ok(())
    }))
}

fn build_size(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let n = ctx.input(0).num_elements() as i64;
        set(ctx, 0, &[n])
    }))
}

/// Sets output `i`.
fn set(ctx: &mut KernelContext<'_>, i: usize, values: &[i64]) -> Result<()> {
    let shape = ctx.output_shape(i)?.clone();
    let out = axes::tensor(ctx, ctx.output_dtype(i), shape, values)?;
    ctx.set_output(i, out);
    Ok(())
}
