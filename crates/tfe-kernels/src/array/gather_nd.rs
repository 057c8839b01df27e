//! `GatherNd`: the slices of a tensor at given index vectors.

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::gather::INDICES;
use super::index_vectors::{Policy, vectors};
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tparams", TYPES), ("Tindices", INDICES)],
    ..KernelDef::cpu(ops::GATHER_ND, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let policy = Policy::of(init)?;
    let node = Box::<str>::from(init.node_name);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (params, indices) = (ctx.input(0), ctx.input(1));
        let (depth, shape) = result_shape(params, indices)?;
        let (outer, slice) = params.dims().split_at(depth);
        let rows = vectors(indices, outer, policy, shape.num_elements(), || {
            format!("param shape {}, node name: {node}", params.shape())
        })?;
        let width = slice.iter().product::<i64>() as usize;
        let out = moved(
            ctx,
            ctx.allocate(params.dtype(), shape)?,
            params,
            None,
            &Rows::of(&rows, width),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// How many dimensions an index vector speaks of, and the shape of the result.
fn result_shape(params: &Tensor, indices: &Tensor) -> Result<(usize, Shape)> {
    for (input, name) in [(params, "params"), (indices, "indices")] {
        ensure!(
            input.rank() >= 1,
            InvalidArgument,
            "{name} must be at least a vector"
        );
    }
    let Some((&depth, places)) = indices.dims().split_last() else {
        bail!(InvalidArgument, "indices must be at least a vector");
    };
    ensure!(
        depth <= params.rank() as i64,
        InvalidArgument,
        "index innermost dimension length must be <= params rank; saw: {depth} vs. {}",
        params.rank()
    );
    ensure!(
        params.num_elements() > 0 || indices.num_elements() == 0,
        InvalidArgument,
        "Requested more than 0 entries, but params is empty.  Params shape: {}",
        params.shape()
    );
    let dims = [places, &params.dims()[depth as usize..]].concat();
    Ok((depth as usize, Shape::new(&dims)?))
}
