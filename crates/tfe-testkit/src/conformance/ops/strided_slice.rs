//! `StridedSlice`.

use tfe_core::{Code, DataType, Result, Tensor};

use super::{Attrs, Samples, Suite, Want, attrs, indices, zeros};
use crate::conformance::data::ordinary;
use crate::conformance::index::{flat, places};
use crate::conformance::{Call, Sample};
use crate::values::pick;

pub(super) const SUITE: Suite = Suite {
    op: "StridedSlice",
    types: &["T", "Index"],
    samples,
    plain,
    without_kernel: Code::NotFound,
};

/// Which entries of a specification leave something open or mean something else: a bit for each entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Masks {
    /// Begins that are left open.
    pub begin: i64,
    /// Ends that are left open.
    pub end: i64,
    /// The entry that stands for all dimensions that no other entry names.
    pub ellipsis: i64,
    /// Entries that put in a dimension of 1.
    pub new_axis: i64,
    /// Entries that take one element and drop the dimension.
    pub shrink: i64,
}

/// What is to be taken of each dimension.
#[derive(Clone, Copy, Debug)]
pub struct SliceSpec<'a> {
    /// The first elements.
    pub begin: &'a [i64],
    /// The elements before which to end.
    pub end: &'a [i64],
    /// The steps.
    pub strides: &'a [i64],
    /// What the entries mean.
    pub masks: Masks,
}

const NO: Masks = Masks {
    begin: 0,
    end: 0,
    ellipsis: 0,
    new_axis: 0,
    shrink: 0,
};

struct Case {
    name: &'static str,
    dims: &'static [i64],
    spec: SliceSpec<'static>,
}

macro_rules! cases {
    ($($name:literal: $dims:expr, $begin:expr, $end:expr, $strides:expr, $masks:expr;)*) => {
        &[$(Case {
            name: $name,
            dims: &$dims,
            spec: SliceSpec { begin: &$begin, end: &$end, strides: &$strides, masks: $masks },
        }),*]
    };
}

const CASES: &[Case] = cases! {
    "all_by_masks": [4, 5], [9, 9], [-9, -9], [1, 1], Masks { begin: 3, end: 3, ..NO };
    "inside": [5, 6], [1, 2], [4, 5], [1, 1], NO;
    "every_second": [7, 6], [0, 1], [7, 6], [2, 2], NO;
    "backwards": [6], [4], [0], [-1], NO;
    "backwards_by_2": [7, 7], [-1, 5], [0, 0], [-2, -3], NO;
    "reversed": [3, 4], [0, 0], [0, 0], [-1, -1], Masks { begin: 3, end: 3, ..NO };
    "from_the_end": [5, 6], [-3, -4], [-1, -1], [1, 1], NO;
    "clamped": [5, 6], [-100, 2], [100, 100], [1, 1], NO;
    "past_the_end": [5], [7], [9], [1], NO;
    "empty": [5, 6], [3, 3], [3, 2], [1, 1], NO;
    "wrong_way": [5], [1], [4], [-1], NO;
    "fewer_than_rank": [3, 4, 5], [1], [3], [1], NO;
    "nothing_said": [3, 4], [], [], [], NO;
    "ellipsis_first": [2, 3, 4], [0, 1], [0, 3], [1, 1], Masks { ellipsis: 1, ..NO };
    "ellipsis_last": [2, 3, 4], [1, 0], [2, 0], [1, 1], Masks { ellipsis: 2, ..NO };
    "ellipsis_middle": [2, 3, 4, 5], [0, 0, 4], [2, 0, 1], [1, 1, -1], Masks { ellipsis: 2, ..NO };
    "ellipsis_of_nothing": [2, 3], [0, 0, 0], [2, 0, 3], [1, 1, 2], Masks { ellipsis: 2, ..NO };
    "new_axis_first": [2, 3], [0, 0], [0, 2], [1, 1], Masks { new_axis: 1, ..NO };
    "new_axis_last": [2, 3], [0, 0, 0], [2, 3, 0], [1, 1, 1], Masks { new_axis: 4, ..NO };
    "new_axes_and_ellipsis": [2, 3, 4], [0, 0, 0, 1], [0, 0, 0, 3], [1, 1, 1, 1],
        Masks { new_axis: 5, ellipsis: 2, ..NO };
    "shrunk_first": [3, 4], [1, 0], [2, 4], [1, 1], Masks { shrink: 1, ..NO };
    "shrunk_from_the_end": [3, 4], [0, -1], [3, 0], [1, 1], Masks { shrink: 2, ..NO };
    "shrunk_to_scalar": [3, 4], [2, 3], [3, 4], [1, 1], Masks { shrink: 3, ..NO };
    "shrunk_with_begin_mask": [3, 4], [2, 1], [3, 3], [1, 1], Masks { shrink: 1, begin: 2, ..NO };
    "new_axis_beats_shrink": [2, 3], [0, 1], [1, 2], [1, 1], Masks { new_axis: 1, shrink: 1, ..NO };
    "scalar": [], [], [], [], NO;
    "scalar_with_new_axis": [], [0], [0], [1], Masks { new_axis: 1, ..NO };
    "empty_input": [0, 3], [0, 1], [5, 3], [1, 1], NO;
    "rank_7": [2, 1, 2, 3, 1, 2, 2], [0, 0, 1, 2, 0, 0, 1], [2, 1, 2, 0, 1, 2, 2], [1, 1, 1, -1, 1, 1, 1], NO;
    "long_rows": [40, 30], [3, 2], [39, 29], [1, 1], NO;
    "long_steps": [40, 30], [39, 29], [0, 0], [-3, -2], NO;
};

