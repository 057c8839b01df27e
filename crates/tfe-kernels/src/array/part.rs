//! Parts of a tensor: views where the memory can be shared, else copies.

use std::ops::Range;

use tfe_core::{Result, Shape, Tensor};
use tfe_device::KernelContext;

use tfe_host::strided::{self, Strided};

/// The indices of a range along one axis, as a tensor of `shape`.
///
/// # Errors
/// `ResourceExhausted`.
pub(super) fn part(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    axis: usize,
    range: Range<usize>,
    shape: &Shape,
) -> Result<Tensor> {
    if axis == 0
        && let Some(view) = rows(input, range.clone(), shape)?
    {
        return Ok(view);
    }
    let rank = input.rank();
    let begin = (0..rank).map(|i| if i == axis { range.start } else { 0 });
    let size = (0..rank).map(|i| match i {
        i if i == axis => range.len(),
        i => input.shape().dim(i),
    });
    let walk = Strided::block(input.dims(), begin, size);
    strided::gather(ctx, input, &walk, shape.clone())
}

/// A view of a range of rows as a tensor of `shape`, where TensorFlow shares the memory too: when they start and end at
/// multiples of 64 bytes. A view of less would keep a big tensor alive for a small one.
///
/// # Errors
/// `InvalidArgument` for rows that are not there.
pub(super) fn rows(input: &Tensor, range: Range<usize>, shape: &Shape) -> Result<Option<Tensor>> {
    const ALIGN: usize = 64;
    if shape.num_elements() == 0 {
        return Ok(None);
    }
    let row_bytes = input.byte_size() / input.shape().dim(0);
    let aligned = if input.rank() == 1 {
        let at = [range.start, range.end];
        at.iter().all(|i| (i * row_bytes).is_multiple_of(ALIGN))
    } else {
        row_bytes.is_multiple_of(ALIGN)
    };
    if !aligned {
        return Ok(None);
    }
    let view = input.rows(range.start, range.end)?;
    if !view.is_aligned() {
        return Ok(None);
    }
    view.reshaped(shape.clone()).map(Some)
}
