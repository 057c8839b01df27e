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
// Room that a kernel needs besides its results.
pub(crate) use tfe_core::memory::{try_filled_vec as scratch_of, try_vec_with_capacity as scratch};
