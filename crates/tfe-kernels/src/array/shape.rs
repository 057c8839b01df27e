//! What the shape of a tensor is: `Shape`, `ShapeN`, `Size`, `Rank`. The elements are not read, so any device will do.

use tfe_core::{DTypeSet, DataType, Result, Shape};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        host_outputs: &["output"],
        ..KernelDef::cpu(ops::RANK, build_rank)
    },
    KernelDef {
        types: &[("out_type", DTypeSet::INDEX)],
        host_outputs: &["output"],
        ..KernelDef::cpu(ops::SHAPE, build_shape)
    },
    KernelDef {
        types: &[("out_type", DTypeSet::INDEX)],
        host_outputs: &["output"],
        ..KernelDef::cpu(ops::SHAPE_N, build_shape)
    },
    KernelDef {
        types: &[("out_type", DTypeSet::INDEX)],
        host_outputs: &["output"],
        ..KernelDef::cpu(ops::SIZE, build_size)
    },
];

fn build_rank(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let rank = ctx.input(0).rank() as i64;
        let out = axes::tensor(ctx, DataType::Int32, Shape::scalar(), &[rank])?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_shape(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("out_type")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        for i in 0..ctx.num_inputs() {
            let dims = ctx.input(i).dims();
            let out = axes::tensor(ctx, dtype, Shape::vector(dims.len()), dims)?;
            ctx.set_output(i, out);
        }
        Ok(())
    }))
}

fn build_size(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("out_type")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let n = ctx.input(0).num_elements() as i64;
        let out = axes::tensor(ctx, dtype, Shape::scalar(), &[n])?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
