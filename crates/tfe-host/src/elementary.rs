//! Elementary functions of `f32` without branches, so that loops over them vectorise.
//!
//! The polynomials for `exp`, `ln` and `tanh` are those of the Cephes library (S. L. Moshier, "Methods and Programs for
//! Mathematical Functions", 1989: expf, logf, tanhf), those for `sin` and `cos` of FreeBSD's msun (k_sinf.c, k_cosf.c).
//! Multiplications are never fused with additions: without the instruction for that it would be a call, and with it results
//! would depend on the processor.

use std::f32::consts::LOG2_E;

use tfe_core::{DataType, Result, bf16, f16};
use tfe_device::OpInit;

use crate::number::Real;

/// The scale of Selu: that with which mean 0 and variance 1 stay (G. Klambauer and others, "Self-Normalizing Neural
/// Networks", 2017).
pub const SELU_SCALE: f64 = 1.050_700_987_355_480_5;
/// Its product with Selu's alpha.
pub const SELU_SCALED_ALPHA: f64 = 1.758_099_340_847_376_8;

/// What part of a negative number a leaky rectifier leaves: rounded to the op's own type first.
///
/// # Errors
/// `InvalidArgument` for an op that is none.
pub fn leaky_alpha(op: &OpInit<'_>) -> Result<f32> {
    let alpha = op.attrs.float("alpha")?;
    Ok(match op.attrs.dtype("T")? {
        DataType::Half => f16::from_f32(alpha).to_f32(),
        DataType::Bfloat16 => bf16::from_f32(alpha).to_f32(),
        _ => alpha,
    })
}

/// Adding and subtracting it rounds a number of up to 2^22 to the nearest integer: not every CPU has an instruction for it.
const ROUND: f32 = 12_582_912.0;

/// ln 2 in two parts. Products of the first with integers of up to 15 bits are exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `x` as `n ln 2 + r`, with `r` of at most half of ln 2: `n`, and `e^r - 1`.
#[inline(always)]
fn reduced(x: f32) -> (i32, f32) {
    let sum = x * LOG2_E + ROUND;
    let n = sum - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let mut p = 1.987_569_1e-4;
    for c in [
        1.398_2e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        5e-1,
    ] {
        p = p * r + c;
    }
    // The last bits of the sum are those of the integer: cheaper than a conversion, which has to look out for NaN.
    (
        sum.to_bits().wrapping_sub(ROUND.to_bits()) as i32,
        r + p * r * r,
    )
}

/// `x * 2^n` for integers `n` of -252 to 254: by two factors, of which neither overflows.
#[inline(always)]
fn scaled(x: f32, n: i32) -> f32 {
    let power = |n: i32| f32::from_bits(((n + 127) << 23) as u32);
    x * power(n >> 1) * power(n - (n >> 1))
}

/// `x` within the bounds that the functions of [`reduced`] know what to do with; NaN becomes the lower one.
#[inline(always)]
fn bounded(x: f32) -> f32 {
    let x = if x > -104.0 { x } else { -104.0 };
    if x < 89.0 { x } else { 89.0 }
}

/// `value`, but NaN where `x` is.
#[inline(always)]
fn unless_nan(x: f32, value: f32) -> f32 {
    if x.is_nan() { x } else { value }
}

/// Zero with the sign of `x`: a zero, or a number that counts as one.
#[inline(always)]
fn zero_of(x: f32) -> f32 {
    0.0f32.copysign(x)
}

/// A function of the C library, which sees denormal numbers even where they count as zero: now it does not.
pub fn flushed(f: impl Fn(f64) -> f64 + Copy) -> impl Fn(f64) -> f64 + Copy {
    move |x| f(x.flushed())
}

/// `e^x`.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (n, m) = reduced(bounded(x));
    unless_nan(x, scaled(1.0 + m, n))
}

