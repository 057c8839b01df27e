//! `Sum`.

use tfe_core::{Code, DataType, Result, Tensor};

use super::{Samples, Suite, Want, attrs, index, indices, zeros};
use crate::compare::Tolerance;
use crate::conformance::data::{epsilon, ordinary};
use crate::conformance::index::{flat, places};
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

pub(super) const SUITE: Suite = Suite {
    op: "Sum",
    types: &["T", "Tidx"],
    samples,
    plain,
    without_kernel: Code::NotFound,
};

/// Name, shape, axes.
pub(super) const CASES: &[(&str, &[i64], &[i64])] = &[
    ("rows", &[2, 3], &[0]),
    ("columns", &[2, 3], &[1]),
    ("all", &[2, 3], &[0, 1]),
    ("none", &[2, 3], &[]),
    ("from_the_end", &[2, 3, 4], &[-1]),
    ("middle", &[2, 3, 4], &[1]),
    ("both_ends", &[2, 3, 4], &[2, 0]),
    ("alternate", &[2, 3, 2, 3, 2], &[1, 3]),
    ("scalar", &[], &[]),
    ("of_nothing", &[0, 3], &[0]),
    ("nothing", &[0, 3], &[1]),
    ("one", &[1], &[0]),
    ("of_ones", &[1, 3, 1], &[0, 2]),
    ("long", &[1037], &[0]),
    ("long_rows", &[65, 33], &[0]),
    ("long_columns", &[33, 65], &[1]),
];

fn plain(types: &[DataType]) -> Result<Call> {
    let attrs = attrs([("T", types[0].into()), ("Tidx", types[1].into())]);
    Ok((
        attrs,
        vec![
            zeros(types[0])?,
            Tensor::zeros(types[1], tfe_core::Shape::vector(1))?,
        ],
    ))
}

fn samples(types: &[DataType]) -> Result<Vec<Sample>> {
    let &[dtype, index_type] = types else {
        return Ok(Vec::new());
    };
    let mut samples = Samples::new(attrs([("T", dtype.into()), ("Tidx", index_type.into())]));
    for (name, dims, axes) in CASES {
        for (keep, suffix) in [(false, ""), (true, "_kept")] {
            let input = ordinary(dtype, dims, 3)?;
            let want = reference(&input, axes, keep)?;
            let inputs = vec![input, indices(index_type, axes)?];
            samples.add(
                format!("{name}{suffix}"),
                [("keep_dims", keep.into())],
                inputs,
                want,
            );
        }
    }
    let matrix = ordinary(dtype, &[2, 3], 3)?;
    let want = reference(&matrix, &[1], false)?;
    samples.add(
        "scalar_axis",
        [],
        vec![matrix.clone(), index(index_type, 1)?],
        want,
    );
    if epsilon(dtype) > 0.0 {
        let specials = [
            f64::INFINITY,
            1.0,
            f64::NAN,
            f64::NEG_INFINITY,
            f64::INFINITY,
            -1.0,
        ];
        let specials = match values(&matrix)? {
            Values::Complex(_) => Values::Complex(
                specials
                    .iter()
                    .map(|&re| tfe_core::Complex::new(re, 1.0))
                    .collect(),
            ),
            _ => Values::Float(specials.to_vec()),
        };
        let input = values::tensor(dtype, &[2, 3], &specials)?;
        for axis in [0, 1] {
            let want = reference(&input, &[axis], false)?;
            let inputs = vec![input.clone(), indices(index_type, &[axis])?];
            samples.add(format!("specials_{axis}"), [], inputs, want);
        }
    }
    for (name, axes) in [
        ("too_far", &[2i64][..]),
        ("too_far_back", &[-3]),
        ("twice", &[0, -2]),
    ] {
        samples.add_invalid(name, [], vec![matrix.clone(), indices(index_type, axes)?]);
    }
    Ok(samples.list)
}

pub(in crate::conformance) fn reference(input: &Tensor, axes: &[i64], keep: bool) -> Result<Want> {
    let (dtype, dims) = (input.dtype(), input.dims());
    let rank = dims.len() as i64;
    let reduced = |i: usize| axes.iter().any(|&a| (a + rank) % rank == i as i64);
    let kept: Vec<i64> = dims
        .iter()
        .enumerate()
        .map(|(i, &d)| if reduced(i) { 1 } else { d })
        .collect();
    let target = |place: &[i64]| {
        let place: Vec<i64> = place
            .iter()
            .enumerate()
            .map(|(i, &p)| if reduced(i) { 0 } else { p })
            .collect();
        flat(&kept, &place)
    };
    let n = kept.iter().product::<i64>() as usize;
    let mut magnitude = vec![0.0f64; n];
    let sums = match values(input)? {
        Values::Int(v) => {
            let mut sums = vec![0i128; n];
            places(dims)
                .zip(v)
                .for_each(|(place, v)| sums[target(&place)] += v);
            Values::Int(sums)
        }
        Values::Float(v) => {
            let mut sums = vec![0.0; n];
            for (place, v) in places(dims).zip(v) {
                sums[target(&place)] += v;
                magnitude[target(&place)] += v.abs();
            }
            Values::Float(sums)
        }
        Values::Complex(v) => {
            let mut sums = vec![tfe_core::Complex128::default(); n];
            for (place, v) in places(dims).zip(v) {
                sums[target(&place)] += v;
                magnitude[target(&place)] += v.norm();
            }
            Values::Complex(sums)
        }
        other => other,
    };
    let out: Vec<i64> = if keep {
        kept
    } else {
        dims.iter()
            .enumerate()
            .filter(|&(i, _)| !reduced(i))
            .map(|(_, &d)| d)
            .collect()
    };
    // The order of additions is free, so what may differ is a share of the sum of magnitudes.
    let finite = magnitude
        .into_iter()
        .filter(|m| m.is_finite())
        .fold(0.0, f64::max);
    let eps = epsilon(dtype);
    let tolerance = (eps > 0.0).then_some(Tolerance {
        rtol: eps,
        atol: 16.0 * eps * finite,
    });
    Ok(Want::about(values::tensor(dtype, &out, &sums)?, tolerance))
}
