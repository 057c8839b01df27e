//! The references of the suites, for tests that make their own inputs.

use tfe_core::{DataType, Result, Tensor};

use super::{Want, ops};

/// `AddV2` or `Mul` of two tensors that broadcast.
///
/// # Errors
/// When they do not, or the op is another.
pub fn elementwise(op: &str, a: &Tensor, b: &Tensor) -> Result<Want> {
    ops::elementwise::of(op, a, b)
}

/// `Sum` along axes.
///
/// # Errors
/// When there is no memory.
pub fn sum(input: &Tensor, axes: &[i64], keep_dims: bool) -> Result<Want> {
    ops::sum::reference(input, axes, keep_dims)
}

/// `MatMul` of two matrices that fit.
///
/// # Errors
/// When there is no memory.
pub fn mat_mul(a: &Tensor, b: &Tensor, transpose_a: bool, transpose_b: bool) -> Result<Want> {
    ops::mat_mul::reference(a, b, transpose_a, transpose_b)
}

/// `ConcatV2` of tensors that fit.
///
/// # Errors
/// When there is no memory.
pub fn concat(parts: &[Tensor], axis: i64) -> Result<Want> {
    ops::concat::reference(parts, axis).map(Want::exactly)
}

/// `StridedSlice` by a specification that fits.
///
/// # Errors
/// When there is no memory.
pub fn strided_slice(input: &Tensor, spec: &SliceSpec<'_>) -> Result<Want> {
    ops::strided_slice::reference(input, spec).map(Want::exactly)
}

pub use super::ops::strided_slice::{Masks, SliceSpec};

/// `TopKV2`, sorted.
///
/// # Errors
/// When there is no memory.
pub fn top_k(input: &Tensor, k: usize, index_type: DataType) -> Result<Want> {
    ops::top_k::reference(input, k, index_type)
}