/// `e^x - 1`.
#[inline(always)]
pub fn exp_m1(x: f32) -> f32 {
    let (n, m) = reduced(bounded(x));
    let power = scaled(1.0, n);
    let value = power * m + (power - 1.0);
    // Where 2^n may be infinite, one less makes no difference.
    let value = if n > 64 { scaled(1.0 + m, n) } else { value };
    if x == 0.0 {
        zero_of(x)
    } else {
        unless_nan(x, value)
    }
}

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    // The mantissa of the root of 1/2: those below it go with the next exponent.
    const ROOT: u32 = 0x3f35_04f3;
    let shifted = x.to_bits().wrapping_sub(ROOT);
    let n = (shifted as i32 >> 23) as f32;
    let m = f32::from_bits((shifted & 0x007f_ffff) + ROOT) - 1.0;
    let square = m * m;
    let mut p = 7.037_683_6e-2;
    for c in [
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ] {
        p = p * m + c;
    }
    let rest = p * m * square + n * LN2_LOW - 0.5 * square;
    let value = m + rest + n * LN2_HIGH;
    // Denormal numbers count as zero.
    let value = if x < f32::MIN_POSITIVE {
        f32::NEG_INFINITY
    } else {
        value
    };
    let value = if x < f32::INFINITY { value } else { x };
    if x <= -f32::MIN_POSITIVE {
        f32::NAN
    } else {
        value
    }
}

/// `ln(1 + x)`.
#[inline(always)]
pub fn ln_1p(x: f32) -> f32 {
    let sum = 1.0 + x;
    // What the sum lost; the derivative of the logarithm brings it back.
    let lost = (x - (sum - 1.0)) / sum;
    let value = if sum > 0.0 { ln(sum) + lost } else { ln(sum) };
    // A zero keeps its sign.
    if x < f32::INFINITY && x != 0.0 {
        value
    } else {
        x
    }
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let size = x.abs();
    let square = x * x;
    let mut p = -5.704_988_7e-3;
    for c in [2.063_909e-2, -5.373_971_6e-2, 1.333_144_2e-1, -3.333_328e-1] {
        p = p * square + c;
    }
    let small = p * square * x + x;
    let large = 1.0 - 2.0 / (exp(size + size) + 1.0);
    (if size < 0.625 { small } else { large }).copysign(x)
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `ln(1 + e^x)`.
#[inline(always)]
pub fn softplus(x: f32) -> f32 {
    let above = if x > 0.0 { x } else { 0.0 };
    unless_nan(x, above + ln_1p(exp(-x.abs())))
}

/// How far [`sin`] and [`cos`] reach; beyond, and for NaN, they say nothing.
pub fn reaches(x: f32) -> bool {
    x.abs() < 268_435_456.0
}

/// The sine.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    // Sums of zeros forget the sign.
    if x == 0.0 { zero_of(x) } else { turned(x, 0) }
}

/// The cosine.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    turned(x, 1)
}

