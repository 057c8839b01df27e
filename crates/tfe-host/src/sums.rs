//! Sums and maxima of windows: what convolutions and pooling spend their time with.

use tfe_core::{Result, Tensor, TensorUninit};
use tfe_device::KernelContext;

use crate::accumulate::Ordered;
use crate::number::Number;
use crate::{fill, loops, parallel};

/// `out` with sums, all zero before `add_up(start, sums)` adds to those from element `start` on. Pieces are of whole units
/// of `unit` elements; an element takes some `ns` nanoseconds. Where there are no sums nothing is added up.
///
/// # Errors
/// Those of `add_up`.
pub fn summed<T: Number>(
    ctx: &KernelContext<'_>,
    out: TensorUninit,
    unit: usize,
    ns: f64,
    add_up: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<Tensor> {
    if out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    fill(out, |dst| {
        parallel::try_write(ctx.device(), dst, unit, ns, &|start, dst| {
            let sums = loops::repeat(dst, T::default());
            add_up(start, sums)?;
            Ok(sums)
        })
    })
}

levels! {
    /// Adds to each sum.
    pub fn add[T: Number](sums: &mut [T], by: &[T]) {
        sums.iter_mut().zip(by).for_each(|(sum, &x)| *sum = sum.plus(x));
    }
}

levels! {
    /// `sums[c * m + j] += channels[c] * filters[c * m + j]`; `m` is the depth multiplier.
    pub fn add_products[T: Number](sums: &mut [T], channels: &[T], filters: &[T]) {
        if sums.len() == channels.len() {
            for ((sum, &x), &w) in sums.iter_mut().zip(channels).zip(filters) {
                *sum = sum.plus(x.times(w));
            }
            return;
        }
        let n = sums.len() / channels.len().max(1);
        let filters = filters.chunks_exact(n.max(1));
        for ((sums, &x), filters) in sums.chunks_exact_mut(n.max(1)).zip(channels).zip(filters) {
            for (sum, &w) in sums.iter_mut().zip(filters) {
                *sum = sum.plus(x.times(w));
            }
        }
    }
}

levels! {
    /// `channels[c] += by[c * m + j] * filters[c * m + j]` for each `j`; `m` is the depth multiplier.
    pub fn add_products_back[T: Number](channels: &mut [T], by: &[T], filters: &[T]) {
        let n = filters.len() / channels.len().max(1);
        if n == 1 {
            for ((sum, &x), &w) in channels.iter_mut().zip(by).zip(filters) {
                *sum = sum.plus(x.times(w));
            }
            return;
        }
        let pairs = by.chunks_exact(n.max(1)).zip(filters.chunks_exact(n.max(1)));
        for (sum, (by, filters)) in channels.iter_mut().zip(pairs) {
            for (&x, &w) in by.iter().zip(filters) {
                *sum = sum.plus(x.times(w));
            }
        }
    }
}

levels! {
    /// Makes each number the greatest of itself and `n` that are seen. NaN is not greater than anything, so it is passed
    /// over, as in TensorFlow.
    pub fn raise[T: Ordered](most: &mut [T], seen: &[T], n: usize) {
        if n == 1 {
            for (most, &x) in most.iter_mut().zip(seen) {
                *most = if *most < x { x } else { *most };
            }
            return;
        }
        for (most, seen) in most.iter_mut().zip(seen.chunks_exact(n)) {
            *most = seen.iter().fold(*most, |most, &x| if most < x { x } else { most });
        }
    }
}
