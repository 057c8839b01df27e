//! Rows of a tensor reduced to the rows of another that they are assigned to.

use tfe_core::{Plain, Result, Shape, Tensor};
use tfe_device::KernelContext;

use crate::gather_rows::Rows;
use crate::reduce::DynReducer;
use crate::{fill, loops, scratch_of};

/// A tensor of `shape` whose row `i` is what the rows of `data` come to that `rows` assigns to it; `missing` where it
/// assigns none. [`Rows::NONE`] assigns a row to nothing.
///
/// # Errors
/// `ResourceExhausted`; `InvalidArgument` when `data` is of another type.
pub fn combined<I: Plain, A: Plain>(
    ctx: &KernelContext<'_>,
    reducer: &DynReducer<I, A>,
    data: &Tensor,
    rows: &[usize],
    missing: I,
    shape: Shape,
) -> Result<Tensor> {
    let dtype = data.dtype();
    if dtype != I::DTYPE {
        let bits = data.bitcast(I::DTYPE)?;
        return combined(ctx, reducer, &bits, rows, missing, shape)?.bitcast(dtype);
    }
    let source = data.as_slice::<I>()?;
    let out = ctx.allocate(I::DTYPE, shape)?;
    let width = source.len() / rows.len().max(1);
    fill(out, |dst| {
        if source.is_empty() {
            return Ok(loops::repeat(dst, missing));
        }
        let mut totals = scratch_of(reducer.identity(), dst.len())?;
        let mut counts = scratch_of(0, dst.len() / width)?;
        let mut first = 0;
        // Neighbours that belong together are taken together.
        for group in rows.chunk_by(|a, b| a == b) {
            let (start, n) = (first, group.len());
            first += n;
            if group[0] == Rows::NONE {
                continue;
            }
            counts[group[0]] += n;
            let totals = &mut totals[group[0] * width..][..width];
            let source = &source[start * width..][..n * width];
            match totals {
                [_] => reducer.join(totals, &[reducer.row(source)]),
                _ => reducer.columns(totals, source, width, n),
            }
        }
        Ok(loops::by_blocks(dst, width, |dst, range| {
            match counts[range.start / width] {
                0 => loops::repeat(dst, missing),
                n => reducer.results(dst, &totals[range], n),
            }
        }))
    })
}
