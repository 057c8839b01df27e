//! The elements of small integer tensors: axes, sizes, paddings.
#![expect(
    clippy::useless_conversion,
    reason = "one of the types that are widened is the widest itself"
)]

use smallvec::SmallVec;
use tfe_core::{Result, Tensor, dispatch, err};

/// The elements of an integer tensor of any shape: axes, sizes, paddings, indices.
///
/// # Errors
/// `Unimplemented` for a type that indexes nothing; `ResourceExhausted` when there is no memory for many.
pub fn integers(tensor: &Tensor) -> Result<SmallVec<[i64; 8]>> {
    let (n, mut all) = (tensor.num_elements(), SmallVec::new());
    all.try_reserve_exact(n)
        .map_err(|_| err!(ResourceExhausted, "OOM when allocating {n} integers"))?;
    dispatch!(
        tensor.dtype(),
        [Int8, Uint8, Int16, Uint16, Int32, Int64],
        |T| {
            all.extend(tensor.as_slice::<T>()?.iter().map(|&v| i64::from(v)));
            Ok(all)
        }
    )
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
