//! SIMD levels: one function compiled several times, the best one for the CPU chosen when it is called.
#![expect(unsafe_code, reason = "calls functions compiled for CPU features")]

use std::mem::MaybeUninit;
use std::sync::LazyLock;

use tfe_core::f16;

use crate::loops;

/// Compiles a function for the baseline of the target and, on x86-64, once more for AVX2, FMA and F16C.
///
/// Generic parameters stand in square brackets. For loops whose speed a benchmark watches: each costs a second copy of
/// its code. There is no AVX-512 copy: these loops wait for memory (matrix products come from `gemm`, which has one).
/// Results are the same on all levels, since Rust never fuses a multiplication with an addition by itself: `TFE_SIMD`
/// caps the level so that tests see this on one machine.
///
/// ```text
/// levels! {
///     /// Adds `src` to `dst`.
///     pub fn add[T: Number](dst: &mut [T], src: &[T]) {
///         for (d, &s) in dst.iter_mut().zip(src) { *d = d.add(s); }
///     }
/// }
/// ```
#[macro_export]
macro_rules! levels {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $([$($generics:tt)*])? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?
        $body:block
    ) => {
        $(#[$meta])*
        #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "calls the AVX2 copy of the function"))]
        $vis fn $name $(<$($generics)*>)? ($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            fn plain $(<$($generics)*>)? ($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,f16c")]
                fn avx2 $(<$($generics)*>)? ($($arg: $ty),*) $(-> $ret)? {
                    plain($($arg),*)
                }
                if $crate::simd::has_avx2() {
                    // SAFETY: the CPU has just been asked for these features.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}

/// The environment variable that caps the level, read at first use: the name of a [`Level`].
const CAP: &str = "TFE_SIMD";

/// Which copies of functions may run. `xtask/src/levels.rs` lists the names for tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Level {
    /// What every CPU of the target has.
    Baseline = 1,
    /// AVX2, FMA and F16C.
    Avx2,
    /// No cap: other libraries, too, choose by what the CPU has.
    Uncapped,
}

impl Level {
    fn named(name: &str) -> Option<Level> {
        match name {
            "baseline" => Some(Level::Baseline),
            "avx2" => Some(Level::Avx2),
            _ => None,
        }
    }

    /// The level for a cap and a CPU. A CPU without AVX2 is treated as one that is capped, so that a cap shows on any
    /// machine what such a CPU gets.
    fn of(cap: Option<Level>, cpu_has_avx2: bool) -> Level {
        let best = if cpu_has_avx2 || !cfg!(target_arch = "x86_64") {
            Level::Uncapped
        } else {
            Level::Baseline
        };
        match cap {
            Some(Level::Avx2) if !cpu_has_avx2 => Level::Baseline,
            Some(cap) => cap.min(best),
            None => best,
        }
    }
}

#[inline]
fn is_at_least(wanted: Level) -> bool {
    use std::sync::atomic::{AtomicU8, Ordering};

    const UNKNOWN: u8 = 0;
    static LEVEL: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[cold]
    fn ask() -> u8 {
        #[cfg(target_arch = "x86_64")]
        let cpu_has_avx2 = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("f16c");
        #[cfg(not(target_arch = "x86_64"))]
        let cpu_has_avx2 = false;
        let level = Level::of(*CAP_IN_FORCE, cpu_has_avx2) as u8;
        // Relaxed: whoever sees `UNKNOWN` asks again and gets the same answer.
        LEVEL.store(level, Ordering::Relaxed);
        level
    }

    let level = match LEVEL.load(Ordering::Relaxed) {
        UNKNOWN => ask(),
        level => level,
    };
    level >= wanted as u8
}

/// What [`CAP`] says. A value that is no level is reported, once, and has no effect.
static CAP_IN_FORCE: LazyLock<Option<Level>> = LazyLock::new(|| {
    let name = std::env::var_os(CAP)?;
    let level = name.to_str().and_then(Level::named);
    if level.is_none() {
        #[expect(
            clippy::print_stderr,
            reason = "nobody asks for it, so there is no status to set"
        )]
        {
            eprintln!(
                "{CAP}={} is ignored: the levels are baseline and avx2",
                name.display()
            );
        }
    }
    level
});

/// Whether the `avx2` copies of [`levels!`] may run: the CPU has what they use, and no cap forbids it.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_avx2() -> bool {
    is_at_least(Level::Avx2)
}

/// Whether libraries may be called that choose among instructions by themselves, and round accordingly.
#[cfg(feature = "gemm")]
#[inline]
pub fn libraries_may_choose() -> bool {
    is_at_least(Level::Uncapped)
}

/// The value of a half-precision float, by integer arithmetic that vectorises on any CPU.
#[inline(always)]
pub fn f16_to_f32(half: f16) -> f32 {
    let bits = u32::from(half.to_bits());
    let shifted = (bits & 0x7fff) << 13;
    let exponent = shifted & 0x0f80_0000;
    let rebiased = shifted + ((127 - 15) << 23);
    // Subnormal: with the exponent of 2^-14 the value is 2^-14 too large. No `f32` on the way is subnormal, so that it
    // works in the floating-point mode of kernels as well.
    let subnormal = f32::from_bits(shifted + ((127 - 14) << 23)) - f32::from_bits((127 - 14) << 23);
    let magnitude = match exponent {
        0x0f80_0000 => rebiased + ((128 - 16) << 23),
        0 => subnormal.to_bits(),
        _ => rebiased,
    };
    f32::from_bits(magnitude | (bits & 0x8000) << 16)
}

/// The nearest half-precision float, ties to even, by integer arithmetic that vectorises on any CPU.
#[inline(always)]
pub fn f32_to_f16(wide: f32) -> f16 {
    let sign = wide.to_bits() >> 16 & 0x8000;
    let bits = wide.to_bits() & 0x7fff_ffff;
    // Ties to even: half a unit less one, and one more when the result would be odd.
    let normal = bits
        .wrapping_sub((127 - 15) << 23)
        .wrapping_add(0xfff + (bits >> 13 & 1))
        >> 13;
    // Adding 1/2 pushes all bits below a unit of the subnormal halves out, rounded as the CPU rounds: to nearest even.
    let subnormal = (f32::from_bits(bits) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let magnitude = if bits > 0x7f80_0000 {
        0x7e00
    } else if bits >= 0x4780_0000 {
        0x7c00
    } else if bits < (127 - 14) << 23 {
        subnormal
    } else {
        normal
    };
    f16::from_bits((sign | magnitude) as u16)
}

/// Writes the values of half-precision floats.
///
/// # Panics
/// When the lengths differ.
pub fn f16s_to_f32s<'a>(src: &[f16], dst: &'a mut [MaybeUninit<f32>]) -> &'a mut [f32] {
    assert_eq!(src.len(), dst.len());
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the CPU has just been asked for these features; the lengths are equal.
        return unsafe { x86::f16s_to_f32s(src, dst) };
    }
    loops::map(dst, src, f16_to_f32)
}

