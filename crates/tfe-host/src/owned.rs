//! Tensors of elements that own memory: strings, resource handles and variants.

use tfe_core::{
    Element, ResourceHandle, Result, Shape, TString, Tensor, TensorUninit, Variant, ensure, err,
};
use tfe_device::KernelContext;

/// An element that is copied by running code, which may fail.
pub trait Owned: Element {
    /// A copy.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory.
    fn copy(&self) -> Result<Self>;
}

impl Owned for TString {
    fn copy(&self) -> Result<Self> {
        TString::concat([self.as_bytes()])
    }
}

impl Owned for ResourceHandle {
    fn copy(&self) -> Result<Self> {
        Ok(self.clone())
    }
}

impl Owned for Variant {
    fn copy(&self) -> Result<Self> {
        Ok(self.clone())
    }
}

/// A tensor of `shape` with the elements of `values` in order.
///
/// # Errors
/// As [`write`]; `ResourceExhausted`.
pub fn fill_owned<T: Owned>(
    ctx: &KernelContext<'_>,
    shape: Shape,
    values: impl IntoIterator<Item = Result<T>>,
) -> Result<Tensor> {
    write(ctx.allocate(T::DTYPE, shape)?, values)
}

/// The tensor with the elements of `values` in order.
///
/// # Errors
/// The first error among `values`; `Internal` when there are not as many as elements.
pub fn write<T: Owned>(
    out: TensorUninit,
    values: impl IntoIterator<Item = Result<T>>,
) -> Result<Tensor> {
    let mut out = out.zeroed();
    let slots = out
        .as_mut_slice::<T>()
        .ok_or_else(|| err!(Internal, "fresh memory is shared"))?;
    let mut written = 0;
    for (slot, value) in slots.iter_mut().zip(values) {
        *slot = value?;
        written += 1;
    }
    ensure!(
        written == slots.len(),
        Internal,
        "a kernel wrote {written} of {} elements",
        slots.len()
    );
    Ok(out)
}
