//! Elements of one type as another, as machine code for x86-64 converts them.
#![expect(
    trivial_numeric_casts,
    reason = "macros cast every type to every type, some to themselves"
)]

use tfe_core::{Complex, Complex64, Complex128, Plain, bf16, f16};

use crate::simd::{f32_to_i32, f64_to_i32 as to_i32, f64_to_i64 as to_i64};

/// A type to cast from, by way of one of four types that hold all its values.
pub trait Source: Plain {
    /// The type that holds all its values.
    type Middle: Middle;
    /// Bits of the mantissa, 0 for what is no float.
    const MANTISSA: u32;

    /// The value in the intermediate type.
    fn middle(self) -> Self::Middle;

    /// Whether it is another value than zero.
    #[inline(always)]
    fn is_true(self) -> bool {
        self.middle().to()
    }

    /// The value with the lowest bits of its mantissa cleared.
    fn truncated(self, _bits: u32) -> Self {
        self
    }
}

/// `i32`, `i64`, `u64`, `f32`, `f64` or complex numbers of these: the narrow ones too, since loops over them vectorise.
///
/// Single precision is one of them because denormals, which arithmetic flushes to zero, stay what they are where a cast
/// only moves bits.
pub trait Middle: Copy {
    /// The value cast to another type.
    fn to<D: Target>(self) -> D;
}

/// A type to cast to.
pub trait Target: Plain {
    /// Bits of the mantissa, 0 for what is no float.
    const MANTISSA: u32;

    /// The cast of an `i64`.
    fn of_i64(x: i64) -> Self;
    /// The cast of an `i32`.
    #[inline(always)]
    fn of_i32(x: i32) -> Self {
        Self::of_i64(x.into())
    }
    /// The cast of a `u64`.
    fn of_u64(x: u64) -> Self;
    /// The cast of an `f64`.
    fn of_f64(x: f64) -> Self;
    /// The cast of an `f32`.
    #[inline(always)]
    fn of_f32(x: f32) -> Self {
        Self::of_f64(x.into())
    }
    /// The cast of a complex number: of its real part, unless the type is complex.
    #[inline(always)]
    fn of_complex64(x: Complex64) -> Self {
        Self::of_f32(x.re)
    }
    /// The cast of any element.
    #[inline(always)]
    fn of<S: Source>(x: S) -> Self {
        x.middle().to()
    }
    /// The cast of a complex number in double precision.
    #[inline(always)]
    fn of_complex(x: Complex128) -> Self {
        Self::of_f64(x.re)
    }
}

impl Middle for i32 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_i32(self)
    }
}
impl Middle for i64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_i64(self)
    }
}
impl Middle for u64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_u64(self)
    }
}
impl Middle for f64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_f64(self)
    }
}
impl Middle for f32 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_f32(self)
    }
}
impl Middle for Complex64 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_complex64(self)
    }
}
impl Middle for Complex128 {
    #[inline(always)]
    fn to<D: Target>(self) -> D {
        D::of_complex(self)
    }
}

macro_rules! sources {
    ($($t:ty, $middle:ty, $mantissa:expr, |$x:ident| $widen:expr $(, |$y:ident, $bits:ident| $truncate:expr)?;)*) => {$(
        impl Source for $t {
            type Middle = $middle;
            const MANTISSA: u32 = $mantissa;
            #[inline(always)]
            fn middle(self) -> $middle {
                let $x = self;
                $widen
            }
            $(fn truncated(self, $bits: u32) -> Self {
                let $y = self;
                $truncate
            })?
        }
    )*};
}
fn cut32(x: f32, bits: u32) -> f32 {
    f32::from_bits(x.to_bits() >> bits << bits)
}
fn cut64(x: f64, bits: u32) -> f64 {
    f64::from_bits(x.to_bits() >> bits << bits)
}
sources! {
    bool, i32, 0, |x| x.into();
    i8, i32, 0, |x| x.into();
    i16, i32, 0, |x| x.into();
    i32, i32, 0, |x| x;
    i64, i64, 0, |x| x;
    u8, i32, 0, |x| x.into();
    u16, i32, 0, |x| x.into();
    u32, u64, 0, |x| x.into();
    u64, u64, 0, |x| x;
    f16, f32, 10, |x| x.to_f32(), |x, bits| f16::from_bits(x.to_bits() >> bits << bits);

    f32, f32, 23, |x| x, |x, bits| cut32(x, bits);
    f64, f64, 52, |x| x, |x, bits| cut64(x, bits);
    Complex64, Complex64, 23, |x| x,
        |x, bits| Complex::new(cut32(x.re, bits), cut32(x.im, bits));
    Complex128, Complex128, 52, |x| x, |x, bits| Complex::new(cut64(x.re, bits), cut64(x.im, bits));
}

