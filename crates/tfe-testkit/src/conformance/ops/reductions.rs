//! Reductions other than `Sum`: `Mean`, `Prod`, `Max`, `Min`, and of truth values `All`, `Any`.

use tfe_core::{Code, Complex128, DTypeSet, DataType, Result, Tensor};

use super::sum::CASES;
use super::{Samples, Suite, Want, attrs, indices, zeros};
use crate::compare::Tolerance;
use crate::conformance::data::{epsilon, int_range, ordinary};
use crate::conformance::index::{flat, places};
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

/// What a reduction makes of a list of elements.
struct Reduction {
    op: &'static str,
    ints: fn(&[i128], DataType) -> i128,
    floats: fn(&[f64]) -> f64,
    complex: fn(&[Complex128]) -> Complex128,
    /// How far from that a result may be, in units of the last place of the largest element.
    ulps: f64,
    /// Whether lists that are long are too long: their products do not fit.
    short: bool,
}

const MEAN: Reduction = Reduction {
    op: "Mean",
    ints: |v, _| v.iter().sum::<i128>() / v.len().max(1) as i128,
    floats: |v| v.iter().sum::<f64>() / v.len() as f64,
    complex: |v| v.iter().sum::<Complex128>() / v.len().max(1) as f64,
    ulps: 16.0,
    short: false,
};

const PROD: Reduction = Reduction {
    op: "Prod",
    ints: |v, _| v.iter().fold(1, |a, &b| a.wrapping_mul(b)),
    floats: |v| v.iter().product(),
    complex: |v| v.iter().product(),
    ulps: 64.0,
    short: true,
};

const MAX: Reduction = Reduction {
    op: "Max",
    ints: |v, dtype| v.iter().copied().max().unwrap_or(least(dtype)),
    floats: |v| fold(v, f64::NEG_INFINITY, |a, b| a > b),
    complex: |_| Complex128::default(),
    ulps: 0.0,
    short: false,
};

const MIN: Reduction = Reduction {
    op: "Min",
    ints: |v, dtype| v.iter().copied().min().unwrap_or(greatest(dtype)),
    floats: |v| fold(v, f64::INFINITY, |a, b| a < b),
    complex: |_| Complex128::default(),
    ulps: 0.0,
    short: false,
};

const ALL: Reduction = Reduction {
    op: "All",
    ints: |v, _| v.iter().copied().min().unwrap_or(1),
    ..MIN
};

const ANY: Reduction = Reduction {
    op: "Any",
    ints: |v, _| v.iter().copied().max().unwrap_or(0),
    ..MAX
};

fn least(dtype: DataType) -> i128 {
    int_range(dtype).map_or(0, |(least, _)| least)
}

fn greatest(dtype: DataType) -> i128 {
    int_range(dtype).map_or(0, |(_, greatest)| greatest)
}

/// The best of numbers; NaN if one is.
fn fold(numbers: &[f64], first: f64, better: fn(f64, f64) -> bool) -> f64 {
    numbers.iter().fold(first, |best, &x| {
        if best.is_nan() || better(best, x) {
            best
        } else {
            x
        }
    })
}

macro_rules! of_numbers {
    ($($reduction:ident),*) => {
        [$(Suite {
            op: $reduction.op,
            types: &["T", "Tidx"],
            samples: |types| samples(&$reduction, types[0], types[1], true),
            plain: |types| plain(types[0], types[1], true),
            without_kernel: Code::NotFound,
        }),*]
    };
}

macro_rules! of_truth_values {
    ($($reduction:ident),*) => {
        [$(Suite {
            op: $reduction.op,
            types: &["Tidx"],
            samples: |types| samples(&$reduction, DataType::Bool, types[0], false),
            plain: |types| plain(DataType::Bool, types[0], false),
            without_kernel: Code::NotFound,
        }),*]
    };
}

pub(super) const NUMBERS: [Suite; 4] = of_numbers!(MEAN, PROD, MAX, MIN);
pub(super) const TRUTH_VALUES: [Suite; 2] = of_truth_values!(ALL, ANY);

fn types(dtype: DataType, index_type: DataType, typed: bool) -> super::Attrs {
    let mut types = attrs([("Tidx", index_type.into())]);
    types.extend(typed.then(|| ("T".to_owned(), dtype.into())));
    types
}

