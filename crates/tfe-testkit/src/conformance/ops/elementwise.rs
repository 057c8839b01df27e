//! Ops on two numbers at a time, with broadcasting: `AddV2`, `Mul`.

use tfe_core::{Code, Complex128, DataType, Result, Shape, Tensor, bail, ensure};

use super::{Samples, Suite, Want, attrs, zeros};
use crate::compare::Tolerance;
use crate::conformance::data::{epsilon, flushed, odd_vector, ordinary};
use crate::conformance::index::{broadcast, broadcast_from, places};
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

pub(super) const SUITES: &[Suite] = &[
    Suite {
        op: "AddV2",
        types: &["T"],
        samples: |types| samples(&ADD, types[0]),
        plain,
        without_kernel: Code::NotFound,
    },
    Suite {
        op: "Mul",
        types: &["T"],
        samples: |types| samples(&MUL, types[0]),
        plain,
        without_kernel: Code::NotFound,
    },
];

struct Rule {
    int: fn(i128, i128) -> i128,
    float: fn(f64, f64) -> f64,
    complex: fn(Complex128, Complex128) -> Complex128,
    /// Whether complex numbers with NaN or infinite parts have one right answer.
    complex_is_by_parts: bool,
}

// Products of two 64-bit numbers overflow 128 bits, but their low 64 bits do not.
const ADD: Rule = Rule {
    int: i128::wrapping_add,
    float: |a, b| a + b,
    complex: |a, b| a + b,
    complex_is_by_parts: true,
};
const MUL: Rule = Rule {
    int: i128::wrapping_mul,
    float: |a, b| a * b,
    complex: |a, b| a * b,
    complex_is_by_parts: false,
};

const SHAPES: &[(&str, &[i64], &[i64])] = &[
    ("scalars", &[], &[]),
    ("same", &[2, 3], &[2, 3]),
    ("scalar_left", &[], &[5]),
    ("scalar_right", &[5], &[]),
    ("one_left", &[1], &[2, 3]),
    ("row", &[4, 3], &[3]),
    ("column", &[4, 3], &[4, 1]),
    ("outer", &[4, 1], &[1, 3]),
    ("middle", &[2, 3, 4], &[3, 1]),
    ("zebra", &[2, 1, 2, 1, 2, 1], &[1, 3, 1, 2, 1, 2]),
    ("rank_9", &[1, 2, 1, 1, 2, 1, 1, 2, 1], &[2, 1, 2]),
    ("empty", &[0, 3], &[3]),
    ("empty_by_one", &[0], &[1]),
    ("long", &[1037], &[1037]),
    ("long_row", &[33, 65], &[65]),
    ("long_column", &[33, 65], &[33, 1]),
];

fn plain(types: &[DataType]) -> Result<Call> {
    Ok((
        attrs([("T", types[0].into())]),
        vec![zeros(types[0])?, zeros(types[0])?],
    ))
}

fn samples(rule: &Rule, dtype: DataType) -> Result<Vec<Sample>> {
    let mut samples = Samples::new(attrs([("T", dtype.into())]));
    for (name, a, b) in SHAPES {
        let (a, b) = (ordinary(dtype, a, 1)?, ordinary(dtype, b, 2)?);
        let want = reference(rule, &a, &b)?;
        samples.add(*name, [], vec![a, b], want);
    }
    let complex = matches!(dtype, DataType::Complex64 | DataType::Complex128);
    if let Some(odd) = odd_vector(dtype)?.filter(|_| rule.complex_is_by_parts || !complex) {
        let n = odd.dims()[0];
        let column = odd.reshaped(Shape::new(&[n, 1])?)?;
        let want = reference(rule, &odd, &column)?;
        samples.add("odd_with_odd", [], vec![odd, column], want);
    }
    for (name, a, b) in [
        ("unlike", &[2i64][..], &[3i64][..]),
        ("unlike_3d", &[2, 3, 4], &[3, 3]),
    ] {
        samples.add_invalid(
            name,
            [],
            vec![ordinary(dtype, a, 1)?, ordinary(dtype, b, 2)?],
        );
    }
    Ok(samples.list)
}

/// The reference by name of the op.
pub(in crate::conformance) fn of(op: &str, a: &Tensor, b: &Tensor) -> Result<Want> {
    let rule = match op {
        "AddV2" => &ADD,
        "Mul" => &MUL,
        _ => bail!(Unimplemented, "no reference for {op}"),
    };
    ensure!(
        broadcast(a.dims(), b.dims()).is_some(),
        InvalidArgument,
        "they do not broadcast"
    );
    reference(rule, a, b)
}

fn reference(rule: &Rule, a: &Tensor, b: &Tensor) -> Result<Want> {
    let dtype = a.dtype();
    let dims = broadcast(a.dims(), b.dims()).unwrap_or_default();
    let pairs = places(&dims).map(|place| {
        (
            broadcast_from(a.dims(), &place),
            broadcast_from(b.dims(), &place),
        )
    });
    let flush = |v| flushed(dtype, v);
    let parts = |c: Complex128| Complex128::new(flush(c.re), flush(c.im));
    let results = match (values(a)?, values(b)?) {
        (Values::Int(a), Values::Int(b)) => {
            Values::Int(pairs.map(|(i, j)| (rule.int)(a[i], b[j])).collect())
        }
        (Values::Float(a), Values::Float(b)) => Values::Float(
            pairs
                .map(|(i, j)| flush((rule.float)(flush(a[i]), flush(b[j]))))
                .collect(),
        ),
        (Values::Complex(a), Values::Complex(b)) => Values::Complex(
            pairs
                .map(|(i, j)| parts((rule.complex)(parts(a[i]), parts(b[j]))))
                .collect(),
        ),
        (other, _) => other,
    };
    // One rounding, so that real numbers have one right answer; complex products have several roundings.
    let tolerance = matches!(results, Values::Complex(_) if !rule.complex_is_by_parts)
        .then(|| Tolerance::relative(4.0 * epsilon(dtype)));
    Ok(Want::about(
        values::tensor(dtype, &dims, &results)?,
        tolerance,
    ))
}
