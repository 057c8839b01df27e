//! Ops on two elements at a time, with broadcasting: arithmetic, division, comparison.

use tfe_core::{Code, Complex128, DataType, Result, Shape, Tensor, bail, ensure};

use super::{Samples, Suite, Want, attrs, zeros};
use crate::compare::Tolerance;
use crate::conformance::data::{epsilon, flushed, least_normal, odd_vector, ordinary};
use crate::conformance::index::{broadcast, broadcast_from, places};
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

macro_rules! suites {
    ($($op:literal $rule:expr;)*) => {
        &[$(Suite {
            op: $op,
            types: &["T"],
            samples: |types| samples(&$rule, types[0]),
            plain,
            without_kernel: Code::NotFound,
        },)*]
    };
}

pub(super) const SUITES: &[Suite] = suites! {
    "AddV2" ADD;
    "Sub" SUB;
    "Mul" MUL;
    "RealDiv" DIV;
    "Div" DIV;
    "DivNoNan" Rule {
        float: |a, b| if b == 0.0 { 0.0 } else { a / b },
        complex: |a, b| if b == ZERO { ZERO } else { a / b },
        ..DIV
    };
    "TruncateDiv" Rule { whole: Some(f64::trunc), odd: false, ..DIV };
    "FloorDiv" Rule { int: floor_div, whole: Some(f64::floor), odd: false, ..DIV };
    "FloorMod" Rule {
        int: |a, b| a - b * floor_div(a, b),
        float: |a, b| {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
        },
        odd: false,
        ..DIV
    };
    "Mod" Rule { int: |a, b| a % b, float: |a, b| a % b, ..DIV };
    "TruncateMod" Rule { int: |a, b| a % b, float: |a, b| a % b, ..DIV };
    "SquaredDifference" Rule {
        int: |a, b| (a - b).wrapping_mul(a - b),
        float: |a, b| (a - b) * (a - b),
        complex: |a, b| Complex128::new((a - b).norm_sqr(), 0.0),
        ulps: 3.0,
        ..MUL
    };
    "Maximum" Rule {
        int: i128::max,
        float: |a, b| if a > b || a.is_nan() { a } else { b },
        ..ADD
    };
    "Minimum" Rule {
        int: i128::min,
        float: |a, b| if a < b || a.is_nan() { a } else { b },
        ..ADD
    };
    "Less" Rule { int: |a, b| (a < b).into(), float: |a, b| (a < b).into(), ..COMPARE };
    "LessEqual" Rule { int: |a, b| (a <= b).into(), float: |a, b| (a <= b).into(), ..COMPARE };
    "Greater" Rule { int: |a, b| (a > b).into(), float: |a, b| (a > b).into(), ..COMPARE };
    "GreaterEqual" Rule { int: |a, b| (a >= b).into(), float: |a, b| (a >= b).into(), ..COMPARE };
    "BitwiseAnd" Rule { int: |a, b| a & b, ..ADD };
    "BitwiseOr" Rule { int: |a, b| a | b, ..ADD };
    "BitwiseXor" Rule { int: |a, b| a ^ b, ..ADD };
    "Atan2" Rule { float: f64::atan2, ulps: 2.0, odd: false, ..ADD };
    "Xdivy" Rule {
        float: |a, b| if a == 0.0 { 0.0 } else { a / b },
        complex: |a, b| if a == ZERO { ZERO } else { a / b },
        ..DIV
    };
};

const ZERO: Complex128 = Complex128::new(0.0, 0.0);

struct Rule {
    int: fn(i128, i128) -> i128,
    float: fn(f64, f64) -> f64,
    /// How a float becomes a whole number, once it is rounded to the type.
    whole: Option<fn(f64) -> f64>,
    complex: fn(Complex128, Complex128) -> Complex128,
    /// Whether complex numbers with NaN or infinite parts have one right answer.
    complex_is_by_parts: bool,
    /// How far floats may be off, in units of the last place: 0 for one rounding of an exact result.
    ulps: f64,
    /// Whether results are truth values: 0 and 1.
    compares: bool,
    /// Whether a second integer of 0 is an error.
    divides: bool,
    /// Whether what comes of extremes can be told from results of more digits.
    odd: bool,
}