fn plain(dtype: DataType, index_type: DataType, typed: bool) -> Result<Call> {
    let axes = Tensor::zeros(index_type, tfe_core::Shape::vector(1))?;
    Ok((types(dtype, index_type, typed), vec![zeros(dtype)?, axes]))
}

fn samples(
    reduction: &Reduction,
    dtype: DataType,
    index_type: DataType,
    typed: bool,
) -> Result<Vec<Sample>> {
    let mut samples = Samples::new(types(dtype, index_type, typed));
    for &(name, dims, axes) in CASES {
        if reduction.short && dims.iter().product::<i64>() > 200 {
            continue;
        }
        for (keep, suffix) in [(false, ""), (true, "_kept")] {
            let input = ordinary(dtype, dims, 3)?;
            let want = reference(reduction, &input, axes, keep)?;
            let inputs = vec![input, indices(index_type, axes)?];
            let keep = [("keep_dims", keep.into())];
            samples.add(format!("{name}{suffix}"), keep, inputs, want);
        }
    }
    if DTypeSet::FLOAT.contains(dtype) {
        let infinity = f64::INFINITY;
        let specials = vec![infinity, 1.0, f64::NAN, -infinity, infinity, -1.0];
        let input = values::tensor(dtype, &[2, 3], &Values::Float(specials))?;
        for axis in [0, 1] {
            let want = reference(reduction, &input, &[axis], false)?;
            let inputs = vec![input.clone(), indices(index_type, &[axis])?];
            samples.add(format!("specials_{axis}"), [], inputs, want);
        }
    }
    let matrix = ordinary(dtype, &[2, 3], 3)?;
    samples.add_invalid(
        "too_far",
        [],
        vec![matrix.clone(), indices(index_type, &[2])?],
    );
    samples.add_invalid("twice", [], vec![matrix, indices(index_type, &[0, -2])?]);
    Ok(samples.list)
}

fn reference(reduction: &Reduction, input: &Tensor, axes: &[i64], keep: bool) -> Result<Want> {
    let (dtype, dims) = (input.dtype(), input.dims());
    let rank = dims.len() as i64;
    let reduced = |i: usize| axes.iter().any(|&a| (a + rank) % rank == i as i64);
    let kept: Vec<i64> = dims
        .iter()
        .enumerate()
        .map(|(i, &d)| if reduced(i) { 1 } else { d })
        .collect();
    // Which elements come to each of the result.
    let mut lists = vec![Vec::new(); kept.iter().product::<i64>() as usize];
    for (i, mut place) in places(dims).enumerate() {
        for (axis, p) in place.iter_mut().enumerate() {
            *p = if reduced(axis) { 0 } else { *p };
        }
        lists[flat(&kept, &place)].push(i);
    }
    let mut largest = 1.0f64;
    let reduced_values = match values(input)? {
        Values::Int(v) => {
            let of = |list: &Vec<usize>| {
                let list: Vec<_> = list.iter().map(|&i| v[i]).collect();
                (reduction.ints)(&list, dtype)
            };
            Values::Int(lists.iter().map(of).collect())
        }
        Values::Float(v) => {
            let finite = v.iter().filter(|x| x.is_finite());
            largest = finite.fold(largest, |a, &x| a.max(x.abs()));
            let of = |list: &Vec<usize>| {
                let list: Vec<_> = list.iter().map(|&i| v[i]).collect();
                (reduction.floats)(&list)
            };
            Values::Float(lists.iter().map(of).collect())
        }
        Values::Complex(v) => {
            let finite = v.iter().filter(|x| x.is_finite());
            largest = finite.fold(largest, |a, x| a.max(x.norm()));
            let of = |list: &Vec<usize>| {
                let list: Vec<_> = list.iter().map(|&i| v[i]).collect();
                (reduction.complex)(&list)
            };
            Values::Complex(lists.iter().map(of).collect())
        }
        other => other,
    };
    let out: Vec<i64> = dims
        .iter()
        .enumerate()
        .filter(|&(i, _)| keep || !reduced(i))
        .map(|(i, _)| kept[i])
        .collect();
    let eps = epsilon(dtype);
    let tolerance = (eps > 0.0 && reduction.ulps > 0.0).then_some(Tolerance {
        rtol: reduction.ulps * eps,
        atol: reduction.ulps * eps * largest,
    });
    Ok(Want::about(
        values::tensor(dtype, &out, &reduced_values)?,
        tolerance,
    ))
}
