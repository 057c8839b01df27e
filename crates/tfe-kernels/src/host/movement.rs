//! Results whose elements are an input's, moved unseen: as words of their width, or one by one where they own memory.

use std::mem::MaybeUninit;

use tfe_core::{
    DataType, Element, ResourceHandle, Result, Shape, TString, Tensor, Variant, Word,
    dispatch_width,
};
use tfe_device::{Device, KernelContext};

use super::owned::fill_owned;
use super::{fill_words, loops, parallel};

/// Where each element of a result comes from.
pub(crate) trait Movement: Sync {
    /// The place in the input of element `i` of the result, `None` for a gap.
    fn source(&self, i: usize) -> Option<usize>;

    /// Writes all elements: words of `source`, or `gap` where there is none. One by one, unless a movement knows better.
    ///
    /// # Errors
    /// `Internal` when the movement is not of that many elements.
    fn write<'a, W: Word>(
        &self,
        device: &dyn Device,
        source: &[W],
        gap: W,
        dst: &'a mut [MaybeUninit<W>],
    ) -> Result<&'a mut [W]> {
        Ok(parallel::write(device, dst, 1, 5.0, &|start, dst| {
            loops::tabulate(dst, |i| self.source(start + i).map_or(gap, |at| source[at]))
        }))
    }
}

/// The tensor of `shape` that a movement makes of `input`. Gaps hold the only element of `gap`, or zero.
///
/// # Errors
/// `ResourceExhausted`; those of the movement.
pub(crate) fn moved(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    gap: Option<&Tensor>,
    movement: &impl Movement,
    shape: Shape,
) -> Result<Tensor> {
    match input.dtype() {
        DataType::String => owned::<TString>(ctx, input, gap, movement, shape),
        DataType::Resource => owned::<ResourceHandle>(ctx, input, gap, movement, shape),
        DataType::Variant => owned::<Variant>(ctx, input, gap, movement, shape),
        plain => dispatch_width!(plain.size(), |W| {
            let source = input.as_words::<W>()?;
            let gap = match gap {
                Some(gap) => gap.as_words::<W>()?[0],
                None => W::default(),
            };
            let out = ctx.allocate(plain, shape)?;
            fill_words::<W>(out, |dst| movement.write(ctx.device(), source, gap, dst))
        }),
    }
}

fn owned<T: Element>(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    gap: Option<&Tensor>,
    movement: &impl Movement,
    shape: Shape,
) -> Result<Tensor> {
    let source = input.as_slice::<T>()?;
    let gap = match gap {
        Some(gap) => gap.as_slice::<T>()?[0].try_clone()?,
        None => T::default(),
    };
    let elements = (0..shape.num_elements()).map(|i| {
        movement
            .source(i)
            .map_or(&gap, |at| &source[at])
            .try_clone()
    });
    fill_owned(ctx, shape, elements)
}