impl Source for bf16 {
    type Middle = f32;
    const MANTISSA: u32 = 7;
    #[inline(always)]
    fn middle(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
    /// By its bits: a denormal is true, unlike one of single precision.
    fn is_true(self) -> bool {
        self.to_bits() & 0x7fff != 0
    }
}

#[inline(always)]
fn f32_to_i64(x: f32) -> i64 {
    to_i64(x.into())
}

#[inline(always)]
fn f32_to_u64(x: f32) -> u64 {
    to_u64(x.into())
}

/// As compilers make it of two conversions to signed numbers.
#[inline(always)]
fn to_u64(x: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    let small = to_i64(x);
    // Below 2^63 the first one has all bits; from there on it has the highest, and the second the others.
    (small | to_i64(x - HALF) & small >> 63) as u64
}

macro_rules! integers {
    ($($t:ty, $by:ident, $by_f32:ident;)*) => {$(
        impl Target for $t {
            const MANTISSA: u32 = 0;
            #[inline(always)]
            fn of_i32(x: i32) -> Self {
                x as Self
            }
            #[inline(always)]
            fn of_f32(x: f32) -> Self {
                $by_f32(x) as Self
            }
            #[inline(always)]
            fn of_i64(x: i64) -> Self {
                x as Self
            }
            #[inline(always)]
            fn of_u64(x: u64) -> Self {
                x as Self
            }
            #[inline(always)]
            fn of_f64(x: f64) -> Self {
                $by(x) as Self
            }
        }
    )*};
}
integers! {
    i8, to_i32, f32_to_i32; i16, to_i32, f32_to_i32; i32, to_i32, f32_to_i32;
    u8, to_i32, f32_to_i32; u16, to_i32, f32_to_i32;
    i64, to_i64, f32_to_i64; u32, to_i64, f32_to_i64; u64, to_u64, f32_to_u64;
}

macro_rules! floats {
    ($($t:ty, $mantissa:expr, |$x:ident| $of_float:expr;)*) => {$(
        impl Target for $t {
            const MANTISSA: u32 = $mantissa;
            #[inline(always)]
            fn of_i32(x: i32) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_i64(x: i64) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_u64(x: u64) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_f64(x: f64) -> Self {
                let $x = x;
                $of_float
            }
            #[inline(always)]
            fn of_f32(x: f32) -> Self {
                let $x = x;
                $of_float
            }
        }
    )*};
}
impl Target for f32 {
    const MANTISSA: u32 = 23;
    #[inline(always)]
    fn of_i32(x: i32) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_i64(x: i64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_u64(x: u64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_f64(x: f64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn of_f32(x: f32) -> Self {
        x
    }
}
floats! {
    f64, 52, |x| x as f64;
    // Through single precision, as TensorFlow rounds.
    f16, 10, |x| f16::from_f32(x as f32);
    bf16, 7, |x| bf16::from_f32(x as f32);
}

impl Target for bool {
    const MANTISSA: u32 = 0;
    #[inline(always)]
    fn of<S: Source>(x: S) -> Self {
        x.is_true()
    }
    fn of_i64(x: i64) -> Self {
        x != 0
    }
    fn of_u64(x: u64) -> Self {
        x != 0
    }
    fn of_f64(x: f64) -> Self {
        x != 0.0
    }
}

macro_rules! complexes {
    ($($t:ty, $part:ty, $mantissa:expr;)*) => {$(
        impl Target for $t {
            const MANTISSA: u32 = $mantissa;
            fn of_i64(x: i64) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_u64(x: u64) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_f64(x: f64) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_f32(x: f32) -> Self {
                Complex::new(x as $part, 0.0)
            }
            fn of_complex64(x: Complex64) -> Self {
                Complex::new(x.re as $part, x.im as $part)
            }
            fn of_complex(x: Complex128) -> Self {
                Complex::new(x.re as $part, x.im as $part)
            }
        }
    )*};
}
complexes! {
    Complex64, f32, 23;
    Complex128, f64, 52;
}
