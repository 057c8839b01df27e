//! Segments: rows that belong together by their ids, reduced to one row each. The ids are in order (`SegmentSum`, …) or in
//! any (`UnsortedSegmentSum`, …).

use num_traits::{Bounded, One};
use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Plain, Result, Shape, Tensor, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Larger, Plus, Smaller, Times};
use tfe_host::bits::unsigned;
use tfe_host::gather_rows::Rows;
use tfe_host::mean::{IntegerMean, Mean};
use tfe_host::reduce::{DynReducer, Reducer};
use tfe_host::segment_reduce::combined;
use tfe_host::{axes, scratch};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: NUMBERS,
        ..KernelDef::host(ops::SEGMENT_SUM, sorted_rule, build_sum)
    },
    KernelDef {
        types: NUMBERS,
        ..KernelDef::host(ops::SEGMENT_MEAN, sorted_rule, build_mean)
    },
    KernelDef {
        types: NUMBERS,
        ..KernelDef::host(ops::SEGMENT_PROD, sorted_rule, build_prod)
    },
    KernelDef {
        types: REALS,
        ..KernelDef::host(ops::SEGMENT_MAX, sorted_rule, build_max)
    },
    KernelDef {
        types: REALS,
        ..KernelDef::host(ops::SEGMENT_MIN, sorted_rule, build_min)
    },
    KernelDef {
        types: NUMBERS,
        host_inputs: &["num_segments"],
        ..KernelDef::host(ops::UNSORTED_SEGMENT_SUM, unsorted_rule, build_sum)
    },
    KernelDef {
        types: NUMBERS,
        host_inputs: &["num_segments"],
        ..KernelDef::host(ops::UNSORTED_SEGMENT_PROD, unsorted_rule, build_prod)
    },
    KernelDef {
        types: REALS,
        host_inputs: &["num_segments"],
        ..KernelDef::host(ops::UNSORTED_SEGMENT_MAX, unsorted_rule, build_unsorted_max)
    },
    KernelDef {
        types: REALS,
        host_inputs: &["num_segments"],
        ..KernelDef::host(ops::UNSORTED_SEGMENT_MIN, unsorted_rule, build_unsorted_min)
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
            |$T| $body
        )
    };
}

fn build_sum(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    numbers!(init, |T| kernel(
        init,
        Folded::<T, _>::by(Plus),
        T::default()
    ))
}

fn build_prod(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    numbers!(init, |T| kernel(init, Folded::<T, _>::by(Times), T::one()))
}

fn build_mean(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    if DTypeSet::INT.contains(dtype) {
        return dispatch!(dtype, Int, |T| kernel(
            init,
            IntegerMean::<T>::new(),
            T::default()
        ));
    }
    dispatch!(
        dtype,
        [Half, Bfloat16, Float, Double, Complex64, Complex128],
        |T| kernel(init, Mean::<T>::new(), T::default())
    )
}

fn build_max(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| kernel(
        init,
        Folded::<T, _>::by(Larger),
        T::default()
    ))
}

fn build_min(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| kernel(
        init,
        Folded::<T, _>::by(Smaller),
        T::default()
    ))
}

fn build_unsorted_max(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| kernel(
        init,
        Folded::<T, _>::by(Larger),
        <T as Bounded>::min_value()
    ))
}

fn build_unsorted_min(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Real, |T| kernel(
        init,
        Folded::<T, _>::by(Smaller),
        <T as Bounded>::max_value()
    ))
}

/// A row for each segment up to that of the last id.
fn sorted_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [data, ids] = op.inputs(["data", "segment_ids"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.at_least_rank(data, 1, || {
            err!(InvalidArgument, "input must be at least rank 1")
        })?;
        call.of_rank(ids, 1, || {
            err!(InvalidArgument, "segment_ids should be a vector.")
        })?;
        let Some(dims) = call.dims(data) else {
            return Ok(());
        };
        ensure!(
            call.dims(ids)
                .is_none_or(|ids| dim::merge(ids[0], dims[0]).is_some()),
            InvalidArgument,
            "segment_ids should be the same size as dimension 0 of input."
        );
        let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
        dims[0] = dim::UNKNOWN;
        call.set(0, &dims)
    }))
}

