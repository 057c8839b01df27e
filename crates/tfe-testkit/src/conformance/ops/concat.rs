//! `ConcatV2`.

use tfe_core::{Code, DataType, Result, Tensor};

use super::{Attrs, Samples, Suite, Want, attrs, index, indices, zeros};
use crate::conformance::data::ordinary;
use crate::conformance::index::{flat, places};
use crate::conformance::{Call, Sample};
use crate::values::pick;

pub(super) const SUITE: Suite = Suite {
    op: "ConcatV2",
    types: &["T", "Tidx"],
    samples,
    plain,
    without_kernel: Code::NotFound,
};

/// Shapes of the inputs, and the axis.
type Case = (&'static str, &'static [&'static [i64]], i64);

const CASES: &[Case] = &[
    ("vectors", &[&[2], &[3]], 0),
    ("rows", &[&[2, 3], &[4, 3]], 0),
    ("columns", &[&[2, 3], &[2, 1]], 1),
    ("from_the_end", &[&[2, 2, 2], &[2, 1, 2], &[2, 3, 2]], -2),
    ("innermost", &[&[2, 2, 1], &[2, 2, 4]], 2),
    ("part_is_empty", &[&[2, 0], &[2, 3], &[2, 0]], 1),
    ("all_is_empty", &[&[0, 3], &[0, 3]], 0),
    ("empty_elsewhere", &[&[0, 2], &[0, 3]], 1),
    (
        "many",
        &[&[1], &[2], &[1], &[3], &[1], &[1], &[2], &[1], &[5]],
        0,
    ),
    ("large", &[&[40, 50], &[40, 30]], 1),
];

const WRONG: &[Case] = &[
    ("unlike", &[&[2, 3], &[3, 4]], 0),
    ("unlike_ranks", &[&[2, 3], &[3]], 0),
    ("axis_too_far", &[&[2, 3], &[2, 3]], 2),
    ("axis_too_far_back", &[&[2, 3], &[2, 3]], -3),
    ("scalars", &[&[], &[]], 0),
];

fn common(types: &[DataType], n: usize) -> Attrs {
    attrs([
        ("N", (n as i64).into()),
        ("T", types[0].into()),
        ("Tidx", types[1].into()),
    ])
}

fn plain(types: &[DataType]) -> Result<Call> {
    let axis = Tensor::zeros(types[1], tfe_core::Shape::scalar())?;
    Ok((
        common(types, 2),
        vec![zeros(types[0])?, zeros(types[0])?, axis],
    ))
}

fn samples(types: &[DataType]) -> Result<Vec<Sample>> {
    let mut list = Vec::new();
    for &(name, shapes, axis) in CASES.iter().chain(WRONG) {
        let mut samples = Samples::new(common(types, shapes.len()));
        let parts = shapes
            .iter()
            .zip(7..)
            .map(|(dims, seed)| ordinary(types[0], dims, seed));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let with = |axis: Tensor| parts.iter().cloned().chain([axis]).collect::<Vec<_>>();
        if WRONG.iter().any(|wrong| wrong.0 == name) {
            samples.add_invalid(name, [], with(index(types[1], axis)?));
        } else {
            let want = reference(&parts, axis)?;
            samples.add(name, [], with(index(types[1], axis)?), Want::exactly(want));
        }
        if name == "rows" {
            let want = reference(&parts, axis)?;
            samples.add(
                "axis_of_one",
                [],
                with(indices(types[1], &[0])?),
                Want::exactly(want),
            );
            samples.add_invalid("axis_of_two", [], with(indices(types[1], &[0, 0])?));
        }
        list.extend(samples.list);
    }
    Ok(list)
}

pub(in crate::conformance) fn reference(parts: &[Tensor], axis: i64) -> Result<Tensor> {
    let first = &parts[0];
    let axis = if axis < 0 {
        axis + first.rank() as i64
    } else {
        axis
    } as usize;
    let mut dims = first.dims().to_vec();
    dims[axis] = parts.iter().map(|t| t.dims()[axis]).sum();
    let elements = places(&dims).map(|mut place| {
        let mut part = 0;
        while place[axis] >= parts[part].dims()[axis] {
            place[axis] -= parts[part].dims()[axis];
            part += 1;
        }
        (part, flat(parts[part].dims(), &place))
    });
    let elements: Vec<_> = elements.collect();
    pick(
        &parts.iter().collect::<Vec<_>>(),
        first.dtype(),
        &dims,
        &elements,
    )
}