/// The sine, `quarters` of a turn further on.
#[inline(always)]
fn turned(x: f32, quarters: i32) -> f32 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // Half of pi in two parts, the first of 25 bits.
    const HIGH: f64 = 1.570_796_310_901_641_8;
    const LOW: f64 = 1.589_325_477_352_819_7e-8;
    let x = f64::from(x);
    let sum = x * std::f64::consts::FRAC_2_PI + ROUND;
    let n = sum - ROUND;
    let r = (x - n * HIGH) - n * LOW;
    let z = r * r;
    let sin = r + r
        * z
        * (-0.166_666_666_416_265_24
            + z * (0.008_333_329_385_889_463
                + z * (-0.000_198_393_348_360_966_32 + z * 2.718_311_493_989_822e-6)));
    let cos = 1.0
        + z * (-0.499_999_997_251_031
            + z * (0.041_666_623_323_739_06
                + z * (-0.001_388_676_377_460_993 + z * 2.439_044_879_627_741e-5)));
    let quadrant = (sum.to_bits() as i32).wrapping_add(quarters);
    let value = if quadrant & 1 == 0 { sin } else { cos };
    (if quadrant & 2 == 0 { value } else { -value }) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest error in units of the last place, over numbers spread evenly from `from` to `to`.
    fn error(from: f32, to: f32, f: fn(f32) -> f32, exact: fn(f64) -> f64) -> f64 {
        let n = if cfg!(miri) { 100 } else { 200_000 };
        let each = (0..n).map(|i| from + (to - from) * (i as f32 / n as f32));
        let ulps = each.map(|x| {
            let want = exact(x.into());
            let near = want as f32;
            let unit = f64::from(near.abs().next_up()) - f64::from(near.abs());
            (f64::from(f(x)) - want).abs() / unit
        });
        ulps.fold(0.0, f64::max)
    }

    /// As exact as TensorFlow's own kernels, or more; the bounds are what TensorFlow reaches.
    #[test]
    fn errors_are_below_those_of_tensorflow() {
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let soft = |x: f64| (-x.abs()).exp().ln_1p() + x.max(0.0);
        let check = |name, from, to, f: fn(f32) -> f32, exact: fn(f64) -> f64, bound| {
            let error = error(from, to, f, exact);
            assert!(error <= bound, "{name} from {from} to {to}: {error}");
        };
        check("exp", -86.9, 88.0, exp, f64::exp, 1.28);
        check("exp", -1.0, 1.0, exp, f64::exp, 1.16);
        check("exp_m1", -2.0, 2.0, exp_m1, f64::exp_m1, 4.11);
        check("exp_m1", 2.0, 88.0, exp_m1, f64::exp_m1, 4.11);
        check("ln", 4e-6, 10.0, ln, f64::ln, 2.62);
        check("ln", 0.9, 1.1, ln, f64::ln, 3.02);
        check("ln", 1e30, 3e38, ln, f64::ln, 3.02);
        check("ln_1p", -0.9, 5.0, ln_1p, f64::ln_1p, 3.67);
        check("ln_1p", -1e-3, 1e-3, ln_1p, f64::ln_1p, 3.67);
        check("tanh", -9.0, 9.0, tanh, f64::tanh, 5.06);
        check("tanh", -0.1, 0.1, tanh, f64::tanh, 1.87);
        check("sigmoid", -80.0, 80.0, sigmoid, logistic, 5.79);
        check("softplus", -20.0, 20.0, softplus, soft, 6.92);
        check("sin", -6.0, 6.0, sin, f64::sin, 1.43);
        check("sin", -1e3, 1e3, sin, f64::sin, 2.12);
        check("sin", 1e7, 2.6e8, sin, f64::sin, 2.12);
        check("cos", -6.0, 6.0, cos, f64::cos, 1.4);
        check("cos", -2.6e8, -1e7, cos, f64::cos, 1.4);
    }

    #[test]
    fn odd_values_are_as_the_standard_has_them() {
        let odd = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            0.0,
            -0.0,
            -1.0,
            -1.5,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            1e-40,
            -1e-40,
            88.7,
            88.73,
            -87.0,
            -104.0,
        ];
        let check = |name, f: fn(f32) -> f32, exact: fn(f64) -> f64| {
            for x in odd {
                // Denormal numbers count as zero, and so may results.
                let seen = if x.is_subnormal() {
                    0.0f32.copysign(x)
                } else {
                    x
                };
                let (got, want) = (f(x), exact(seen.into()) as f32);
                let near = (got - want).abs() <= 3e-7 * want.abs() + f32::MIN_POSITIVE;
                let same = got == want
                    && (want != 0.0 || got.is_sign_negative() == want.is_sign_negative());
                let tiny = got.abs() <= f32::MIN_POSITIVE && want.abs() <= f32::MIN_POSITIVE;
                assert!(
                    same || near && want != 0.0
                        || tiny && x.is_subnormal()
                        || got.is_nan() && want.is_nan(),
                    "{name}({x}) is {got}, not {want}"
                );
            }
        };
        check("exp", exp, f64::exp);
        check("exp_m1", exp_m1, f64::exp_m1);
        check("ln", ln, f64::ln);
        check("ln_1p", ln_1p, f64::ln_1p);
        check("tanh", tanh, f64::tanh);
        check("sigmoid", sigmoid, |x| 1.0 / (1.0 + (-x).exp()));
        check("softplus", softplus, |x| {
            (-x.abs()).exp().ln_1p() + x.max(0.0)
        });
    }
}
