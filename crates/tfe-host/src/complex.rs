//! Functions of complex numbers, in double precision.
//!
//! Where the plain formulas overflow or cancel these are the ones of W. Kahan, "Branch Cuts for Complex Elementary Functions"
//! (1987), in the form that C libraries have given them. Where a part is infinite or no number the values are those of the
//! C standard, Annex G.
//!
//! Kernels run in a mode in which denormal numbers count as zero. Instructions of the CPU know of it, while the C library
//! and whatever looks at the sign or the bits of a number do not: each function begins with `flushed`.

use std::f64::consts::{FRAC_PI_2, LN_2};

use tfe_core::Complex128 as C;

use crate::number::Real;

/// Zero.
pub const ZERO: C = C::new(0.0, 0.0);

/// Denormal parts as the zeros that they count as, in every mode of the CPU.
fn flushed(z: C) -> C {
    C::new(z.re.flushed(), z.im.flushed())
}

/// The quotient, by way of that of the parts of the divisor (R. L. Smith, 1962), which does not overflow half-way.
pub fn div(a: C, b: C) -> C {
    // The sum of two parts of the greatest sizes would overflow.
    let (a, b) = if b.re.abs().max(b.im.abs()) > f64::MAX / 2.0 {
        (a / 2.0, b / 2.0)
    } else {
        (a, b)
    };
    if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let scale = b.re + b.im * ratio;
        C::new((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale)
    } else {
        let ratio = b.re / b.im;
        let scale = b.im + b.re * ratio;
        C::new((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale)
    }
}

/// The quotient, or 0 where the divisor is.
pub fn over_or_zero(a: C, b: C) -> C {
    if flushed(b) == ZERO { ZERO } else { div(a, b) }
}

/// One over `z`.
pub fn reciprocal(z: C) -> C {
    div(C::new(1.0, 0.0), z)
}

/// On the unit circle, or 0.
pub fn sign(z: C) -> C {
    let z = flushed(z);
    let size = z.norm();
    if size == 0.0 { z } else { z / size }
}

/// `e^z`.
pub fn exp(z: C) -> C {
    let z = flushed(z);
    // So that an infinite size is not multiplied by no imaginary part.
    if z.im == 0.0 {
        return C::new(z.re.exp(), z.im);
    }
    if !z.im.is_finite() {
        return match z.re {
            f64::NEG_INFINITY => C::new(0.0, 0.0f64.copysign(z.im)),
            f64::INFINITY => C::new(z.re, f64::NAN),
            _ => C::new(f64::NAN, f64::NAN),
        };
    }
    let (sin, cos) = z.im.sin_cos();
    if z.re > LARGE_EXPONENT {
        return half_exp_times(z.re, C::new(2.0 * cos, 2.0 * sin));
    }
    let size = z.re.exp();
    C::new(size * cos, size * sin)
}

/// From here on `e^x` overflows, or soon will.
const LARGE_EXPONENT: f64 = 709.0;

/// `e^x z / 2` where `e^x` may overflow, and the product not.
fn half_exp_times(x: f64, z: C) -> C {
    let root = (x / 2.0).exp();
    C::new(root / 2.0 * z.re * root, root / 2.0 * z.im * root)
}

/// `e^z - 1`.
pub fn exp_m1(z: C) -> C {
    let z = flushed(z);
    if z.im == 0.0 {
        return C::new(z.re.exp_m1(), z.im);
    }
    if z.re.abs() > LARGE_EXPONENT || !z.im.is_finite() {
        return exp(z) - 1.0;
    }
    let half = (z.im / 2.0).sin();
    let re = z.re.exp_m1() * z.im.cos() - 2.0 * half * half;
    C::new(re, z.re.exp() * z.im.sin())
}

/// The natural logarithm.
pub fn ln(z: C) -> C {
    let z = flushed(z);
    C::new(ln_of_size(z), z.im.atan2(z.re))
}

fn ln_of_size(z: C) -> f64 {
    let (a, b) = (z.re.abs().max(z.im.abs()), z.re.abs().min(z.im.abs()));
    if z.re.is_nan() || z.im.is_nan() || !(0.5..=2.0).contains(&a) {
        return if a > LARGE {
            ln_of_large(z) - LN_2
        } else {
            z.norm().ln()
        };
    }
    // Near the unit circle the logarithm is small, and what it is of must not be rounded.
    ((a - 1.0) * (a + 1.0) + b * b).ln_1p() / 2.0
}

/// `ln(1 + z)`.
pub fn ln_1p(z: C) -> C {
    let z = flushed(z);
    let re = if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        (z.re * (2.0 + z.re) + z.im * z.im).ln_1p() / 2.0
    } else {
        ln_of_size(z + 1.0)
    };
    C::new(re, z.im.atan2(1.0 + z.re))
}