const WRONG: &[Case] = cases! {
    "stride_of_zero": [5], [0], [5], [0], NO;
    "too_many": [5], [0, 0], [5, 1], [1, 1], NO;
    "two_ellipses": [2, 3, 4], [0, 0, 0], [0, 0, 2], [1, 1, 1], Masks { ellipsis: 3, ..NO };
    "shrunk_too_far": [3, 4], [3, 0], [4, 4], [1, 1], Masks { shrink: 1, ..NO };
    "shrunk_too_far_back": [3, 4], [-4, 0], [-3, 4], [1, 1], Masks { shrink: 1, ..NO };
    "shrunk_backwards": [3, 4], [1, 0], [0, 4], [-1, 1], Masks { shrink: 1, ..NO };
    "begin_is_longer": [3, 4], [1, 0], [2], [1], NO;
};

fn common(types: &[DataType]) -> Attrs {
    attrs([("T", types[0].into()), ("Index", types[1].into())])
}

fn plain(types: &[DataType]) -> Result<Call> {
    let none = Tensor::zeros(types[1], tfe_core::Shape::vector(0))?;
    Ok((
        common(types),
        vec![zeros(types[0])?, none.clone(), none.clone(), none],
    ))
}

fn samples(types: &[DataType]) -> Result<Vec<Sample>> {
    let mut samples = Samples::new(common(types));
    for (case, works) in CASES
        .iter()
        .map(|c| (c, true))
        .chain(WRONG.iter().map(|c| (c, false)))
    {
        let spec = &case.spec;
        let masks = [
            ("begin_mask", spec.masks.begin.into()),
            ("end_mask", spec.masks.end.into()),
            ("ellipsis_mask", spec.masks.ellipsis.into()),
            ("new_axis_mask", spec.masks.new_axis.into()),
            ("shrink_axis_mask", spec.masks.shrink.into()),
        ];
        let input = ordinary(types[0], case.dims, 10)?;
        let mut inputs = vec![input.clone()];
        for list in [spec.begin, spec.end, spec.strides] {
            inputs.push(indices(types[1], list)?);
        }
        if works {
            samples.add(
                case.name,
                masks,
                inputs,
                Want::exactly(reference(&input, spec)?),
            );
        } else {
            samples.add_invalid(case.name, masks, inputs);
        }
    }
    Ok(samples.list)
}

/// What becomes of one dimension of the result.
enum Dim {
    /// Elements of an input dimension: the first, the step, how many.
    Range(i64, i64, i64),
    /// One element of an input dimension; the dimension goes.
    At(i64),
    /// A dimension that the input does not have.
    New,
}

pub(in crate::conformance) fn reference(input: &Tensor, spec: &SliceSpec<'_>) -> Result<Tensor> {
    let plan = plan(input.dims(), spec);
    let dims: Vec<i64> = plan
        .iter()
        .filter_map(|dim| match dim {
            Dim::Range(_, _, n) => Some(*n),
            Dim::At(_) => None,
            Dim::New => Some(1),
        })
        .collect();
    let source = |place: Vec<i64>| {
        let mut place = place.into_iter();
        let mut from = Vec::new();
        for dim in &plan {
            match dim {
                Dim::Range(first, step, _) => {
                    from.extend(place.next().map(|p| first + p * step));
                }
                Dim::At(at) => from.push(*at),
                Dim::New => {
                    place.next();
                }
            }
        }
        (0, flat(input.dims(), &from))
    };
    let elements: Vec<_> = places(&dims).map(source).collect();
    pick(&[input], input.dtype(), &dims, &elements)
}

/// Goes through the entries of the specification as a reader of `x[1:3, ..., ::-1]` would.
fn plan(dims: &[i64], spec: &SliceSpec<'_>) -> Vec<Dim> {
    let has = |mask: i64, i: usize| mask >> i & 1 == 1;
    let masks = &spec.masks;
    let takes_dim = |i: usize| !has(masks.ellipsis, i) && !has(masks.new_axis, i);
    let entries = spec.begin.len();
    let named = (0..entries).filter(|&i| takes_dim(i)).count();
    let mut plan = Vec::new();
    let mut rest = dims.iter().copied();
    let whole = |plan: &mut Vec<Dim>, rest: &mut dyn Iterator<Item = i64>| {
        plan.extend(rest.take(dims.len() - named).map(|d| Dim::Range(0, 1, d)));
    };
    for i in 0..entries {
        if has(masks.ellipsis, i) {
            whole(&mut plan, &mut rest);
        } else if has(masks.new_axis, i) {
            plan.push(Dim::New);
        } else if let Some(d) = rest.next() {
            let from_end = |v: i64| if v < 0 { v + d } else { v };
            let stride = spec.strides[i];
            if has(masks.shrink, i) {
                plan.push(Dim::At(from_end(spec.begin[i])));
                continue;
            }
            let (least, most) = if stride > 0 { (0, d) } else { (-1, d - 1) };
            let bound = |masked, v: i64, open: i64| {
                if masked {
                    open
                } else {
                    from_end(v).clamp(least, most.max(least))
                }
            };
            let (first, last) = if stride > 0 {
                (least, most)
            } else {
                (most, least)
            };
            let begin = bound(has(masks.begin, i), spec.begin[i], first);
            let end = bound(has(masks.end, i), spec.end[i], last);
            let mut n = 0;
            while (stride > 0 && begin + n * stride < end)
                || (stride < 0 && begin + n * stride > end)
            {
                n += 1;
            }
            plan.push(Dim::Range(begin, stride, n));
        }
    }
    if masks.ellipsis == 0 {
        whole(&mut plan, &mut rest);
    }
    plan
}
