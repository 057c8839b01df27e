//! Results whose elements are an input's, moved unseen: as words of their width, or one by one where they own memory.

use std::mem::MaybeUninit;

use tfe_core::{
    DataType, Element, ResourceHandle, Result, TString, Tensor, TensorUninit, Variant, Word,
    dispatch_width,
};
use tfe_device::{Device, KernelContext};

use crate::{cost, fill_words, loops, parallel};

/// Where each element of a result comes from.
pub trait Movement: Sync {
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
        Ok(parallel::write(
            device,
            dst,
            1,
            cost::RANDOM_ACCESS,
            &|start, dst| {
                loops::tabulate(dst, |i| self.source(start + i).map_or(gap, |at| source[at]))
            },
        ))
    }
}

/// `out` with what a movement makes of `input`. Gaps hold the only element of `gap`, or zero.
///
/// # Errors
/// `ResourceExhausted`; those of the movement.
pub fn moved(
    ctx: &KernelContext<'_>,
    out: TensorUninit,
    input: &Tensor,
    gap: Option<&Tensor>,
    movement: &impl Movement,
) -> Result<Tensor> {
    match input.dtype() {
        DataType::String => moved_owned::<TString>(out, input, gap, movement),
        DataType::Resource => moved_owned::<ResourceHandle>(out, input, gap, movement),
        DataType::Variant => moved_owned::<Variant>(out, input, gap, movement),
        plain => dispatch_width!(plain.size(), |W| {
            let source = input.as_words::<W>()?;
            let gap = match gap {
                Some(gap) => gap.as_words::<W>()?[0],
                None => W::default(),
            };
            fill_words::<W>(out, |dst| movement.write(ctx.device(), source, gap, dst))
        }),
    }
}

fn moved_owned<T: Element>(
    out: TensorUninit,
    input: &Tensor,
    gap: Option<&Tensor>,
    movement: &impl Movement,
) -> Result<Tensor> {
    let source = input.as_slice::<T>()?;
    let gap = match gap {
        Some(gap) => gap.as_slice::<T>()?[0].try_clone()?,
        None => T::default(),
    };
    let elements = (0..out.shape().num_elements()).map(|i| {
        let element = movement.source(i).map_or(&gap, |at| &source[at]);
        element.try_clone()
    });
    out.try_fill_from(elements)
}
