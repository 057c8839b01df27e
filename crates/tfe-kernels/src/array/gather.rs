//! `GatherV2` and `Gather`: the slices of a tensor at given indices along an axis.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::index_vectors::INDICES;
use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("Tparams", TYPES), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::host(ops::GATHER, rule, build)
    },
    KernelDef {
        types: &[("Tparams", TYPES), ("Tindices", INDICES)],
        host_inputs: &["axis"],
        ..KernelDef::host(ops::GATHER_V2, rule, build)
    },
];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint16,
    DataType::Quint16,
    DataType::Qint32,
]));

/// The input of the axis and the number of batch dimensions; `Gather` has neither, both are 0.
fn axis_and_batch(op: &OpInit<'_>) -> Result<(Option<usize>, i64)> {
    match op.input("axis") {
        Ok(axis) => Ok((Some(axis), op.attrs.int("batch_dims")?)),
        Err(_) => Ok((None, 0)),
    }
}

/// The indices, but for the dimensions that they share with the tensor, in the place of the axis.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (axis, batch) = axis_and_batch(op)?;
    let [params, indices] = op.inputs(["params", "indices"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let axis = match axis {
            Some(axis) => {
                call.of_rank(axis, 0, || {
                    err!(
                        InvalidArgument,
                        "axis must be scalar, but got shape {}",
                        call.shown(axis)
                    )
                })?;
                call.integer(axis)?
            }
            None => Some(0),
        };
        call.at_least_rank(params, 1, || {
            err!(InvalidArgument, "params must be at least 1 dimensional")
        })?;
        let Some(dims) = call.dims(params) else {
            return Ok(());
        };
        let rank = dims.len();
        let normalized = |axis: i64| {
            axes::normalize(axis, rank).ok_or_else(|| {
                let least = axis.unsigned_abs() + u64::from(axis >= 0);
                err!(
                    InvalidArgument,
                    "Shape must be at least rank {least} but is rank {rank}"
                )
            })
        };
        let axis = axis.map(normalized).transpose()?;
        let Some(places) = call.dims(indices) else {
            return Ok(());
        };
        let most = places.len() as i64;
        ensure!(
            (-most..=most).contains(&batch),
            InvalidArgument,
            "Expected batch_dims in the range [{}, {most}], but got {batch}",
            -most
        );
        let batch = axes::from_start(batch, places.len());
        ensure!(
            batch < rank,
            InvalidArgument,
            "batch_dims ({batch}) must be less than rank(params) ({rank})."
        );
        let Some(axis) = axis else {
            call.set_rank(0, rank - 1 + places.len() - batch);
            return Ok(());
        };
        ensure!(
            batch <= axis,
            InvalidArgument,
            "batch_dims ({batch}) must be less than or equal to axis ({axis})."
        );
        let mut result = SmallVec::<[i64; 8]>::from_slice(&dims[..axis]);
        for i in 0..batch {
            let (p, j) = (dims[i], places[i]);
            result[i] = dim::merge(p, j).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "params.shape[{i}]: {p} should be equal to indices.shape[{i}]: {j}"
                )
            })?;
        }
        result.extend_from_slice(&places[batch..]);
        result.extend_from_slice(&dims[axis + 1..]);
        call.set(0, &result)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (axis, batch) = axis_and_batch(init)?;
    let [params, indices] = init.inputs(["params", "indices"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (params, indices, out) = (ctx.input(params), ctx.input(indices), ctx.output(0)?);
        if out.shape().num_elements() == 0 {
            // However many indices of nothing there are.
            ctx.set_output(0, out.zeroed());
            return Ok(());
        }
        let given = axis.map_or(Ok(0), |axis| ctx.integer(axis))?;
        let axis = axes::from_start(given, params.rank());
        let batch = axes::from_start(batch, indices.rank());
        let size = |dims: &[i64]| dims.iter().product::<i64>() as usize;
        let rows = Rows {
            rows: &axes::rows(indices, params.dims()[axis])?,
            list: size(&indices.dims()[batch..]),
            blocks: size(&params.dims()[batch..axis]),
            block: params.shape().dim(axis),
            width: size(&params.dims()[axis + 1..]),
        };
        let out = moved(ctx, out, params, None, &rows)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
