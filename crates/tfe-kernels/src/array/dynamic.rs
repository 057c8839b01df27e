//! `DynamicPartition` and `DynamicStitch`: rows dealt to several tensors by numbers, and put together again.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;
use tfe_host::update::{assignment, updated};
use tfe_host::{scratch, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::DYNAMIC_PARTITION, partition_rule, build_partition)
        .of(&[("T", PARTITION)]),
    KernelDef::host(ops::DYNAMIC_STITCH, stitch_rule, build_stitch).of(&[("T", STITCH)]),
    KernelDef::host(ops::PARALLEL_DYNAMIC_STITCH, stitch_rule, build_stitch).of(&[("T", STITCH)]),
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

/// The parts have rows of one shape; how many, the numbers tell.
fn partition_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [data, partitions] = op.inputs(["data", "partitions"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let (Some(dims), Some(numbers)) = (call.dims(data), call.dims(partitions)) else {
            return Ok(());
        };
        let row = row(dims, numbers).ok_or_else(|| {
            err!(
                InvalidArgument,
                "data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
                call.shown(data),
                call.shown(partitions)
            )
        })?;
        let part = [&[dim::UNKNOWN], row].concat();
        (0..call.num_outputs()).try_for_each(|i| call.set(i, &part))
    }))
}

/// The dimensions of a row of data which has one for each element of a tensor: those that it has besides.
fn row<'a>(data: &'a [i64], of: &[i64]) -> Option<&'a [i64]> {
    let (outer, row) = data.split_at_checked(of.len())?;
    dim::merge_all(outer, of).map(|_| row)
}

fn build_partition(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let count = init.attrs.int("num_partitions")?;
    let [data, partitions] = init.inputs(["data", "partitions"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let partitions = ctx.input(partitions);
        let (dims, numbers) = (partitions.dims(), axes::integers(partitions)?);
        // Where the rows of each part begin among those of all.
        let mut begins = scratch_of(0, count as usize + 1)?;
        for (i, number) in numbers.iter().enumerate() {
            ensure!(
                (0..count).contains(number),
                InvalidArgument,
                "partitions{} = {number} is not in [0, {count})",
                axes::place(dims, i)
            );
            begins[*number as usize + 1] += 1;
        }
        for part in 0..count as usize {
            begins[part + 1] += begins[part];
        }
        let (mut rows, mut ends) = (scratch_of(0, numbers.len())?, scratch(begins.len())?);
        ends.extend_from_slice(&begins);
        for (row, &number) in numbers.iter().enumerate() {
            let end: &mut usize = &mut ends[number as usize];
            rows[*end] = row;
            *end += 1;
        }
        let row = SmallVec::<[i64; 8]>::from_slice(&ctx.input(data).dims()[dims.len()..]);
        let width = row.iter().product::<i64>() as usize;
        for (i, part) in begins.windows(2).enumerate() {
            let rows = &rows[part[0]..part[1]];
            let shape = Shape::new(&[&[rows.len() as i64], &row[..]].concat())?;
            let (to, rows) = (ctx.output_of(i, shape)?, Rows::of(rows, width));
            let out = moved(ctx, to, ctx.input(data), None, &rows)?;
            ctx.set_output(i, out);
        }
        Ok(())
    }))
}

/// Rows of one shape; how many, the greatest index tells.
fn stitch_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (indices, data) = (op.list("indices")?, op.list("data")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        // What is known of a row, after a dimension that is not.
        let mut result: Option<SmallVec<[i64; 8]>> = None;
        for (i, (at, from)) in indices.clone().zip(data.clone()).enumerate() {
            let (Some(numbers), Some(dims)) = (call.dims(at), call.dims(from)) else {
                continue;
            };
            let row = row(dims, numbers).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "data[{i}].shape = {} does not start with indices[{i}].shape = {}",
                    call.shown(from),
                    call.shown(at)
                )
            })?;
            let own: SmallVec<_> = [&[dim::UNKNOWN], row].concat().into();
            let merged = match &result {
                None => Some(own),
                Some(result) => dim::merge_all(result, &own),
            };
            let (first_at, first) = (indices.start, data.start);
            result = Some(merged.ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Need data[0].shape[{}:] = data[{i}].shape[{}:], got data[0].shape = {}, data[{i}].shape = {}, indices[0].shape = {}, indices[{i}].shape = {}",
                    call.rank(first_at).unwrap_or_default(),
                    numbers.len(),
                    call.shown(first),
                    call.shown(from),
                    call.shown(first_at),
                    call.shown(at)
                )
            })?);
        }
        result.map_or(Ok(()), |dims| call.set(0, &dims))
    }))
}

fn build_stitch(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let updates = assignment(init.attrs.dtype("T")?)?;
    let (indices, data) = (init.list("indices")?, init.list("data")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (mut all, mut count) = (scratch(indices.len())?, 0);
        for indices in ctx.input_range(indices.clone()) {
            let given = axes::integers(indices)?;
            let mut rows = scratch(given.len())?;
            for (k, index) in given.into_iter().enumerate() {
                let row = usize::try_from(index).map_err(|_| {
                    err!(
                        InvalidArgument,
                        "indices{} is out of range",
                        axes::place(indices.dims(), k)
                    )
                })?;
                count = count.max(row + 1);
                rows.push(row);
            }
            all.push(rows);
        }
        // As many rows as the type of indices counts.
        ensure!(
            i32::try_from(count).is_ok(),
            InvalidArgument,
            "Expected a non-negative size, got one of {count} rows"
        );
        let row = &ctx.input(data.start).dims()[ctx.input(indices.start).rank()..];
        let shape = Shape::new(&[&[count as i64], row].concat())?;
        // Rows that no index names are zero.
        let mut out = ctx.output_of(0, shape)?.zeroed();
        for (data, rows) in ctx.input_range(data.clone()).zip(&all) {
            out = updated(out, data, rows, 1, updates)?;
        }
        ctx.set_output(0, out);
        Ok(())
    }))
}