/// The square root with a real part that is not negative.
pub fn sqrt(z: C) -> C {
    let z = flushed(z);
    if z == ZERO {
        return C::new(0.0, z.im);
    }
    if z.im.is_infinite() {
        return C::new(f64::INFINITY, z.im);
    }
    // Of a multiple of `z`, so that neither the largest sizes overflow nor parts of the smallest become zero half-way.
    let (scale, root_of_scale) = if z.re.abs().max(z.im.abs()) < TWO_52 {
        (4.0 * TWO_52, 2.0 * TWO_26)
    } else {
        (0.25, 0.5)
    };
    let (re, im) = (z.re * scale, z.im * scale);
    let root = ((re.abs() + re.hypot(im)) / 2.0).sqrt();
    if z.re >= 0.0 {
        C::new(root / root_of_scale, im / root / (2.0 * root_of_scale))
    } else if z.re.is_infinite() {
        C::new(
            if im.is_nan() { im } else { 0.0 },
            f64::INFINITY.copysign(im),
        )
    } else {
        C::new(
            im.abs() / root / (2.0 * root_of_scale),
            (root / root_of_scale).copysign(im),
        )
    }
}

const TWO_26: f64 = 67_108_864.0;
const TWO_52: f64 = TWO_26 * TWO_26;

/// One over the square root: infinite at 0, and 0 at infinity.
pub fn rsqrt(z: C) -> C {
    let z = flushed(z);
    if z == ZERO {
        C::new(f64::INFINITY, f64::NAN)
    } else if z.re.is_infinite() || z.im.is_infinite() {
        ZERO
    } else {
        reciprocal(sqrt(z))
    }
}

/// `z^w`.
pub fn pow(z: C, w: C) -> C {
    let (z, w) = (flushed(z), flushed(w));
    if w == ZERO {
        C::new(1.0, 0.0)
    } else {
        exp(w * ln(z))
    }
}

/// `1 / (1 + e^-z)`.
pub fn sigmoid(z: C) -> C {
    let z = flushed(z);
    // With the power that does not overflow.
    if z.re < 0.0 {
        let power = exp(z);
        div(power, power + 1.0)
    } else {
        reciprocal(exp(-z) + 1.0)
    }
}

/// The hyperbolic tangent.
pub fn tanh(z: C) -> C {
    let z = flushed(z);
    if z.im == 0.0 {
        return C::new(z.re.tanh(), z.im);
    }
    if !z.im.is_finite() {
        return if z.re.is_infinite() {
            C::new(1.0f64.copysign(z.re), 0.0f64.copysign(z.im))
        } else {
            C::new(if z.re == 0.0 { z.re } else { f64::NAN }, f64::NAN)
        };
    }
    // From here on it is 1 but for an exponential that is smaller than half a unit in the last place.
    if z.re.abs() > 22.0 {
        let im = 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp();
        return C::new(1.0f64.copysign(z.re), im);
    }
    let (t, s) = (z.im.tan(), z.re.sinh());
    let beta = 1.0 + t * t;
    let rho = (1.0 + s * s).sqrt();
    if t.is_infinite() {
        return C::new(rho / s, 1.0 / t);
    }
    let scale = 1.0 + beta * s * s;
    C::new(beta * rho * s / scale, t / scale)
}

