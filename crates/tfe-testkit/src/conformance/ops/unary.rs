//! Ops on one element at a time: signs, rounding, roots, elementary functions, activations.

use tfe_core::{Code, Complex128, DataType, Result, Tensor};

use super::{Samples, Suite, Want, attrs, zeros};
use crate::compare::Tolerance;
use crate::conformance::Sample;
use crate::conformance::data::{epsilon, flushed, least_normal, odd, odd_vector, ordinary};
use crate::values::{self, Values, values};

macro_rules! suites {
    ($($op:literal $rule:expr;)*) => {
        &[$(Suite {
            op: $op,
            types: &["T"],
            samples: |types| samples(&$rule, types[0]),
            plain: |types| Ok((attrs([("T", types[0].into())]), vec![zeros(types[0])?])),
            without_kernel: Code::NotFound,
        },)*]
    };
}

pub(super) const SUITES: &[Suite] = suites! {
    "Neg" Rule { int: |v| -v, float: |v| -v, complex: |z| -z, ..EXACT };
    "Abs" Rule { int: i128::abs, float: f64::abs, ..EXACT };
    "Sign" Rule {
        int: i128::signum,
        float: |v| if v == 0.0 || v.is_nan() { v } else { v.signum() },
        complex: |z| if z.norm() == 0.0 { z } else { z / z.norm() },
        complex_ulps: 4.0,
        ..EXACT
    };
    "Square" Rule { int: |v| v.wrapping_mul(v), float: |v| v * v, complex: |z| z * z, ..ROUNDED };
    "Floor" Rule { float: f64::floor, ..EXACT };
    "Ceil" Rule { float: f64::ceil, ..EXACT };
    "Rint" Rule { float: f64::round_ties_even, ..EXACT };
    "IsNan" Rule { float: |v| v.is_nan().into(), tells: true, ..EXACT };
    "IsInf" Rule { float: |v| v.is_infinite().into(), tells: true, ..EXACT };
    "IsFinite" Rule { float: |v| v.is_finite().into(), tells: true, ..EXACT };
    "Invert" Rule { int: |v| !v, ..EXACT };
    "Relu" Rule { int: |v| v.max(0), float: |v| if v < 0.0 { 0.0 } else { v }, ..EXACT };
    "Relu6" Rule {
        int: |v| v.clamp(0, 6),
        float: |v| v.clamp(0.0, 6.0),
        ..EXACT
    };
    "Sqrt" Rule { float: f64::sqrt, complex: |z| z.sqrt(), ..ROUNDED };
    "Rsqrt" Rule { float: |v| 1.0 / v.sqrt(), complex: |z| z.sqrt().inv(), ..ROUNDED };
    "Reciprocal" Rule { float: |v| 1.0 / v, complex: |z| z.inv(), ..ROUNDED };
    "Inv" Rule { float: |v| 1.0 / v, complex: |z| z.inv(), ..ROUNDED };
    "Exp" Rule { float: f64::exp, complex: |z| z.exp(), ..ROUNDED };
    "Expm1" Rule { float: f64::exp_m1, complex: |z| z.exp() - 1.0, ..ROUNDED };
    "Log" Rule { float: f64::ln, complex: |z| z.ln(), ..ROUNDED };
    "Log1p" Rule { float: f64::ln_1p, complex: |z| (z + 1.0).ln(), ..ROUNDED };
    "Sigmoid" Rule {
        float: |v| 1.0 / (1.0 + (-v).exp()),
        complex: |z| ((-z).exp() + 1.0).inv(),
        ..ROUNDED
    };
    "Tanh" Rule { float: f64::tanh, complex: |z| z.tanh(), ..ROUNDED };
    "Sin" Rule { float: f64::sin, complex: |z| z.sin(), ..ROUNDED };
    "Cos" Rule { float: f64::cos, complex: |z| z.cos(), ..ROUNDED };
    "Tan" Rule { float: f64::tan, complex: |z| z.tan(), ..ROUNDED };
    "Asin" Rule { float: f64::asin, complex: |z| z.asin(), ..ROUNDED };
    "Acos" Rule { float: f64::acos, complex: |z| z.acos(), ..ROUNDED };
    "Atan" Rule { float: f64::atan, complex: |z| z.atan(), ..ROUNDED };
    "Sinh" Rule { float: f64::sinh, complex: |z| z.sinh(), ..ROUNDED };
    "Cosh" Rule { float: f64::cosh, complex: |z| z.cosh(), ..ROUNDED };
    "Asinh" Rule { float: asinh, complex: |z| z.asinh(), ..ROUNDED };
    "Acosh" Rule { float: |v| 2.0 * ((v - 1.0) / 2.0).sqrt().asinh(), complex: |z| z.acosh(), ..ROUNDED };
    "Atanh" Rule { float: f64::atanh, complex: |z| z.atanh(), ulps: 16.0, ..ROUNDED };
    "Softplus" Rule { float: |v| (-v.abs()).exp().ln_1p() + v.max(0.0), ..ROUNDED };
    "Softsign" Rule { float: |v| v / (1.0 + v.abs()), ..ROUNDED };
    "Elu" Rule { float: |v| if v < 0.0 { v.exp_m1() } else { v }, ..ROUNDED };
};

