//! `GatherNd`: the slices of a tensor at given index vectors.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::index_vectors::{INDICES, Policy, vectors};
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tparams", TYPES), ("Tindices", INDICES)],
    ..KernelDef::host(ops::GATHER_ND, rule, build)
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

/// The places of the index vectors, then the dimensions that they do not speak of.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Policy::of(op)?;
    let [params, indices] = op.inputs(["params", "indices"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        for (input, name) in [(params, "params"), (indices, "indices")] {
            call.at_least_rank(input, 1, || {
                err!(InvalidArgument, "{name} must be at least a vector")
            })?;
        }
        let Some((&depth, places)) = call.dims(indices).and_then(<[i64]>::split_last) else {
            return Ok(());
        };
        let (Some(dims), true) = (call.dims(params), depth != dim::UNKNOWN) else {
            return Ok(());
        };
        let rest = usize::try_from(depth)
            .ok()
            .and_then(|depth| dims.get(depth..));
        let rest = rest.ok_or_else(|| {
            err!(
                InvalidArgument,
                "index innermost dimension length must be <= params rank; saw: {depth} vs. {}",
                dims.len()
            )
        })?;
        ensure!(
            call.num_elements(params) != Some(0)
                || call.num_elements(indices).is_none_or(|n| n == 0),
            InvalidArgument,
            "Requested more than 0 entries, but params is empty.  Params shape: {}",
            call.shown(params)
        );
        let dims: SmallVec<[i64; 8]> = places.iter().chain(rest).copied().collect();
        call.set(0, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let policy = Policy::of(init)?;
    let [params, indices] = init.inputs(["params", "indices"])?;
    let node = Box::<str>::from(init.node_name);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (params, indices, out) = (ctx.input(params), ctx.input(indices), ctx.output(0)?);
        let depth = indices.shape().dim(indices.rank() - 1);
        let (outer, slice) = params.dims().split_at(depth);
        let rows = vectors(indices, outer, policy, out.shape().num_elements(), || {
            format!("param shape {}, node name: {node}", params.shape())
        })?;
        let width = slice.iter().product::<i64>() as usize;
        let out = moved(ctx, out, params, None, &Rows::of(&rows, width))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