/// The hyperbolic sine.
pub fn sinh(z: C) -> C {
    let z = flushed(z);
    if z.im == 0.0 {
        return C::new(z.re.sinh(), z.im);
    }
    if !z.im.is_finite() {
        return C::new(
            if z.re == 0.0 {
                z.re
            } else {
                infinite_or_nan(z.re)
            },
            f64::NAN,
        );
    }
    let (sin, cos) = z.im.sin_cos();
    if z.re.abs() > LARGE_EXPONENT {
        return half_exp_times(z.re.abs(), C::new(cos * 1.0f64.copysign(z.re), sin));
    }
    C::new(z.re.sinh() * cos, z.re.cosh() * sin)
}

/// The hyperbolic cosine.
pub fn cosh(z: C) -> C {
    let z = flushed(z);
    if z.im == 0.0 {
        return C::new(z.re.cosh(), z.im * 1.0f64.copysign(z.re));
    }
    if !z.im.is_finite() {
        return C::new(
            infinite_or_nan(z.re),
            if z.re == 0.0 { 0.0 } else { f64::NAN },
        );
    }
    let (sin, cos) = z.im.sin_cos();
    if z.re.abs() > LARGE_EXPONENT {
        return half_exp_times(z.re.abs(), C::new(cos, sin * 1.0f64.copysign(z.re)));
    }
    C::new(z.re.cosh() * cos, z.re.sinh() * sin)
}

