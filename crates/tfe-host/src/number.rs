//! Arithmetic on elements, with TensorFlow's meaning: integers wrap.

use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, DTypeSet, DataType, Plain, bf16, f16};

use crate::{loops, simd};

/// Numbers that may be negative, other than complex ones.
pub const SIGNED: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::of(&[
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
]));
/// Numbers that can be divided: floats and complex numbers.
pub const FIELD: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::COMPLEX);

/// A type to compute in.
pub trait Number: Plain + Default + PartialEq {
    /// A small whole number.
    fn from_u8(n: u8) -> Self;
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// The difference; integers wrap.
    fn minus(self, other: Self) -> Self;
    /// The product; integers wrap.
    fn times(self, other: Self) -> Self;
    /// The complex conjugate; real numbers are their own.
    fn conjugate(self) -> Self;
}

/// A number that is greater or less than another.
pub trait Real: Number + PartialOrd {
    /// Whether it is not a number.
    fn is_nan(self) -> bool;
    /// What it counts as: zero with its sign if it is denormal, whether the CPU is in the mode of kernels or not. For
    /// what the C library does, and instructions that pass a number through, which flush it on some CPUs only.
    fn flushed(self) -> Self;
    /// The quotient of floats; of integers rounded towards zero. Integers divided by zero are zero, for a kernel that
    /// refuses zeros to have something to write.
    fn div(self, other: Self) -> Self;
    /// The quotient rounded towards zero.
    fn trunc_div(self, other: Self) -> Self;
    /// The quotient rounded down.
    fn floor_div(self, other: Self) -> Self;
    /// What is left of `truncated_over`: as `self`, it is positive or negative.
    fn trunc_rem(self, other: Self) -> Self;
    /// What is left of `floored_over`: as `other`, it is positive or negative.
    fn floor_rem(self, other: Self) -> Self;

    /// The greater one; NaN when either is. A denormal one may come out as it is or as the zero that it counts as, by the
    /// CPU and by how the loop is compiled: who keeps the result has it [`flushed`](Self::flushed).
    #[inline(always)]
    fn nan_max(self, other: Self) -> Self {
        if self > other || self.is_nan() {
            self
        } else {
            other
        }
    }
    /// The lesser one; NaN when either is. As for [`nan_max`](Self::nan_max) when it is denormal.
    #[inline(always)]
    fn nan_min(self, other: Self) -> Self {
        if self < other || self.is_nan() {
            self
        } else {
            other
        }
    }
}

/// A number that may be negative.
pub trait Signed: Real {
    /// The number from the other side of zero; the least integer is its own.
    fn neg(self) -> Self;
    /// The distance from zero; the least integer stays negative.
    fn magnitude(self) -> Self;
    /// -1, 0 or 1, or NaN.
    fn sign(self) -> Self;
}

