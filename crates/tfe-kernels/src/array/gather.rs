//! `GatherV2` and `Gather`: the slices of a tensor at given indices along an axis.

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("Tparams", TYPES), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::cpu(ops::GATHER, build)
    },
    KernelDef {
        types: &[("Tparams", TYPES), ("Tindices", INDICES)],
        host_inputs: &["axis"],
        ..KernelDef::cpu(ops::GATHER_V2, build_v2)
    },
];

pub(super) const INDICES: DTypeSet = DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Int16]));
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

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| gather(ctx, 0, 0)))
}

fn build_v2(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let batch_dims = init.attrs.int("batch_dims")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let axis = ctx.input(2);
        ensure!(
            axis.rank() == 0,
            InvalidArgument,
            "axis must be scalar, but got shape {}",
            axis.shape()
        );
        let axis = axes::integers(axis)?[0];
        gather(ctx, axis, batch_dims)
    }))
}

fn gather(ctx: &mut KernelContext<'_>, axis: i64, batch_dims: i64) -> Result<()> {
    let (params, indices) = (ctx.input(0), ctx.input(1));
    let (axis, batch) = places(params, indices, axis, batch_dims)?;
    let (before, after) = (&params.dims()[..axis], &params.dims()[axis + 1..]);
    let own = &indices.dims()[batch..];
    let dims = [before, own, after].concat();
    let shape = Shape::new(&dims)?;
    let size = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    let len = params.dims()[axis];
    let rows = if shape.num_elements() == 0 {
        Vec::new()
    } else {
        axes::rows(indices, len)?
    };
    let movement = Rows {
        rows: &rows,
        list: size(own),
        blocks: size(&before[batch..]),
        block: len as usize,
        width: size(after),
    };
    let out = moved(
        ctx,
        ctx.allocate(params.dtype(), shape)?,
        params,
        None,
        &movement,
    )?;
    ctx.set_output(0, out);
    Ok(())
}

/// The axis, and how many dimensions params and indices share.
fn places(params: &Tensor, indices: &Tensor, axis: i64, batch: i64) -> Result<(usize, usize)> {
    let rank = params.rank();
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
    let most = indices.rank() as i64;
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
    let pairs = params.dims().iter().zip(indices.dims());
    for (i, (p, j)) in pairs.take(batch).enumerate() {
        ensure!(
            p == j,
            InvalidArgument,
            "params.shape[{i}]: {p} should be equal to indices.shape[{i}]: {j}"
        );
    }
    Ok((axis, batch))
}
