//! Segments: rows that belong together by their ids, reduced to one row each. The ids are in order (`SegmentSum`, …) or in
//! any (`UnsortedSegmentSum`, …).

use num_traits::{Bounded, One};
use tfe_core::{DTypeSet, DataType, Plain, Result, Shape, Tensor, dispatch, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::mean::{IntegerMean, Mean};
use tfe_host::accumulate::{Folded, Larger, Plus, Smaller, Times};
use tfe_host::bits::unsigned;
use tfe_host::gather_rows::Rows;
use tfe_host::reduce::{DynReducer, Reducer};
use tfe_host::segment_reduce::combined;
use tfe_host::{axes, scratch};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: NUMBERS,
        ..KernelDef::cpu(ops::SEGMENT_SUM, build_sum)
    },
    KernelDef {
        types: NUMBERS,
        ..KernelDef::cpu(ops::SEGMENT_MEAN, build_mean)
    },
    KernelDef {
        types: NUMBERS,
        ..KernelDef::cpu(ops::SEGMENT_PROD, build_prod)
    },
    KernelDef {
        types: REALS,
        ..KernelDef::cpu(ops::SEGMENT_MAX, build_max)
    },
    KernelDef {
        types: REALS,
        ..KernelDef::cpu(ops::SEGMENT_MIN, build_min)
    },
    KernelDef {
        types: NUMBERS,
        host_inputs: &["num_segments"],
        ..KernelDef::cpu(ops::UNSORTED_SEGMENT_SUM, build_sum)
    },
    KernelDef {
        types: NUMBERS,
        host_inputs: &["num_segments"],
        ..KernelDef::cpu(ops::UNSORTED_SEGMENT_PROD, build_prod)
    },
    KernelDef {
        types: REALS,
        host_inputs: &["num_segments"],
        ..KernelDef::cpu(ops::UNSORTED_SEGMENT_MAX, build_unsorted_max)
    },
    KernelDef {
        types: REALS,
        host_inputs: &["num_segments"],
        ..KernelDef::cpu(ops::UNSORTED_SEGMENT_MIN, build_unsorted_min)
    },
];

const NUMBERS: &[(&str, DTypeSet)] = &[("T", DTypeSet::NUMBER), ("Tindices", IDS)];
const REALS: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL), ("Tindices", IDS)];
const IDS: DTypeSet = DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Int16]));

/// Runs `$body` with the type in which sums and products of `T` are computed.
macro_rules! numbers {
    ($init:expr, |$T:ident| $body:expr) => {
        dispatch!(
            unsigned($init.attrs.dtype("T")?),
            [
                Half, Bfloat16, Float, Double, Complex64, Complex128, Uint8, Uint16, Uint32, Uint64
            ],
            |$T| Ok($body)
        )
    };
}

fn build_sum(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    numbers!(init, |T| kernel(Folded::<T, _>::by(Plus), T::default()))
}

fn build_prod(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    numbers!(init, |T| kernel(Folded::<T, _>::by(Times), T::one()))
}

fn build_mean(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    if DTypeSet::INT.contains(dtype) {
        return dispatch!(dtype, Int, |T| Ok(kernel(
            IntegerMean::<T>::new(),
            T::default()
        )));
    }
    dispatch!(
        dtype,
        [Half, Bfloat16, Float, Double, Complex64, Complex128],
        |T| Ok(kernel(Mean::<T>::new(), T::default()))
    )
}

fn build_max(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(kernel(
        Folded::<T, _>::by(Larger),
        T::default()
    )))
}

fn build_min(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(kernel(
        Folded::<T, _>::by(Smaller),
        T::default()
    )))
}

fn build_unsorted_max(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(kernel(
        Folded::<T, _>::by(Larger),
        <T as Bounded>::min_value()
    )))
}

fn build_unsorted_min(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| Ok(kernel(
        Folded::<T, _>::by(Smaller),
        <T as Bounded>::max_value()
    )))
}

/// The kernel with a reducer and what stands for a segment without rows.
fn kernel<R: Reducer + 'static>(reducer: R, missing: R::Item) -> Box<dyn Kernel> {
    dyn_kernel::<R::Item, R::Total>(Box::new(reducer), missing)
}

fn dyn_kernel<I: Plain, A: Plain>(reducer: Box<DynReducer<I, A>>, missing: I) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let (rows, shape) = segments(ctx)?;
        let out = combined(ctx, &*reducer, ctx.input(0), &rows, missing, shape)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// The segment of each row of the data, and the shape of the result.
fn segments(ctx: &KernelContext<'_>) -> Result<(Vec<usize>, Shape)> {
    let (data, ids) = (ctx.input(0), ctx.input(1));
    let (rows, count) = if ctx.num_inputs() > 2 {
        unsorted(data, ids, ctx.input(2))?
    } else {
        sorted(data, ids)?
    };
    let mut dims = vec![count];
    dims.extend_from_slice(&data.dims()[ids.rank()..]);
    Ok((rows, Shape::new(&dims)?))
}

/// The ids, which do not decrease: the last says how many segments there are.
fn sorted(data: &Tensor, ids: &Tensor) -> Result<(Vec<usize>, i64)> {
    ensure!(
        data.rank() >= 1,
        InvalidArgument,
        "input must be at least rank 1"
    );
    ensure!(
        ids.rank() == 1,
        InvalidArgument,
        "segment_ids should be a vector."
    );
    ensure!(
        ids.num_elements() == data.shape().dim(0),
        InvalidArgument,
        "segment_ids should be the same size as dimension 0 of input."
    );
    let ids = axes::integers(ids)?;
    let count = ids.last().map_or(0, |last| last.saturating_add(1));
    let mut rows = scratch(ids.len())?;
    for (i, &id) in ids.iter().enumerate() {
        ensure!(
            i == 0 || ids[i - 1] <= id,
            InvalidArgument,
            "segment ids are not increasing"
        );
        ensure!(
            (0..count).contains(&id),
            InvalidArgument,
            "Segment id {id} out of range [0, {count}), possibly because 'segment_ids' input is not sorted."
        );
        rows.push(id as usize);
    }
    Ok((rows, count))
}

/// The ids in any order, negative ones for rows that belong to no segment.
fn unsorted(data: &Tensor, ids: &Tensor, count: &Tensor) -> Result<(Vec<usize>, i64)> {
    ensure!(
        count.rank() == 0,
        InvalidArgument,
        "num_segments should be a scalar, not shape {}",
        count.shape()
    );
    ensure!(
        data.dims().starts_with(ids.dims()),
        InvalidArgument,
        "data.shape = {} does not start with segment_ids.shape = {}",
        data.shape(),
        ids.shape()
    );
    let count = axes::integers(count)?[0];
    ensure!(
        count >= 0,
        InvalidArgument,
        "Input num_segments == {count} must not be negative."
    );
    if data.num_elements() == 0 {
        return Ok((Vec::new(), count));
    }
    let row = |(i, &id): (usize, &i64)| match id {
        ..=-1 => Ok(Rows::NONE),
        id if id < count => Ok(id as usize),
        id => Err(err!(
            InvalidArgument,
            "segment_ids{} = {id} is out of range [0, {count})",
            axes::place(ids.dims(), i)
        )),
    };
    let rows: Result<_> = axes::integers(ids)?.iter().enumerate().map(row).collect();
    Ok((rows?, count))
}