macro_rules! numbers {
    ($($t:ty),*; $plus:ident $minus:ident $times:ident; $whole:expr, $conjugate:expr) => {$(
        impl Number for $t {
            #[inline(always)]
            fn from_u8(n: u8) -> Self {
                $whole(n)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.$plus(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.$minus(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.$times(other)
            }
            #[inline(always)]
            fn conjugate(self) -> Self {
                $conjugate(self)
            }
        }
    )*};
}
use std::convert::identity;
use std::ops::{Add, Mul, Sub};
numbers!(i8; wrapping_add wrapping_sub wrapping_mul; |n: u8| n as Self, identity);
numbers!(i16, i32, i64, u8, u16, u32, u64; wrapping_add wrapping_sub wrapping_mul; Self::from, identity);
numbers!(f32, f64; add sub mul; Self::from, identity);
numbers!(Complex64, Complex128; add sub mul; |n: u8| Self::new(n.into(), 0.0), |z: Self| z.conj());

macro_rules! real_integers {
    ($($t:ty),*; $differ:expr) => {$(
        impl Real for $t {
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn flushed(self) -> Self {
                self
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn trunc_div(self, other: Self) -> Self {
                self.div(other)
            }
            #[inline(always)]
            fn floor_div(self, other: Self) -> Self {
                let rest = self.trunc_rem(other);
                self.div(other).wrapping_sub((rest != 0 && $differ(rest, other)).into())
            }
            #[inline(always)]
            fn trunc_rem(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn floor_rem(self, other: Self) -> Self {
                let rest = self.trunc_rem(other);
                if rest != 0 && $differ(rest, other) { rest.wrapping_add(other) } else { rest }
            }
        }
    )*};
}
// With which signs quotients are rounded away from zero.
real_integers!(i8, i16, i32, i64; |rest, other| (rest < 0) != (other < 0));
real_integers!(u8, u16, u32, u64; |_, _| false);

macro_rules! real_floats {
    ($($t:ty),*) => {$(
        impl Real for $t {
            #[inline(always)]
            fn is_nan(self) -> bool {
                <$t>::is_nan(self)
            }
            #[inline(always)]
            fn flushed(self) -> Self {
                if self.abs() < <$t>::MIN_POSITIVE { Self::default().copysign(self) } else { self }
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn trunc_div(self, other: Self) -> Self {
                (self / other).trunc()
            }
            #[inline(always)]
            fn floor_div(self, other: Self) -> Self {
                (self / other).floor()
            }
            #[inline(always)]
            fn trunc_rem(self, other: Self) -> Self {
                // The C library sees a denormal number where it counts as zero.
                if other == 0.0 { Self::NAN } else { self % other }
            }
            #[inline(always)]
            fn floor_rem(self, other: Self) -> Self {
                let rest = self.trunc_rem(other);
                if rest != 0.0 && (rest < 0.0) != (other < 0.0) { rest + other } else { rest }
            }
        }
        impl Signed for $t {
            #[inline(always)]
            fn neg(self) -> Self {
                -self
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn sign(self) -> Self {
                // Zeros and NaN are their own.
                if self > 0.0 { 1.0 } else if self < 0.0 { -1.0 } else { self }
            }
        }
    )*};
}
real_floats!(f32, f64);

macro_rules! signed_integers {
    ($($t:ty),*) => {$(
        impl Signed for $t {
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.wrapping_abs()
            }
            #[inline(always)]
            fn sign(self) -> Self {
                self.signum()
            }
        }
    )*};
}
signed_integers!(i8, i16, i32, i64);

/// A 16-bit float.
pub trait Half: Plain {
    /// Its value; exact.
    fn to_f32(self) -> f32;
    /// The nearest half, ties to even.
    fn of_f32(wide: f32) -> Self;
    /// The values of a slice.
    fn to_f32s<'a>(src: &[Self], dst: &'a mut [MaybeUninit<f32>]) -> &'a mut [f32];
    /// The nearest halves.
    fn of_f32s<'a>(src: &[f32], dst: &'a mut [MaybeUninit<Self>]) -> &'a mut [Self];
}

impl Half for f16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        simd::f16_to_f32(self)
    }
    #[inline(always)]
    fn of_f32(wide: f32) -> Self {
        simd::f32_to_f16(wide)
    }
    fn to_f32s<'a>(src: &[Self], dst: &'a mut [MaybeUninit<f32>]) -> &'a mut [f32] {
        simd::f16s_to_f32s(src, dst)
    }
    fn of_f32s<'a>(src: &[f32], dst: &'a mut [MaybeUninit<Self>]) -> &'a mut [Self] {
        simd::f32s_to_f16s(src, dst)
    }
}

levels! {
    fn bf16s_to_f32s['a](src: &[bf16], dst: &'a mut [MaybeUninit<f32>]) -> &'a mut [f32] {
        loops::map(dst, src, bf16::to_f32_bits)
    }
}
levels! {
    fn f32s_to_bf16s['a](src: &[f32], dst: &'a mut [MaybeUninit<bf16>]) -> &'a mut [bf16] {
        loops::map(dst, src, bf16::nearest)
    }
}

/// `bf16` without branches, unlike the conversions of the `half` crate, so that loops over it vectorise.
trait Bf16Bits {
    fn to_f32_bits(self) -> f32;
    fn nearest(wide: f32) -> Self;
}

