//! SIMD levels: one function compiled several times, the best one for the CPU chosen when it is called.
#![expect(unsafe_code, reason = "calls functions compiled for CPU features")]

/// Compiles a function for the baseline of the target and, on x86-64, once more for AVX2, FMA and F16C.
///
/// Generic parameters stand in square brackets. For loops whose speed a benchmark watches: each costs a second copy of
/// its code. There is no AVX-512 copy: these loops wait for memory (matrix products come from `gemm`, which has one).
/// Results are the same on all levels, since Rust never fuses a multiplication with an addition by itself.
///
/// ```ignore
/// levels! {
///     /// Adds `src` to `dst`.
///     pub(crate) fn add[T: Number](dst: &mut [T], src: &[T]) {
///         for (d, &s) in dst.iter_mut().zip(src) { *d = d.add(s); }
///     }
/// }
/// ```
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
                if $crate::host::simd::has_avx2() {
                    // SAFETY: the CPU has just been asked for these features.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}

/// Whether the CPU has what the `avx2` copies of [`levels!`] use.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_avx2() -> bool {
    use std::sync::atomic::{AtomicU8, Ordering};

    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[cold]
    fn ask() -> bool {
        let yes = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("f16c");
        // Relaxed: whoever sees `UNKNOWN` asks again and gets the same answer.
        ANSWER.store(if yes { YES } else { NO }, Ordering::Relaxed);
        yes
    }

    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => ask(),
        answer => answer == YES,
    }
}
