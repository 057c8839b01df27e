//! Sums over windows of images, channel by channel: what convolutions and pooling spend their time with.

use tfe_core::{Result, Shape, Tensor};
use tfe_device::KernelContext;

use crate::number::Number;
use crate::{fill, loops, parallel};

/// A tensor of sums, all zero before `add_up` adds to those of a piece, which begins at an element of the whole and is not
/// empty. Pieces are of whole units of `unit` elements; an element takes some `ns` nanoseconds.
///
/// # Errors
/// `ResourceExhausted`; those of `add_up`.
pub fn summed<T: Number>(
    ctx: &KernelContext<'_>,
    shape: Shape,
    unit: usize,
    ns: f64,
    add_up: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<Tensor> {
    fill(ctx.allocate(T::DTYPE, shape)?, |dst| {
        parallel::try_write(ctx.device(), dst, unit, ns, &|start, dst| {
            let sums = loops::repeat(dst, T::default());
            if !sums.is_empty() {
                add_up(start, sums)?;
            }
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
    /// Adds the products of each channel with the filters of its own, of which there are as many for each.
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
    /// Adds to each channel the products of the filters of its own with as many numbers.
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
    pub fn raise[T: Copy + PartialOrd](most: &mut [T], seen: &[T], n: usize) {
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
