//! Tensors of elements that own memory: strings, resource handles and variants.

use tfe_core::{Element, Result, Shape, Tensor};
use tfe_device::KernelContext;

/// A tensor of `shape` with the elements of `values` in order.
///
/// # Errors
/// The first error among `values`; `Internal` when there are not as many as elements; `ResourceExhausted`.
pub fn fill_owned<T: Element>(
    ctx: &KernelContext<'_>,
    shape: Shape,
    values: impl IntoIterator<Item = Result<T>>,
) -> Result<Tensor> {
    ctx.allocate(T::DTYPE, shape)?.try_fill_from(values)
}
