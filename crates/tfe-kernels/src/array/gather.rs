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
        ..KernelDef::host(
            ops::GATHER,
            |op| rule(op, 0, None),
            |init| build(init, 0, None),
        )
    },
    KernelDef {
        types: &[("Tparams", TYPES), ("Tindices", INDICES)],
        host_inputs: &["axis"],
        ..KernelDef::host(
            ops::GATHER_V2,
            |op| rule(op, op.attrs.int("batch_dims")?, Some(op.input("axis")?)),
            |init| {
                build(
                    init,
                    init.attrs.int("batch_dims")?,
                    Some(init.input("axis")?),
                )
            },
        )
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

/// The dimensions of the indices, but for those of batches, in the place of the axis.
fn rule(op: &OpInit<'_>, batch: i64, axis: Option<usize>) -> Result<Box<dyn Rule>> {
    let [params, indices] = op.inputs(["params", "indices"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let axis = match axis {
            None => Some(0),
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
        };
        let (Some(params), Some(indices)) = (call.dims(params), call.dims(indices)) else {
            return Ok(());
        };
        let Some(axis) = axis else {
            let batch = if batch < 0 {
                batch + indices.len() as i64
            } else {
                batch
            };
            let rank = (params.len() + indices.len()) as i64 - 1 - batch;
            if let Ok(rank) = usize::try_from(rank) {
                call.set_rank(0, rank);
            }
            return Ok(());
        };
        let (axis, batch) = places(params, indices, axis, batch)?;
        let dims = [&params[..axis], &indices[batch..], &params[axis + 1..]];
        let mut all: SmallVec<[i64; 8]> = dims.into_iter().flatten().copied().collect();
        // A batch that one of the two does not know the size of, the other may.
        for (i, dim) in all[..batch].iter_mut().enumerate() {
            *dim = dim::merge(*dim, indices[i]).unwrap_or(*dim);
        }
        call.set(0, &all)
    }))
}

fn build(init: &KernelInit<'_>, batch: i64, axis: Option<usize>) -> Result<Box<dyn Kernel>> {
    let [params, indices] = init.inputs(["params", "indices"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (params, indices) = (ctx.input(params), ctx.input(indices));
        let axis = axis.map_or(Ok(0), |axis| ctx.integer(axis))?;
        let (axis, batch) = places(params.dims(), indices.dims(), axis, batch)?;
        let (before, after) = (&params.dims()[..axis], &params.dims()[axis + 1..]);
        let size = |dims: &[i64]| dims.iter().product::<i64>() as usize;
        let (out, len) = (ctx.output(0)?, params.dims()[axis]);
        let rows = if out.shape().num_elements() == 0 {
            Vec::new()
        } else {
            axes::rows(indices, len)?
        };
        let movement = Rows {
            rows: &rows,
            list: size(&indices.dims()[batch..]),
            blocks: size(&before[batch..]),
            block: len as usize,
            width: size(after),
        };
        let out = moved(ctx, out, params, None, &movement)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The axis, and how many dimensions params and indices share.
fn places(params: &[i64], indices: &[i64], axis: i64, batch: i64) -> Result<(usize, usize)> {
    let rank = params.len();
    ensure!(
        rank >= 1,
        InvalidArgument,
        "params must be at least 1 dimensional"
    );
    let axis = axes::normalize(axis, rank).ok_or_else(|| {
        let least = if axis < 0 {
            axis.unsigned_abs()
        } else {
            axis.unsigned_abs() + 1
        };
        err!(
            InvalidArgument,
            "Shape must be at least rank {least} but is rank {rank}"
        )
    })?;
    let most = indices.len() as i64;
    ensure!(
        (-most..=most).contains(&batch),
        InvalidArgument,
        "Expected batch_dims in the range [{}, {most}], but got {batch}",
        -most
    );
    let batch = if batch < 0 { batch + most } else { batch } as usize;
    ensure!(
        batch < rank,
        InvalidArgument,
        "batch_dims ({batch}) must be less than rank(params) ({rank})."
    );
    ensure!(
        batch <= axis,
        InvalidArgument,
        "batch_dims ({batch}) must be less than or equal to axis ({axis})."
    );
    let pairs = params.iter().zip(indices);
    for (i, (&p, &j)) in pairs.take(batch).enumerate() {
        ensure!(
            dim::merge(p, j).is_some(),
            InvalidArgument,
            "params.shape[{i}]: {p} should be equal to indices.shape[{i}]: {j}"
        );
    }
    Ok((axis, batch))
}
