//! The resource argument of a kernel.

use tfe_core::{ResourceHandle, Result, Tensor, err};

/// The handle in a tensor: the first one, as in TensorFlow, whatever the shape.
///
/// # Errors
/// `InvalidArgument` when there is none, or the tensor holds something else.
pub(super) fn handle(tensor: &Tensor) -> Result<&ResourceHandle> {
    tensor
        .as_slice::<ResourceHandle>()?
        .first()
        .ok_or_else(|| err!(InvalidArgument, "Empty resource handle"))
}
