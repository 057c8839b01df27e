//! `DynamicPartition` and `DynamicStitch`: rows dealt to several tensors by numbers, and put together again.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::scatter::{assignment, updated};
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;
use tfe_host::{axes, scratch, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::DYNAMIC_PARTITION, rule_of_partition, build_partition)
        .of(&[("T", PARTITION)]),
    KernelDef::host(ops::DYNAMIC_STITCH, rule_of_stitch, build_stitch).of(&[("T", STITCH)]),
    KernelDef::host(ops::PARALLEL_DYNAMIC_STITCH, rule_of_stitch, build_stitch)
        .of(&[("T", STITCH)]),
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

/// The dimensions of `data` behind those that it shares with `numbers`; `None` where it does not begin with them.
fn row<'a>(data: &'a [i64], numbers: &[i64]) -> Option<&'a [i64]> {
    let (shared, row) = data.split_at_checked(numbers.len())?;
    dim::may_be_equal(shared, numbers).then_some(row)
}

/// As many rows in each output as the numbers say.
fn rule_of_partition(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
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
        let dims = [&[dim::UNKNOWN], row].concat();
        (0..call.num_outputs()).try_for_each(|i| call.set(i, &dims))
    }))
}

fn build_partition(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let count = init.attrs.int("num_partitions")?;
    let [data, partitions] = init.inputs(["data", "partitions"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let partitions = ctx.input(partitions);
        let numbers = axes::integers(partitions)?;
        let mut sizes = scratch_of(0, count as usize)?;
        for (row, number) in numbers.iter().enumerate() {
            ensure!(
                (0..count).contains(number),
                InvalidArgument,
                "partitions{} = {number} is not in [0, {count})",
                axes::place(partitions.dims(), row)
            );
            sizes[*number as usize] += 1;
        }
        // The rows in the order of their partitions, of which each is filled from its begin on.
        let mut ends = scratch(sizes.len())?;
        ends.extend(sizes.iter().scan(0, |end, size| {
            let begin = *end;
            *end += size;
            Some(begin)
        }));
        let mut rows = scratch_of(0, numbers.len())?;
        for (row, &number) in numbers.iter().enumerate() {
            let end = &mut ends[number as usize];
            rows[*end] = row;
            *end += 1;
        }
        let slice = SmallVec::<[i64; 8]>::from_slice(&ctx.input(data).dims()[partitions.rank()..]);
        let width = slice.iter().product::<i64>() as usize;
        for (i, (&size, &end)) in sizes.iter().zip(&ends).enumerate() {
            let shape = Shape::new(&[&[size as i64], &slice[..]].concat())?;
            let rows = Rows::of(&rows[end - size..end], width);
            let out = moved(ctx, ctx.output_of(i, shape)?, ctx.input(data), None, &rows)?;
            ctx.set_output(i, out);
        }
        Ok(())
    }))
}

/// As many rows as the greatest index says.
fn rule_of_stitch(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (indices, data) = (op.list("indices")?, op.list("data")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let mut known: Option<(usize, SmallVec<[i64; 8]>)> = None;
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
            let Some((first, merged)) = &mut known else {
                known = Some((i, row.into()));
                continue;
            };
            let [first, first_at, first_from] =
                [*first, indices.start + *first, data.start + *first];
            *merged = dim::merge_all(merged, row).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Need data[{first}].shape[{}:] = data[{i}].shape[{}:], got data[{first}].shape = {}, data[{i}].shape = {}, indices[{first}].shape = {}, indices[{i}].shape = {}",
                    call.rank(first_at).unwrap_or_default(),
                    numbers.len(),
                    call.shown(first_from),
                    call.shown(from),
                    call.shown(first_at),
                    call.shown(at)
                )
            })?;
        }
        match known {
            Some((_, row)) => call.set(0, &[&[dim::UNKNOWN], &row[..]].concat()),
            None => Ok(()),
        }
    }))
}

fn build_stitch(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let updates = assignment(init.attrs.dtype("T")?)?;
    let (indices, data) = (init.list("indices")?, init.list("data")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let mut lists = SmallVec::<[Vec<usize>; 4]>::new();
        for indices in ctx.input_range(indices.clone()) {
            let mut rows = scratch(indices.num_elements())?;
            for (k, index) in axes::integers(indices)?.into_iter().enumerate() {
                rows.push(usize::try_from(index).map_err(|_| {
                    err!(
                        InvalidArgument,
                        "indices{} is out of range",
                        axes::place(indices.dims(), k)
                    )
                })?);
            }
            lists.push(rows);
        }
        let rows = lists.iter().flatten().max().map_or(0, |&last| last + 1);
        // As many rows as the type of indices counts.
        ensure!(
            i32::try_from(rows).is_ok(),
            InvalidArgument,
            "Expected a non-negative size, got one of {rows} rows"
        );
        let slice = &ctx.input(data.start).dims()[ctx.input(indices.start).rank()..];
        let shape = Shape::new(&[&[rows as i64], slice].concat())?;
        // Rows that no index names are zero.
        let mut out = ctx.output_of(0, shape)?.zeroed();
        for (data, rows) in ctx.input_range(data.clone()).zip(&lists) {
            out = updated(out, data, rows, 1, updates)?;
        }
        ctx.set_output(0, out);
        Ok(())
    }))
}
