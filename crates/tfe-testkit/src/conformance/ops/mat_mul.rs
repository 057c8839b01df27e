//! `MatMul`.

use tfe_core::{Code, Complex128, DataType, Result, Shape, Tensor};

use super::{Samples, Suite, Want, attrs};
use crate::compare::Tolerance;
use crate::conformance::data::{epsilon, ordinary};
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

pub(super) const SUITE: Suite = Suite {
    op: "MatMul",
    types: &["T"],
    samples,
    plain,
    without_kernel: Code::NotFound,
};

/// Rows, inner dimension, columns.
const CASES: &[(&str, i64, i64, i64)] = &[
    ("small", 2, 3, 4),
    ("one", 1, 1, 1),
    ("dot", 1, 37, 1),
    ("row", 1, 5, 33),
    ("column", 33, 5, 1),
    ("outer", 7, 1, 9),
    ("odd", 17, 33, 19),
    ("block", 64, 64, 64),
    ("beyond_blocks", 65, 130, 67),
    ("no_rows", 0, 3, 2),
    ("no_columns", 2, 3, 0),
    ("nothing_to_add", 2, 0, 3),
];

fn plain(types: &[DataType]) -> Result<Call> {
    let square = Tensor::zeros(types[0], Shape::new(&[2, 2])?)?;
    Ok((
        attrs([("T", types[0].into())]),
        vec![square.clone(), square],
    ))
}

fn samples(types: &[DataType]) -> Result<Vec<Sample>> {
    let dtype = types[0];
    let mut samples = Samples::new(attrs([("T", dtype.into())]));
    for &(name, m, k, n) in CASES {
        for (ta, tb) in [(false, false), (false, true), (true, false), (true, true)] {
            let a = ordinary(dtype, &if ta { [k, m] } else { [m, k] }, 5)?;
            let b = ordinary(dtype, &if tb { [n, k] } else { [k, n] }, 6)?;
            let want = reference(&a, &b, ta, tb)?;
            let transposed = [("transpose_a", ta.into()), ("transpose_b", tb.into())];
            let name = format!("{name}_{}{}", u8::from(ta), u8::from(tb));
            samples.add(name, transposed, vec![a, b], want);
        }
    }
    for (name, a, b) in [
        ("unlike_inner", &[2i64, 3][..], &[2i64, 3][..]),
        ("vector", &[3], &[3, 2]),
        ("rank_3", &[2, 2, 2], &[2, 2]),
        ("scalars", &[], &[]),
    ] {
        samples.add_invalid(
            name,
            [],
            vec![ordinary(dtype, a, 5)?, ordinary(dtype, b, 6)?],
        );
    }
    Ok(samples.list)
}

pub(in crate::conformance) fn reference(
    a: &Tensor,
    b: &Tensor,
    ta: bool,
    tb: bool,
) -> Result<Want> {
    let dtype = a.dtype();
    let size = |t: &Tensor, transposed: bool| {
        let (rows, columns) = (t.dims()[0] as usize, t.dims()[1] as usize);
        if transposed {
            (columns, rows)
        } else {
            (rows, columns)
        }
    };
    let ((m, k), (_, n)) = (size(a, ta), size(b, tb));
    let at_a = |i: usize, l: usize| if ta { l * m + i } else { i * k + l };
    let at_b = |l: usize, j: usize| if tb { j * k + l } else { l * n + j };
    let cells = || (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
    let mut magnitude = 0.0f64;
    let products = match (values(a)?, values(b)?) {
        (Values::Int(a), Values::Int(b)) => {
            let term = |i, l, j| a[at_a(i, l)].wrapping_mul(b[at_b(l, j)]);
            Values::Int(
                cells()
                    .map(|(i, j)| (0..k).fold(0i128, |s, l| s.wrapping_add(term(i, l, j))))
                    .collect(),
            )
        }
        (Values::Float(a), Values::Float(b)) => {
            let term = |i, l, j| a[at_a(i, l)] * b[at_b(l, j)];
            for (i, j) in cells() {
                magnitude = magnitude.max((0..k).map(|l| term(i, l, j).abs()).sum());
            }
            Values::Float(
                cells()
                    .map(|(i, j)| (0..k).map(|l| term(i, l, j)).sum())
                    .collect(),
            )
        }
        (Values::Complex(a), Values::Complex(b)) => {
            let term = |i, l, j| -> Complex128 { a[at_a(i, l)] * b[at_b(l, j)] };
            for (i, j) in cells() {
                magnitude = magnitude.max((0..k).map(|l| term(i, l, j).norm()).sum());
            }
            Values::Complex(
                cells()
                    .map(|(i, j)| (0..k).map(|l| term(i, l, j)).sum())
                    .collect(),
            )
        }
        (other, _) => other,
    };
    let eps = epsilon(dtype);
    let tolerance = (eps > 0.0).then_some(Tolerance {
        rtol: eps,
        atol: 16.0 * eps * magnitude,
    });
    Ok(Want::about(
        values::tensor(dtype, &[m as i64, n as i64], &products)?,
        tolerance,
    ))
}