struct Rule {
    int: fn(i128) -> i128,
    float: fn(f64) -> f64,
    complex: fn(Complex128) -> Complex128,
    /// How far floats may be off, in units of the last place, and the parts of complex numbers in units of their size.
    ulps: f64,
    complex_ulps: f64,
    /// Whether results are truth values: 0 and 1.
    tells: bool,
}

const EXACT: Rule = Rule {
    int: |v| v,
    float: |v| v,
    complex: |z| z,
    ulps: 0.0,
    complex_ulps: 0.0,
    tells: false,
};
/// With as many errors as TensorFlow's own functions have, and as the formulas of the references.
const ROUNDED: Rule = Rule {
    ulps: 4.0,
    complex_ulps: 200.0,
    ..EXACT
};

/// The inverse of the hyperbolic sine, where that of the standard library overflows too.
fn asinh(v: f64) -> f64 {
    if v.is_finite() && v.abs() > 1e150 {
        (v.abs().ln() + std::f64::consts::LN_2).copysign(v)
    } else {
        v.asinh()
    }
}

const SHAPES: &[(&str, &[i64])] = &[
    ("scalar", &[]),
    ("empty", &[0, 3]),
    ("matrix", &[3, 5]),
    ("long", &[1037]),
];

fn samples(rule: &Rule, dtype: DataType) -> Result<Vec<Sample>> {
    let mut samples = Samples::new(attrs([("T", dtype.into())]));
    for (name, dims) in SHAPES {
        let input = ordinary(dtype, dims, 3)?;
        let want = reference(rule, &input)?;
        samples.add(*name, [], vec![input], want);
    }
    let one_answer = !matches!(odd(dtype), Some(Values::Complex(_)));
    if let Some(odd) = odd_vector(dtype)?.filter(|_| one_answer) {
        let want = reference(rule, &odd)?;
        samples.add("odd", [], vec![odd], want);
    }
    Ok(samples.list)
}

fn reference(rule: &Rule, input: &Tensor) -> Result<Want> {
    let dtype = input.dtype();
    let flush = |v| flushed(dtype, v);
    let (results, ulps) = match values(input)? {
        Values::Int(v) => (Values::Int(v.into_iter().map(rule.int).collect()), 0.0),
        Values::Float(v) if rule.tells => {
            let told = v.into_iter().map(|v| (rule.float)(flush(v)) as i128);
            let told = values::tensor(DataType::Bool, input.dims(), &Values::Int(told.collect()));
            return Ok(Want::exactly(told?));
        }
        Values::Float(v) => {
            let results = v.into_iter().map(|v| flush((rule.float)(flush(v))));
            (Values::Float(results.collect()), rule.ulps)
        }
        Values::Complex(v) => {
            let results = v.into_iter().map(rule.complex);
            (Values::Complex(results.collect()), rule.complex_ulps)
        }
        other => (other, 0.0),
    };
    let results = values::tensor(dtype, input.dims(), &results)?;
    // Some kernels of TensorFlow let denormal numbers through where others give zero.
    let tolerance = Tolerance {
        rtol: ulps * epsilon(dtype),
        atol: least_normal(dtype),
    };
    Ok(Want::about(results, Some(tolerance)))
}
