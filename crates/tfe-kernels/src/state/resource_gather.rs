//! `ResourceGather`: rows of a variable, of each batch of it where there are several.

use tfe_core::{DTypeSet, DataType, Result, Shape, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, Variable};
use tfe_ops::ops;

use super::handle::handle;
use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("dtype", TYPES), ("Tindices", DTypeSet::INDEX)],
    host_inputs: &["resource"],
    ..KernelDef::host(ops::RESOURCE_GATHER, rule, build)
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

/// The shape of the variable is not known before the op runs.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let batch = op.attrs.int("batch_dims")?;
    ensure!(
        batch >= 0,
        InvalidArgument,
        "batch_dims is negative ({batch})"
    );
    Ok(Box::new(|_: &mut Inference<'_>| Ok(())))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("dtype")?;
    let batch = init.attrs.int("batch_dims")? as usize;
    let inputs = init.inputs(["resource", "indices"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        gather(ctx, inputs, dtype, batch)
    }))
}

fn gather(
    ctx: &mut KernelContext<'_>,
    [resource, indices]: [usize; 2],
    dtype: DataType,
    batch: usize,
) -> Result<()> {
    let handle = handle(ctx.input(resource))?;
    let params = Variable::update(ctx.resources(), handle, |value| Ok(value.clone()))?;
    ensure!(
        params.dtype() == dtype,
        InvalidArgument,
        "the variable is of type {}, not {dtype}",
        params.dtype()
    );
    let indices = ctx.input(indices);
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
    let out = moved(ctx, ctx.output_of(0, shape)?, &params, None, &movement)?;
    ctx.set_output(0, out);
    Ok(())
}
