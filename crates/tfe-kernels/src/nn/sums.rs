//! Sums of rows of numbers, which the kernels of this family spend their time with.

use tfe_core::{Result, Shape, Tensor};
use tfe_device::KernelContext;

use tfe_host::number::Number;
use tfe_host::{fill, loops, parallel};

/// A tensor of sums, all zero before `add_up` adds to those of a piece, which begins at an element of the whole. Pieces are
/// of whole units of `unit` elements; an element takes some `ns` nanoseconds.
///
/// # Errors
/// `ResourceExhausted`.
pub(super) fn summed<T: Number>(
    ctx: &KernelContext<'_>,
    shape: Shape,
    unit: usize,
    ns: f64,
    add_up: impl Fn(usize, &mut [T]) + Sync,
) -> Result<Tensor> {
    fill(ctx.allocate(T::DTYPE, shape)?, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            unit,
            ns,
            &|start, dst| {
                let sums = loops::repeat(dst, T::default());
                add_up(start, sums);
                sums
            },
        ))
    })
}

levels! {
    /// Adds to each sum.
    pub(super) fn add[T: Number](sums: &mut [T], by: &[T]) {
        sums.iter_mut().zip(by).for_each(|(sum, &x)| *sum = sum.plus(x));
    }
}

levels! {
    /// Adds the products of each channel with the filters of its own, of which there are as many for each.
    pub(super) fn add_products[T: Number](sums: &mut [T], channels: &[T], filters: &[T]) {
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
    /// Adds to each channel the products of the filters of its own with as many numbers.
    pub(super) fn add_products_back[T: Number](channels: &mut [T], by: &[T], filters: &[T]) {
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
