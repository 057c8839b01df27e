//! The elements of small integer tensors: axes, sizes, paddings.

use smallvec::SmallVec;
use tfe_core::{DataType, Result, Tensor, dispatch, err};

/// The elements of an integer tensor of any shape.
///
/// # Errors
/// `Unimplemented` for a type that indexes nothing.
pub fn integers(tensor: &Tensor) -> Result<SmallVec<[i64; 8]>> {
    if tensor.dtype() == DataType::Int64 {
        return Ok(SmallVec::from_slice(tensor.as_slice::<i64>()?));
    }
    dispatch!(tensor.dtype(), [Int8, Uint8, Int16, Uint16, Int32], |T| Ok(
        tensor.as_slice::<T>()?.iter().map(|&v| v.into()).collect()
    ))
}

/// The first element of an integer tensor.
///
/// # Errors
/// `Unimplemented` for a type that indexes nothing; `InvalidArgument` when there is no element.
pub fn integer(tensor: &Tensor) -> Result<i64> {
    dispatch!(
        tensor.dtype(),
        [Int8, Uint8, Int16, Uint16, Int32, Int64],
        |T| {
            let first = tensor.as_slice::<T>()?.first();
            first.map(|&v| v.into()).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "expected an integer, got a tensor of shape {}",
                    tensor.shape()
                )
            })
        }
    )
}