/// Infinity for either infinity.
fn infinite_or_nan(x: f64) -> f64 {
    if x.is_infinite() {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

/// `i f(-i z)`: the circular function of a hyperbolic one.
fn turned(z: C, f: fn(C) -> C) -> C {
    let w = f(C::new(z.im, -z.re));
    C::new(-w.im, w.re)
}

/// The sine.
pub fn sin(z: C) -> C {
    turned(z, sinh)
}

/// The cosine.
pub fn cos(z: C) -> C {
    cosh(C::new(-z.im, z.re))
}

/// The tangent.
pub fn tan(z: C) -> C {
    turned(z, tanh)
}

/// The arc sine.
pub fn asin(z: C) -> C {
    turned(z, asinh)
}

/// The arc tangent.
pub fn atan(z: C) -> C {
    turned(z, atanh)
}

/// From here on adding 1 to a square makes no difference.
const LARGE: f64 = 1e150;

/// The arc cosine.
pub fn acos(z: C) -> C {
    let z = flushed(z);
    if z.re == 0.0 {
        return C::new(FRAC_PI_2, -libm::asinh(z.im));
    }
    if z.re.abs() > LARGE || z.im.abs() > LARGE {
        let im = -ln_of_large(z).copysign(z.im);
        return C::new(z.im.abs().atan2(z.re), im);
    }
    let (s1, s2) = (
        sqrt(C::new(1.0 - z.re, -z.im)),
        sqrt(C::new(1.0 + z.re, z.im)),
    );
    C::new(2.0 * s1.re.atan2(s2.re), -asinh_of(z.im, z.re, s1, s2))
}

/// The inverse of the hyperbolic cosine.
pub fn acosh(z: C) -> C {
    let w = acos(z);
    let im = if w.re.is_nan() || z.im.is_nan() {
        w.re
    } else {
        w.re.copysign(z.im)
    };
    C::new(w.im.abs(), im)
}

/// The inverse of the hyperbolic sine.
pub fn asinh(z: C) -> C {
    let z = flushed(z);
    if z.im == 0.0 {
        return C::new(libm::asinh(z.re), z.im);
    }
    if z.re.abs() > LARGE || z.im.abs() > LARGE {
        return C::new(ln_of_large(z).copysign(z.re), z.im.atan2(z.re.abs()));
    }
    let (s1, s2) = (
        sqrt(C::new(1.0 + z.im, -z.re)),
        sqrt(C::new(1.0 - z.im, z.re)),
    );
    C::new(
        asinh_of(z.re, z.im, s2, s1),
        z.im.atan2(s1.re * s2.re - s1.im * s2.im),
    )
}

/// The real part of the inverse hyperbolic sine of `x + i y`, given the roots of `1 - y + i x` and `1 + y - i x`, whichever
/// signs their imaginary parts have.
fn asinh_of(x: f64, y: f64, s1: C, s2: C) -> f64 {
    if y.abs() < 1.0 {
        // The imaginary parts of the roots, which may be too small, are half of `x` by the real ones.
        libm::asinh(x * ((s1.re / s2.re + s2.re / s1.re) / 2.0))
    } else {
        libm::asinh((s2.re * s1.im.abs() + s1.re * s2.im.abs()).copysign(x))
    }
}

/// `ln(2 |z|)`.
fn ln_of_large(z: C) -> f64 {
    (z.re / 2.0).hypot(z.im / 2.0).ln() + 2.0 * LN_2
}

/// The inverse of the hyperbolic tangent.
pub fn atanh(z: C) -> C {
    let z = flushed(z);
    if z.re == 0.0 {
        return C::new(z.re, z.im.atan());
    }
    // Both parts are odd in theirs and even in the other one.
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x.is_infinite() || y.is_infinite() {
        (0.0, if y.is_nan() { y } else { FRAC_PI_2 })
    } else if x + y > LARGE {
        let size = (x / 2.0).hypot(y / 2.0);
        (x / 4.0 / size / size, FRAC_PI_2)
    } else if x == 1.0 && y < 1e-150 {
        if y == 0.0 {
            (f64::INFINITY, y)
        } else {
            let re = -(y.sqrt() / y.hypot(2.0).sqrt()).ln();
            (re, 2.0f64.atan2(-y) / 2.0)
        }
    } else {
        let away = 1.0 - x;
        (
            (4.0 * x / (away * away + y * y)).ln_1p() / 4.0,
            (2.0 * y).atan2(away * (1.0 + x) - y * y) / 2.0,
        )
    };
    C::new(re.copysign(z.re), im.copysign(z.im))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each part by itself: golden vectors compare the distance in the plane, which is infinite beside an infinite part.
    fn check(name: &str, f: fn(C) -> C, z: (f64, f64), want: (f64, f64)) {
        let got = f(C::new(z.0, z.1));
        let same = |got: f64, want: f64| {
            got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= 4e-15 * want.abs()
        };
        assert!(
            same(got.re, want.0) && same(got.im, want.1),
            "{name}({z:?}) is {got}, not {want:?}"
        );
    }

    #[test]
    fn one_part_may_overflow_and_the_other_not() {
        const INF: f64 = f64::INFINITY;
        check(
            "exp",
            exp,
            (709.9, 1e-160),
            (INF, 2.021_402_056_119_564_2e148),
        );
        check(
            "exp",
            exp,
            (1000.0, 3e-308),
            (INF, 5.910_213_342_051_141e126),
        );
        check(
            "exp_m1",
            exp_m1,
            (709.9, 1e-160),
            (INF, 2.021_402_056_119_564_2e148),
        );
        check("sinh", sinh, (-711.0, 3e-308), (-INF, 9.108_941_066_594_99));
        check("cosh", cosh, (-711.0, 3e-308), (INF, -9.108_941_066_594_99));
        check("cosh", cosh, (INF, -0.0), (INF, -0.0));
        check("cos", cos, (0.0, INF), (INF, -0.0));
        check("sin", sin, (f64::NAN, INF), (f64::NAN, INF));
        check(
            "ln",
            ln,
            (1.7e308, -1.7e308),
            (710.073_410_483_508_2, -FRAC_PI_2 / 2.0),
        );
        check(
            "over",
            |z| div(C::new(f64::INFINITY, 0.0), z),
            (1.7e308, 1.7e308),
            (INF, -INF),
        );
    }

    #[test]
    fn denormal_parts_count_as_zeros() {
        // The sign of a part that is zero in one place and not in another once sent this into endless recursion.
        check("atanh", atanh, (1e-310, -1.21), (0.0, -1.21f64.atan()));
        check("atanh", atanh, (-1e-310, -1.21), (-0.0, -1.21f64.atan()));
        check("atan", atan, (1.21, 1e-310), (1.21f64.atan(), 0.0));
        check(
            "ln",
            ln,
            (-1.5, -1e-310),
            (1.5f64.ln(), -std::f64::consts::PI),
        );
        check("sign", sign, (1e-310, 1e-310), (0.0, 0.0));
        check(
            "pow",
            |z| pow(z, C::new(2.0, 0.0)),
            (1e-310, 1e-310),
            (0.0, 0.0),
        );
    }
}