/// Writes the nearest half-precision floats, ties to even.
///
/// # Panics
/// When the lengths differ.
pub fn f32s_to_f16s<'a>(src: &[f32], dst: &'a mut [MaybeUninit<f16>]) -> &'a mut [f16] {
    assert_eq!(src.len(), dst.len());
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the CPU has just been asked for these features; the lengths are equal.
        return unsafe { x86::f32s_to_f16s(src, dst) };
    }
    loops::map(dst, src, f32_to_f16)
}

/// Conversions by the CPU's own instructions, 8 at a time.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm_storeu_si128, _mm256_cvtph_ps,
        _mm256_cvtps_ph, _mm256_loadu_ps, _mm256_storeu_ps,
    };
    use std::mem::MaybeUninit;

    use tfe_core::f16;

    const LANES: usize = 8;

    /// # Safety
    /// The CPU has these features, and the slices have one length.
    #[target_feature(enable = "avx2,f16c")]
    pub(super) unsafe fn f16s_to_f32s<'a>(
        src: &[f16],
        dst: &'a mut [MaybeUninit<f32>],
    ) -> &'a mut [f32] {
        for (s, d) in src.chunks_exact(LANES).zip(dst.chunks_exact_mut(LANES)) {
            // SAFETY: a chunk is 16 bytes.
            let halves = unsafe { _mm_loadu_si128(s.as_ptr().cast()) };
            let wide = _mm256_cvtph_ps(halves);
            // SAFETY: a chunk is 32 bytes.
            unsafe { _mm256_storeu_ps(d.as_mut_ptr().cast(), wide) };
        }
        let done = src.len() - src.len() % LANES;
        for (s, d) in src[done..].iter().zip(&mut dst[done..]) {
            d.write(super::f16_to_f32(*s));
        }
        // SAFETY: whole chunks were written in the first loop, the rest in the second.
        unsafe { dst.assume_init_mut() }
    }

    /// # Safety
    /// The CPU has these features, and the slices have one length.
    #[target_feature(enable = "avx2,f16c")]
    pub(super) unsafe fn f32s_to_f16s<'a>(
        src: &[f32],
        dst: &'a mut [MaybeUninit<f16>],
    ) -> &'a mut [f16] {
        for (s, d) in src.chunks_exact(LANES).zip(dst.chunks_exact_mut(LANES)) {
            // SAFETY: a chunk is 32 bytes.
            let wide = unsafe { _mm256_loadu_ps(s.as_ptr()) };
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide);
            // SAFETY: a chunk is 16 bytes.
            unsafe { _mm_storeu_si128(d.as_mut_ptr().cast(), halves) };
        }
        let done = src.len() - src.len() % LANES;
        for (s, d) in src[done..].iter().zip(&mut dst[done..]) {
            d.write(super::f32_to_f16(*s));
        }
        // SAFETY: whole chunks were written in the first loop, the rest in the second.
        unsafe { dst.assume_init_mut() }
    }
}

macro_rules! to_ints {
    ($($name:ident: $float:ty => $int:ty, $low:literal, $high:literal;)*) => {$(
        /// The whole part where it fits, else the most negative integer: what x86-64 has one instruction for. Loops over
        /// this vectorise, while those over `as`, which saturates, do not.
        #[inline(always)]
        pub fn $name(x: $float) -> $int {
            let fits = x > $low && x < $high;
            let fitting = if fits { x } else { 0.0 };
            // SAFETY: between the limits, so the whole part is an integer of that type.
            let whole = unsafe { fitting.to_int_unchecked::<$int>() };
            if fits { whole } else { <$int>::MIN }
        }
    )*};
}
to_ints! {
    f32_to_i32: f32 => i32, -2_147_483_648.0, 2_147_483_648.0;
    f64_to_i32: f64 => i32, -2_147_483_649.0, 2_147_483_648.0;
    f64_to_i64: f64 => i64, -9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_only_lowers_the_level() {
        let of = |cap: Option<&str>, avx2| Level::of(cap.and_then(Level::named), avx2);
        assert!(of(Some("baseline"), true) == Level::Baseline);
        assert!(of(Some("avx2"), true) == Level::Avx2);
        assert!(of(Some("avx2"), false) == Level::Baseline);
        assert!(of(None, true) == Level::Uncapped);
        assert!(of(Some("avx3"), true) == Level::Uncapped);
        assert_eq!(
            of(None, false) == Level::Baseline,
            cfg!(target_arch = "x86_64")
        );
    }
}
