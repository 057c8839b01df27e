//! `TopKV2`.

use std::cmp::Ordering;

use tfe_core::{Code, DataType, Result, Tensor};

use super::{Attrs, Samples, Suite, Want, attrs, index, zeros};
use crate::conformance::data::ordinary;
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, pick, values};

pub(super) const SUITE: Suite = Suite {
    op: "TopKV2",
    types: &["T", "Tk", "index_type"],
    samples,
    plain,
    without_kernel: Code::NotFound,
};

const CASES: &[(&str, &[i64], i64)] = &[
    ("one", &[5], 1),
    ("some", &[9], 4),
    ("all", &[6], 6),
    ("none", &[6], 0),
    ("rows", &[3, 7], 2),
    ("rank_3", &[2, 2, 5], 3),
    ("no_rows", &[0, 4], 2),
    ("no_columns", &[2, 0], 0),
    // Ordinary integers are from -50 to 50, so many of these are ties.
    ("ties", &[2, 500], 40),
    ("all_of_many", &[300], 300),
];

fn common(types: &[DataType]) -> Attrs {
    attrs([
        ("T", types[0].into()),
        ("Tk", types[1].into()),
        ("index_type", types[2].into()),
    ])
}

fn plain(types: &[DataType]) -> Result<Call> {
    let k = Tensor::zeros(types[1], tfe_core::Shape::scalar())?;
    Ok((common(types), vec![zeros(types[0])?, k]))
}

fn samples(types: &[DataType]) -> Result<Vec<Sample>> {
    let &[dtype, k_type, index_type] = types else {
        return Ok(Vec::new());
    };
    let mut samples = Samples::new(common(types));
    for &(name, dims, k) in CASES {
        let input = ordinary(dtype, dims, 9)?;
        let want = reference(&input, k as usize, index_type)?;
        samples.add(name, [], vec![input, index(k_type, k)?], want);
    }
    let row = ordinary(dtype, &[3], 9)?;
    samples.add_invalid("too_many", [], vec![row.clone(), index(k_type, 4)?]);
    samples.add_invalid("negative", [], vec![row.clone(), index(k_type, -1)?]);
    samples.add_invalid(
        "of_a_scalar",
        [],
        vec![ordinary(dtype, &[], 9)?, index(k_type, 1)?],
    );
    samples.add_invalid(
        "k_is_a_vector",
        [],
        vec![row, super::indices(k_type, &[1, 1])?],
    );
    Ok(samples.list)
}

/// The greatest first; of equal ones the first.
pub(in crate::conformance) fn reference(
    input: &Tensor,
    k: usize,
    index_type: DataType,
) -> Result<Want> {
    let all = values(input)?;
    let greater_first = |&a: &usize, &b: &usize| match &all {
        Values::Int(v) => v[b].cmp(&v[a]),
        Values::Float(v) => v[b].total_cmp(&v[a]),
        _ => Ordering::Equal,
    };
    let (&columns, rows) = input.dims().split_last().unwrap_or((&1, &[]));
    let columns = columns as usize;
    let n = rows.iter().product::<i64>() as usize;
    let mut chosen = Vec::new();
    for row in 0..n {
        let mut order: Vec<usize> = (row * columns..(row + 1) * columns).collect();
        // A stable sort: ties stay in order.
        order.sort_by(greater_first);
        chosen.extend_from_slice(&order[..k]);
    }
    let dims = [rows, &[k as i64]].concat();
    let elements: Vec<_> = chosen.iter().map(|&i| (0, i)).collect();
    let places = chosen.iter().map(|&i| (i % columns) as i128).collect();
    Ok(Want::Results(
        vec![
            pick(&[input], input.dtype(), &dims, &elements)?,
            values::tensor(index_type, &dims, &Values::Int(places))?,
        ],
        None,
    ))
}