// Products of two 64-bit numbers overflow 128 bits, but their low 64 bits do not.
const ADD: Rule = Rule {
    int: i128::wrapping_add,
    float: |a, b| a + b,
    whole: None,
    complex: |a, b| a + b,
    complex_is_by_parts: true,
    ulps: 0.0,
    compares: false,
    divides: false,
    odd: true,
};
const SUB: Rule = Rule {
    int: i128::wrapping_sub,
    float: |a, b| a - b,
    complex: |a, b| a - b,
    ..ADD
};
const MUL: Rule = Rule {
    int: i128::wrapping_mul,
    float: |a, b| a * b,
    complex: |a, b| a * b,
    complex_is_by_parts: false,
    ..ADD
};
// Halves are rounded twice.
const DIV: Rule = Rule {
    int: |a, b| a / b,
    float: |a, b| a / b,
    complex: |a, b| a / b,
    ulps: 1.0,
    divides: true,
    ..MUL
};
const COMPARE: Rule = Rule {
    compares: true,
    ..ADD
};

fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) {
        quotient - 1
    } else {
        quotient
    }
}

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
        let b = if rule.divides { without_zeros(&b)? } else { b };
        let want = reference(rule, &a, &b)?;
        samples.add(*name, [], vec![a, b], want);
    }
    let complex = matches!(dtype, DataType::Complex64 | DataType::Complex128);
    if let Some(odd) =
        odd_vector(dtype)?.filter(|_| rule.odd && (rule.complex_is_by_parts || !complex))
    {
        let n = odd.dims()[0];
        let column = odd.reshaped(Shape::new(&[n, 1])?)?;
        let row = if rule.divides {
            without_zeros(&odd)?
        } else {
            odd
        };
        let want = reference(rule, &column, &row)?;
        samples.add("odd_with_odd", [], vec![column, row], want);
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

/// The tensor with another number for each integer of 0.
fn without_zeros(tensor: &Tensor) -> Result<Tensor> {
    match values(tensor)? {
        Values::Int(v) => {
            let v = v.into_iter().map(|v| if v == 0 { 3 } else { v }).collect();
            values::tensor(tensor.dtype(), tensor.dims(), &Values::Int(v))
        }
        _ => Ok(tensor.clone()),
    }
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
        (Values::Float(a), Values::Float(b)) => {
            let results = pairs.map(|(i, j)| flush((rule.float)(flush(a[i]), flush(b[j]))));
            let results = Values::Float(results.collect());
            match (
                rule.whole,
                values(&values::tensor(dtype, &dims, &results)?)?,
            ) {
                (Some(whole), Values::Float(v)) => {
                    Values::Float(v.into_iter().map(whole).collect())
                }
                _ => results,
            }
        }
        (Values::Complex(a), Values::Complex(b)) => Values::Complex(
            pairs
                .map(|(i, j)| parts((rule.complex)(parts(a[i]), parts(b[j]))))
                .collect(),
        ),
        (other, _) => other,
    };
    if rule.compares {
        let truth = match results {
            Values::Float(v) => Values::Int(v.into_iter().map(|v| v as i128).collect()),
            other => other,
        };
        return Ok(Want::exactly(values::tensor(
            DataType::Bool,
            &dims,
            &truth,
        )?));
    }
    // Complex products have several roundings.
    let ulps = match results {
        Values::Complex(_) if !rule.complex_is_by_parts => rule.ulps + 4.0,
        _ => rule.ulps,
    };
    // Some kernels of TensorFlow let denormal numbers through where others give zero.
    let tolerance = (ulps > 0.0).then(|| Tolerance {
        rtol: ulps * epsilon(dtype),
        atol: least_normal(dtype),
    });
    Ok(Want::about(
        values::tensor(dtype, &dims, &results)?,
        tolerance,
    ))
}
