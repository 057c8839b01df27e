//! `ResourceGather`: rows of a variable, of each batch of it where there are several.

use tfe_core::{DTypeSet, DataType, Result, Shape, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_ops::ops;

use super::handle::handle;
use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("dtype", TYPES), ("Tindices", DTypeSet::INDEX)],
    host_inputs: &["resource"],
    ..KernelDef::cpu(ops::RESOURCE_GATHER, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("dtype")?;
    let batch = init.attrs.int("batch_dims")?;
    ensure!(
        batch >= 0,
        InvalidArgument,
        "batch_dims is negative ({batch})"
    );
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        gather(ctx, dtype, batch as usize)
    }))
}

fn gather(ctx: &mut KernelContext<'_>, dtype: DataType, batch: usize) -> Result<()> {
    let handle = handle(ctx.input(0))?;
    let params = Variable::update(ctx.resources(), handle, |value| Ok(value.clone()))?;
    ensure!(
        params.dtype() == dtype,
        InvalidArgument,
        "the variable is of type {}, not {dtype}",
        params.dtype()
    );
    let indices = ctx.input(1);
    ensure!(
        params.rank() > batch && indices.rank() >= batch,
        InvalidArgument,
        "params must have more than {batch} (batch_dims) dimensions and indices as many, but their shapes are {} and {}",
        params.shape(),
        indices.shape()
    );
    let (outer, inner) = (&params.dims()[..batch], &params.dims()[batch + 1..]);
    let (of_indices, list) = indices.dims().split_at(batch);
    ensure!(
        outer == of_indices,
        InvalidArgument,
        "params of shape {} and indices of shape {} have other batches",
        params.shape(),
        indices.shape()
    );
    let len = params.dims()[batch];
    let rows = axes::rows(indices, len)?;
    let shape = Shape::new(&[outer, list, inner].concat())?;
    let size = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    let movement = Rows {
        rows: &rows,
        list: size(list),
        blocks: 1,
        block: len as usize,
        width: size(inner),
    };
    let out = moved(
        ctx,
        ctx.allocate(params.dtype(), shape)?,
        &params,
        None,
        &movement,
    )?;
    ctx.set_output(0, out);
    Ok(())
}
