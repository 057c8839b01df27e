//! Functions of complex numbers, in double precision.
//!
//! Where the plain formulas overflow or cancel these are the ones of W. Kahan, "Branch Cuts for Complex Elementary Functions"
//! (1987), in the form that C libraries have given them.

use std::f64::consts::LN_2;

use tfe_core::Complex128 as C;

/// Zero.
pub const ZERO: C = C::new(0.0, 0.0);

/// The quotient, by way of that of the parts of the divisor (R. L. Smith, 1962), which does not overflow half-way.
pub fn div(a: C, b: C) -> C {
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
    if b == ZERO { ZERO } else { div(a, b) }
}

/// One over `z`.
pub fn reciprocal(z: C) -> C {
    div(C::new(1.0, 0.0), z)
}

/// On the unit circle, or 0.
pub fn sign(z: C) -> C {
    let size = z.norm();
    if size == 0.0 { z } else { z / size }
}

/// `e^z`.
pub fn exp(z: C) -> C {
    // So that an infinite size is not multiplied by no imaginary part.
    if z.im == 0.0 {
        C::new(z.re.exp(), z.im)
    } else {
        z.exp()
    }
}

/// `e^z - 1`.
pub fn exp_m1(z: C) -> C {
    if z.im == 0.0 {
        return C::new(z.re.exp_m1(), z.im);
    }
    let half = (z.im / 2.0).sin();
    let re = z.re.exp_m1() * z.im.cos() - 2.0 * half * half;
    C::new(re, z.re.exp() * z.im.sin())
}

/// The natural logarithm.
pub fn ln(z: C) -> C {
    C::new(ln_of_size(z), z.im.atan2(z.re))
}

fn ln_of_size(z: C) -> f64 {
    let (a, b) = (z.re.abs().max(z.im.abs()), z.re.abs().min(z.im.abs()));
    if !(0.5..=2.0).contains(&a) {
        return z.norm().ln();
    }
    // Near the unit circle the logarithm is small, and what it is of must not be rounded.
    ((a - 1.0) * (a + 1.0) + b * b).ln_1p() / 2.0
}

/// `ln(1 + z)`.
pub fn ln_1p(z: C) -> C {
    let re = if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        (z.re * (2.0 + z.re) + z.im * z.im).ln_1p() / 2.0
    } else {
        ln_of_size(z + 1.0)
    };
    C::new(re, z.im.atan2(1.0 + z.re))
}

/// The square root with a real part that is not negative.
pub fn sqrt(z: C) -> C {
    if z.re == 0.0 && z.im == 0.0 {
        return C::new(0.0, z.im);
    }
    if z.im.is_infinite() {
        return C::new(f64::INFINITY, z.im);
    }
    // By a quarter and twice its root, so that the largest sizes do not overflow.
    let (re, im) = (z.re / 4.0, z.im / 4.0);
    let root = ((re.abs() + re.hypot(im)) / 2.0).sqrt();
    if z.re >= 0.0 {
        C::new(2.0 * root, im / root)
    } else if z.re.is_infinite() {
        C::new(
            if im.is_nan() { im } else { 0.0 },
            f64::INFINITY.copysign(im),
        )
    } else {
        C::new(im.abs() / root, (2.0 * root).copysign(im))
    }
}

/// One over the square root.
pub fn rsqrt(z: C) -> C {
    reciprocal(sqrt(z))
}

/// `z^w`.
pub fn pow(z: C, w: C) -> C {
    if w == ZERO {
        C::new(1.0, 0.0)
    } else if z == ZERO && w.re > 0.0 {
        ZERO
    } else {
        exp(w * ln(z))
    }
}