/// `num_segments` rows, of the dimensions that the ids do not have.
fn unsorted_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [data, ids, count] = op.inputs(["data", "segment_ids", "num_segments"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(count, 0, || {
            err!(
                InvalidArgument,
                "num_segments should be a scalar, not shape {}",
                call.shown(count)
            )
        })?;
        let dims = match (call.dims(data), call.dims(ids)) {
            (Some(data), Some(ids)) => Some((data, ids)),
            _ => None,
        };
        let starts_with = |(data, ids): (&[i64], &[i64])| {
            let mut pairs = data.iter().zip(ids);
            data.len() >= ids.len() && pairs.all(|(&a, &b)| dim::merge(a, b).is_some())
        };
        ensure!(
            dims.is_none_or(starts_with),
            InvalidArgument,
            "data.shape = {} does not start with segment_ids.shape = {}",
            call.shown(data),
            call.shown(ids)
        );
        let count = call.integer(count)?;
        ensure!(
            count.is_none_or(|count| count >= 0),
            InvalidArgument,
            "Input num_segments == {} must not be negative.",
            count.unwrap_or_default()
        );
        let Some((data, ids)) = dims else {
            return Ok(());
        };
        let mut dims: SmallVec<[i64; 8]> = SmallVec::new();
        dims.push(count.unwrap_or(dim::UNKNOWN));
        dims.extend_from_slice(&data[ids.len()..]);
        call.set(0, &dims)
    }))
}

/// The kernel with a reducer and what stands for a segment without rows.
fn kernel<R: Reducer + 'static>(
    init: &KernelInit<'_>,
    reducer: R,
    missing: R::Item,
) -> Result<Box<dyn Kernel>> {
    dyn_kernel::<R::Item, R::Total>(init, Box::new(reducer), missing)
}

fn dyn_kernel<I: Plain, A: Plain>(
    init: &KernelInit<'_>,
    reducer: Box<DynReducer<I, A>>,
    missing: I,
) -> Result<Box<dyn Kernel>> {
    let [data, ids] = init.inputs(["data", "segment_ids"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (data, ids) = (ctx.input(data), ctx.input(ids));
        // How many segments there are is known before when it is told.
        let (rows, shape) = match ctx.output_facts(0).known() {
            Some(shape) => (unsorted(data, ids, shape.dims()[0])?, shape.clone()),
            None => {
                let (rows, count) = sorted(ids)?;
                let mut dims = SmallVec::<[i64; 8]>::from_slice(data.dims());
                dims[0] = count;
                (rows, Shape::new(&dims)?)
            }
        };
        let out = combined(ctx, &*reducer, data, &rows, missing, shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The segment of each row, of ids that do not decrease: the last says how many segments there are.
fn sorted(ids: &Tensor) -> Result<(Vec<usize>, i64)> {
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

/// The segment of each row, of ids in any order, negative ones for rows that belong to no segment.
fn unsorted(data: &Tensor, ids: &Tensor, count: i64) -> Result<Vec<usize>> {
    if data.num_elements() == 0 {
        return Ok(Vec::new());
    }
    let mut rows = scratch(ids.num_elements())?;
    for (i, id) in axes::integers(ids)?.into_iter().enumerate() {
        ensure!(
            id < count,
            InvalidArgument,
            "segment_ids{} = {id} is out of range [0, {count})",
            axes::place(ids.dims(), i)
        );
        rows.push(usize::try_from(id).unwrap_or(Rows::NONE));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;

    #[test]
    fn segments_without_rows_and_of_nothing() {
        let x = Tensor::from_slice(&[3, 2], &[1i32, 2, 3, 4, 5, 6]).expect("a tensor");
        let ids = Tensor::vector(&[2i32, -1, 2]).expect("a tensor");
        let of = |count: i64| {
            vec![
                x.clone(),
                ids.clone(),
                Tensor::scalar(count).expect("count"),
            ]
        };
        let out = run("UnsortedSegmentSum", &[], of(3)).expect("sums");
        assert_eq!(out[0].dims(), [3, 2]);
        assert_eq!(out[0].as_slice::<i32>().expect("ints"), [0, 0, 0, 0, 6, 8]);
        for (count, message) in [
            (2, "segment_ids[0] = 2 is out of range [0, 2)"),
            (-1, "Input num_segments == -1 must not be negative."),
        ] {
            let e = run("UnsortedSegmentSum", &[], of(count)).expect_err(message);
            assert_eq!(e.message(), message);
        }
        let ids = Tensor::vector(&[0i32, 2, 2]).expect("a tensor");
        let out = run("SegmentMax", &[], vec![x.clone(), ids]).expect("maxima");
        assert_eq!(out[0].as_slice::<i32>().expect("ints"), [1, 2, 0, 0, 5, 6]);
        let nothing = Tensor::from_slice::<f32>(&[0, 1 << 40], &[]).expect("a tensor");
        let ids = Tensor::from_slice::<i32>(&[0], &[]).expect("a tensor");
        let out = run("SegmentSum", &[], vec![nothing, ids]).expect("no segments");
        assert_eq!(out[0].dims(), [0, 1 << 40]);
    }
}
