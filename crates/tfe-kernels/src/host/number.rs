//! Arithmetic on elements, with TensorFlow's meaning: integers wrap, half-precision floats are computed in `f32`.

use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, Plain, bf16, f16};

use super::{loops, simd};

/// A type to compute in.
pub(crate) trait Number: Plain + Default + PartialEq {
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// The difference; integers wrap.
    fn minus(self, other: Self) -> Self;
    /// The product; integers wrap.
    fn times(self, other: Self) -> Self;
}

macro_rules! numbers {
    ($($t:ty),*; $plus:ident $minus:ident $times:ident) => {$(
        impl Number for $t {
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
        }
    )*};
}
use std::ops::{Add, Mul, Sub};
numbers!(i8, i16, i32, i64, u8, u16, u32, u64; wrapping_add wrapping_sub wrapping_mul);
numbers!(f32, f64, Complex64, Complex128; add sub mul);

/// A function of two numbers.
pub(crate) trait Fn2<T>: Fn(T, T) -> T + Copy + Send + Sync + 'static {}
impl<T, F: Fn(T, T) -> T + Copy + Send + Sync + 'static> Fn2<T> for F {}

/// An element on which functions of a [`Number`] can be run: numbers themselves, and half-precision floats, which are
/// widened to `f32` and rounded to nearest even afterwards.
pub(crate) trait Compute: Plain {
    /// What functions compute in.
    type Wide: Number;

    /// This element as a number.
    fn widen(self) -> Self::Wide;
    /// The element next to a number.
    fn narrow(wide: Self::Wide) -> Self;

    /// Writes `f(a, b)` for each pair.
    fn zip<'a, F: Fn2<Self::Wide>>(
        f: F,
        dst: &'a mut [MaybeUninit<Self>],
        a: &[Self],
        b: &[Self],
    ) -> &'a mut [Self];

    /// Writes `f(a, b)` for one `a` and each `b`.
    fn zip_left<'a, F: Fn2<Self::Wide>>(
        f: F,
        dst: &'a mut [MaybeUninit<Self>],
        a: Self,
        b: &[Self],
    ) -> &'a mut [Self];

    /// Writes `f(a, b)` for each `a` and one `b`.
    fn zip_right<'a, F: Fn2<Self::Wide>>(
        f: F,
        dst: &'a mut [MaybeUninit<Self>],
        a: &[Self],
        b: Self,
    ) -> &'a mut [Self];
}

levels! {
    fn zip['a, T: Number, F: Fn2<T>](f: F, dst: &'a mut [MaybeUninit<T>], a: &[T], b: &[T]) -> &'a mut [T] {
        loops::zip(dst, a, b, f)
    }
}
levels! {
    fn zip_left['a, T: Number, F: Fn2<T>](f: F, dst: &'a mut [MaybeUninit<T>], a: T, b: &[T]) -> &'a mut [T] {
        loops::map(dst, b, |b| f(a, b))
    }
}
levels! {
    fn zip_right['a, T: Number, F: Fn2<T>](f: F, dst: &'a mut [MaybeUninit<T>], a: &[T], b: T) -> &'a mut [T] {
        loops::map(dst, a, |a| f(a, b))
    }
}

macro_rules! computed_directly {
    ($($t:ty),*) => {$(
        impl Compute for $t {
            type Wide = $t;

            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(wide: $t) -> $t {
                wide
            }
            fn zip<'a, F: Fn2<$t>>(
                f: F,
                dst: &'a mut [MaybeUninit<$t>],
                a: &[$t],
                b: &[$t],
            ) -> &'a mut [$t] {
                zip(f, dst, a, b)
            }
            fn zip_left<'a, F: Fn2<$t>>(
                f: F,
                dst: &'a mut [MaybeUninit<$t>],
                a: $t,
                b: &[$t],
            ) -> &'a mut [$t] {
                zip_left(f, dst, a, b)
            }
            fn zip_right<'a, F: Fn2<$t>>(
                f: F,
                dst: &'a mut [MaybeUninit<$t>],
                a: &[$t],
                b: $t,
            ) -> &'a mut [$t] {
                zip_right(f, dst, a, b)
            }
        }
    )*};
}
computed_directly!(
    f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128
);

/// A 16-bit float.
pub(crate) trait Half: Plain {
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

/// Elements that are widened at once: three such buffers stay in the first-level cache.
const BLOCK: usize = 512;

/// Halves go through `f32` by blocks, in the loops that `f32` has anyway.
macro_rules! computed_in_f32 {
    ($($t:ty),*) => {$(
        impl Compute for $t {
            type Wide = f32;

            #[inline(always)]
            fn widen(self) -> f32 {
                Half::to_f32(self)
            }
            #[inline(always)]
            fn narrow(wide: f32) -> $t {
                Half::of_f32(wide)
            }
            fn zip<'a, F: Fn2<f32>>(
                f: F,
                dst: &'a mut [MaybeUninit<$t>],
                a: &[$t],
                b: &[$t],
            ) -> &'a mut [$t] {
                let mut wide = [[MaybeUninit::uninit(); BLOCK]; 3];
                let [x, y, z] = &mut wide;
                loops::by_blocks(dst, BLOCK, |dst, range| {
                    let n = dst.len();
                    let x = Half::to_f32s(&a[range.clone()], &mut x[..n]);
                    let y = Half::to_f32s(&b[range], &mut y[..n]);
                    Half::of_f32s(zip(f, &mut z[..n], x, y), dst)
                })
            }
            fn zip_left<'a, F: Fn2<f32>>(
                f: F,
                dst: &'a mut [MaybeUninit<$t>],
                a: $t,
                b: &[$t],
            ) -> &'a mut [$t] {
                let mut wide = [[MaybeUninit::uninit(); BLOCK]; 2];
                let [y, z] = &mut wide;
                loops::by_blocks(dst, BLOCK, |dst, range| {
                    let n = dst.len();
                    let y = Half::to_f32s(&b[range], &mut y[..n]);
                    Half::of_f32s(zip_left(f, &mut z[..n], Half::to_f32(a), y), dst)
                })
            }
            fn zip_right<'a, F: Fn2<f32>>(
                f: F,
                dst: &'a mut [MaybeUninit<$t>],
                a: &[$t],
                b: $t,
            ) -> &'a mut [$t] {
                let mut wide = [[MaybeUninit::uninit(); BLOCK]; 2];
                let [x, z] = &mut wide;
                loops::by_blocks(dst, BLOCK, |dst, range| {
                    let n = dst.len();
                    let x = Half::to_f32s(&a[range], &mut x[..n]);
                    Half::of_f32s(zip_right(f, &mut z[..n], x, Half::to_f32(b)), dst)
                })
            }
        }
    )*};
}
computed_in_f32!(f16, bf16);

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