/// `1 / (1 + e^-z)`.
pub fn sigmoid(z: C) -> C {
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
    // From here on it is 1 but for an exponential that is smaller than half a unit in the last place.
    if z.re.abs() > 22.0 {
        let im = 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp();
        let im = if z.im.is_finite() {
            im
        } else {
            0.0f64.copysign(z.im)
        };
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
    // So that an infinite size is not multiplied by no imaginary part.
    let im = if z.im == 0.0 {
        z.im
    } else {
        z.re.cosh() * z.im.sin()
    };
    C::new(z.re.sinh() * z.im.cos(), im)
}

/// The hyperbolic cosine.
pub fn cosh(z: C) -> C {
    let im = if z.im == 0.0 {
        z.im * z.re
    } else {
        z.re.sinh() * z.im.sin()
    };
    C::new(z.re.cosh() * z.im.cos(), im)
}

/// `-i f(i z)`: the circular function of a hyperbolic one.
fn turned(z: C, f: fn(C) -> C) -> C {
    let w = f(C::new(-z.im, z.re));
    C::new(w.im, -w.re)
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
    if z.re.abs() > LARGE || z.im.abs() > LARGE {
        let im = -ln_of_large(z).copysign(z.im);
        return C::new(z.im.abs().atan2(z.re), im);
    }
    let (s1, s2) = (
        sqrt(C::new(1.0 - z.re, -z.im)),
        sqrt(C::new(1.0 + z.re, z.im)),
    );
    C::new(
        2.0 * s1.re.atan2(s2.re),
        libm::asinh(s2.re * s1.im - s2.im * s1.re),
    )
}

/// The inverse of the hyperbolic cosine.
pub fn acosh(z: C) -> C {
    if z.re.abs() > LARGE || z.im.abs() > LARGE {
        return C::new(ln_of_large(z), z.im.atan2(z.re));
    }
    let (s1, s2) = (
        sqrt(C::new(z.re - 1.0, z.im)),
        sqrt(C::new(z.re + 1.0, z.im)),
    );
    C::new(
        libm::asinh(s1.re * s2.re + s1.im * s2.im),
        2.0 * s1.im.atan2(s2.re),
    )
}

/// The inverse of the hyperbolic sine.
pub fn asinh(z: C) -> C {
    if z.re.abs() > LARGE || z.im.abs() > LARGE {
        return C::new(ln_of_large(z).copysign(z.re), z.im.atan2(z.re.abs()));
    }
    let (s1, s2) = (
        sqrt(C::new(1.0 + z.im, -z.re)),
        sqrt(C::new(1.0 - z.im, z.re)),
    );
    C::new(
        libm::asinh(s1.re * s2.im - s2.re * s1.im),
        z.im.atan2(s1.re * s2.re - s1.im * s2.im),
    )
}

/// `ln(2 |z|)`.
fn ln_of_large(z: C) -> f64 {
    (z.re / 2.0).hypot(z.im / 2.0).ln() + 2.0 * LN_2
}

/// The inverse of the hyperbolic tangent.
pub fn atanh(z: C) -> C {
    if z.re < 0.0 || z.re == 0.0 && z.re.is_sign_negative() {
        return -atanh(-z);
    }
    let quarter_turn = std::f64::consts::FRAC_PI_2.copysign(z.im);
    if z.re > LARGE || z.im.abs() > LARGE {
        let size = (z.re / 2.0).hypot(z.im / 2.0);
        return C::new(z.re / 4.0 / size / size, quarter_turn);
    }
    let size = z.im.abs();
    if z.re == 1.0 && size < 1e-150 {
        if size == 0.0 {
            return C::new(f64::INFINITY, z.im);
        }
        let re = -(size.sqrt() / size.hypot(2.0).sqrt()).ln();
        return C::new(re, (2.0f64.atan2(-size) / 2.0).copysign(z.im));
    }
    let away = 1.0 - z.re;
    C::new(
        (4.0 * z.re / (away * away + size * size)).ln_1p() / 4.0,
        (2.0 * z.im).atan2(away * (1.0 + z.re) - size * size) / 2.0,
    )
}
