//! `DynamicPartition` and `DynamicStitch`: rows dealt to several tensors by numbers, and put together again.

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;
use tfe_host::update::{Updates, assignment, updated};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", PARTITION)],
        ..KernelDef::cpu(ops::DYNAMIC_PARTITION, build_partition)
    },
    KernelDef {
        types: &[("T", STITCH)],
        ..KernelDef::cpu(ops::DYNAMIC_STITCH, build_stitch)
    },
    KernelDef {
        types: &[("T", STITCH)],
        ..KernelDef::cpu(ops::PARALLEL_DYNAMIC_STITCH, build_stitch)
    },
];

const COMMON: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Variant,
]));
const PARTITION: DTypeSet = COMMON.union(DTypeSet::of(&[DataType::Resource]));
const STITCH: DTypeSet = COMMON.union(DTypeSet::of(&[
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

fn build_partition(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let count = init.attrs.int("num_partitions")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (data, partitions) = (ctx.input(0), ctx.input(1));
        ensure!(
            data.dims().starts_with(partitions.dims()),
            InvalidArgument,
            "data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
            data.shape(),
            partitions.shape()
        );
        let mut rows = vec![Vec::new(); count as usize];
        for (row, number) in axes::integers(partitions)?.into_iter().enumerate() {
            ensure!(
                (0..count).contains(&number),
                InvalidArgument,
                "partitions{} = {number} is not in [0, {count})",
                axes::place(partitions.dims(), row)
            );
            rows[number as usize].push(row);
        }
        let slice = data.dims()[partitions.rank()..].to_vec();
        let width = slice.iter().product::<i64>() as usize;
        for (i, rows) in rows.iter().enumerate() {
            let shape = Shape::new(&[&[rows.len() as i64], &slice[..]].concat())?;
            let data = ctx.input(0);
            let out = moved(
                ctx,
                ctx.allocate(data.dtype(), shape)?,
                data,
                None,
                &Rows::of(rows, width),
            )?;
            ctx.set_output(i, out);
        }
        Ok(())
    }))
}

fn build_stitch(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let updates = assignment(init.attrs.dtype("T")?)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let out = stitched(ctx, updates)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn stitched(ctx: &KernelContext<'_>, updates: Updates) -> Result<Tensor> {
    let n = ctx.num_inputs() / 2;
    let slice = |i: usize| {
        let (indices, data) = (ctx.input(i), ctx.input(n + i));
        data.dims().strip_prefix(indices.dims()).ok_or_else(|| {
            err!(
                InvalidArgument,
                "data[{i}].shape = {} does not start with indices[{i}].shape = {}",
                data.shape(),
                indices.shape()
            )
        })
    };
    let first = slice(0)?;
    let (mut all, mut rows) = (Vec::with_capacity(n), 0);
    for i in 0..n {
        ensure!(
            slice(i)? == first,
            InvalidArgument,
            "Need data[0].shape[{}:] = data[{i}].shape[{}:], got data[0].shape = {}, data[{i}].shape = {}, indices[0].shape = {}, indices[{i}].shape = {}",
            ctx.input(0).rank(),
            ctx.input(i).rank(),
            ctx.input(n).shape(),
            ctx.input(n + i).shape(),
            ctx.input(0).shape(),
            ctx.input(i).shape()
        );
        let indices = ctx.input(i);
        let row = |(k, index): (usize, i64)| {
            usize::try_from(index).map_err(|_| {
                err!(
                    InvalidArgument,
                    "indices{} is out of range",
                    axes::place(indices.dims(), k)
                )
            })
        };
        let given = axes::integers(indices)?.into_iter().enumerate();
        let given: Vec<usize> = given.map(row).collect::<Result<_>>()?;
        rows = given.iter().fold(rows, |rows, &row| rows.max(row + 1));
        all.push(given);
    }
    // As many rows as the type of indices counts.
    ensure!(
        i32::try_from(rows).is_ok(),
        InvalidArgument,
        "Expected a non-negative size, got one of {rows} rows"
    );
    let shape = Shape::new(&[&[rows as i64], first].concat())?;
    // Rows that no index names are zero.
    let mut out = ctx.allocate(ctx.input(n).dtype(), shape)?.zeroed();
    for (i, rows) in all.iter().enumerate() {
        out = updated(out, ctx.input(n + i), rows, 1, updates)?;
    }
    Ok(out)
}
