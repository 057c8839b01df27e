//! What host kernels are made of: loops, broadcasting, strided copies, reductions, products, parallel pieces, SIMD levels.
//!
//! The unsafe code of kernels is here, in `loops`, `simd` and `gemm`. A kernel gets fresh memory as
//! `&mut [MaybeUninit<T>]` and hands the same slice back as `&mut [T]`: the loops here are the way from one to the other,
//! and [`fill`] checks that it is the same slice.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.

#[macro_use]
pub mod simd;

pub mod accumulate;
pub mod axes;
#[cfg(feature = "gemm")]
pub mod batch_product;
pub mod bits;
pub mod broadcast;
pub mod broadcast_blocks;
pub mod channels;
pub mod complex;
pub mod convert;
pub mod cost;
pub mod elementary;
pub mod elementwise;
#[cfg(feature = "gemm")]
pub mod integer_gemm;
#[macro_use]
pub mod function;
pub mod gather_rows;
#[cfg(feature = "gemm")]
pub mod gemm;
pub mod groups;
pub mod loops;
pub mod matrix;
pub mod mean;
pub mod movement;
pub mod narrow;
pub mod number;
pub mod owned;
pub mod parallel;
pub mod pool;
pub mod printf;
pub mod reduce;
pub mod rules;
pub mod segment_reduce;
pub mod segmented_copy;
pub mod strided;
pub mod summary;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod update;

pub use loops::{Cursor, fill, fill_bytes, fill_words};

// Room that a kernel needs besides its results.
pub use tfe_core::memory::{try_filled_vec as scratch_of, try_vec_with_capacity as scratch};
