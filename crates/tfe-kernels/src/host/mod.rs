//! What kernels are built from: loops, broadcasting, strided copies, reductions, parallel pieces, SIMD levels.
//!
//! The only unsafe code of this crate is in `loops`, `simd` and `gemm`. A kernel gets fresh memory as
//! `&mut [MaybeUninit<T>]` and hands the same slice back as `&mut [T]`: the loops here are the way from one to the other,
//! and [`fill`] checks that it is the same slice.

#[macro_use]
pub(crate) mod simd;

pub(crate) mod axes;
pub(crate) mod bits;
#[cfg(any(feature = "math", feature = "nn"))]
pub(crate) mod blocked;
pub(crate) mod broadcast;
#[cfg(feature = "math")]
pub(crate) mod complex;
#[cfg(feature = "math")]
pub(crate) mod convert;
#[cfg(any(feature = "math", feature = "reduce"))]
pub(crate) mod elementary;
pub(crate) mod elementwise;
pub(crate) mod feed;
#[cfg(any(feature = "math", feature = "nn", feature = "reduce"))]
pub(crate) mod fold;
#[macro_use]
pub(crate) mod function;
#[cfg(any(feature = "math", feature = "nn"))]
pub(crate) mod gemm;
pub(crate) mod loops;
pub(crate) mod movement;
pub(crate) mod number;
pub(crate) mod owned;
pub(crate) mod parallel;
pub(crate) mod printf;
#[cfg(any(feature = "math", feature = "nn", feature = "reduce"))]
pub(crate) mod reduce;
pub(crate) mod rows;
pub(crate) mod runs;
#[cfg(feature = "reduce")]
pub(crate) mod segments;
pub(crate) mod small;
pub(crate) mod strided;
pub(crate) mod summary;
pub(crate) mod update;

pub(crate) use loops::{Cursor, fill, fill_bytes, fill_words};

/// Room for `n` values that a kernel needs besides its results.
///
/// # Errors
/// `ResourceExhausted` when there is no memory.
pub(crate) fn scratch<T>(n: usize) -> tfe_core::Result<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(n).map_err(|_| {
        tfe_core::err!(
            ResourceExhausted,
            "OOM when allocating {n} values of {} bytes to work with",
            size_of::<T>()
        )
    })?;
    Ok(room)
}

/// [`scratch`] with `n` times `value` in it.
///
/// # Errors
/// As [`scratch`].
pub(crate) fn scratch_of<T: Clone>(value: T, n: usize) -> tfe_core::Result<Vec<T>> {
    let mut room = scratch(n)?;
    room.resize(n, value);
    Ok(room)
}