impl Bf16Bits for bf16 {
    #[inline(always)]
    fn to_f32_bits(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
    #[inline(always)]
    fn nearest(wide: f32) -> Self {
        let bits = wide.to_bits();
        // Half a unit less one, and one more when the result would be odd: ties go to even.
        let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
        let quiet_nan = bits >> 16 & 0x8000 | 0x7fc0;
        Self::from_bits(if wide.is_nan() {
            quiet_nan as u16
        } else {
            rounded as u16
        })
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self.to_f32_bits()
    }
    #[inline(always)]
    fn of_f32(wide: f32) -> Self {
        Self::nearest(wide)
    }
    fn to_f32s<'a>(src: &[Self], dst: &'a mut [MaybeUninit<f32>]) -> &'a mut [f32] {
        bf16s_to_f32s(src, dst)
    }
    fn of_f32s<'a>(src: &[f32], dst: &'a mut [MaybeUninit<Self>]) -> &'a mut [Self] {
        f32s_to_bf16s(src, dst)
    }
}

/// An element on which functions of a [`Number`] can be run one by one: numbers themselves, and half-precision floats,
/// which are widened to `f32` and rounded to nearest even afterwards.
pub trait Compute: Plain {
    /// What functions compute in.
    type Wide: Number;

    /// This element as a number.
    fn widen(self) -> Self::Wide;
    /// The element next to a number.
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! computed {
    ($($t:ty),* => $wide:ty; $widen:expr, $narrow:expr) => {$(
        impl Compute for $t {
            type Wide = $wide;

            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(wide: $wide) -> $t {
                $narrow(wide)
            }
        }
    )*};
}
computed!(f16, bf16 => f32; Half::to_f32, Half::of_f32);
macro_rules! computed_directly {
    ($($t:ty),*) => {$(computed!($t => $t; identity, identity);)*};
}
computed_directly!(
    f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Every half there is, and the neighbourhood of every border between two.
    #[test]
    fn halves_convert_as_the_half_crate_has_it() {
        fn check<H: Half>(
            of_bits: fn(u16) -> H,
            to_bits: fn(H) -> u16,
            to: fn(H) -> f32,
            of: fn(f32) -> H,
        ) {
            let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            let halves: Vec<H> = (0..=u16::MAX).map(of_bits).collect();
            let mut wide = vec![MaybeUninit::uninit(); halves.len()];
            let wide = H::to_f32s(&halves, &mut wide);
            let mut near = Vec::new();
            for (&h, &w) in halves.iter().zip(&*wide) {
                assert!(
                    same(w, to(h)) && same(h.to_f32(), w),
                    "{:#x} to {w}",
                    to_bits(h)
                );
                let next = to(of_bits(to_bits(h).wrapping_add(1)));
                let middle = (f64::from(w) + f64::from(next)) / 2.0;
                near.extend([
                    w,
                    middle as f32,
                    (middle as f32).next_up(),
                    (middle as f32).next_down(),
                ]);
            }
            near.extend([
                f32::MAX,
                f32::MIN,
                f32::MIN_POSITIVE,
                1e-45,
                -1e-45,
                65519.9,
                65520.0,
            ]);
            let mut back = vec![MaybeUninit::uninit(); near.len()];
            let back = H::of_f32s(&near, &mut back);
            for (&w, &h) in near.iter().zip(&*back) {
                let want = of(w);
                let nan = w.is_nan() && to(h).is_nan() && H::of_f32(w).to_f32().is_nan();
                let equal = to_bits(h) == to_bits(want) && to_bits(H::of_f32(w)) == to_bits(want);
                assert!(
                    nan || equal,
                    "{w:e} to {:#x}, not {:#x}",
                    to_bits(h),
                    to_bits(want)
                );
            }
        }
        check(f16::from_bits, f16::to_bits, f16::to_f32, f16::from_f32);
        check(bf16::from_bits, bf16::to_bits, bf16::to_f32, bf16::from_f32);
    }
}
