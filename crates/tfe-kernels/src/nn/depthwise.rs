//! Depthwise convolutions, where each channel has filters of its own: their sizes, and how they are computed.

use tfe_core::{Result, Shape, Tensor, err};
use tfe_device::{KernelContext, dim};
use tfe_host::number::Number;
use tfe_host::sums::{add_products, summed};
use tfe_host::{cost, scratch_of};

use super::promote;
use super::window::{Axis, Windows};

/// The sizes of a depthwise convolution.
#[derive(Clone, Copy)]
pub(super) struct Geometry {
    pub(super) images: usize,
    pub(super) rows: Axis,
    pub(super) cols: Axis,
    pub(super) depth: usize,
    pub(super) out_depth: usize,
}

/// The dimensions of a depthwise convolution of images of these dimensions by such filters, -1 where unknown.
///
/// # Errors
/// `InvalidArgument` when they do not fit.
pub(super) fn outputs(windows: &Windows, input: [i64; 4], filter: [i64; 4]) -> Result<[i64; 4]> {
    let [images, in_rows, in_cols, depth] = input;
    let [rows, cols, filter_depth, multiplier] = filter;
    let depth = dim::merge(depth, filter_depth).ok_or_else(|| {
        err!(
            InvalidArgument,
            "input and filter must have the same depth: {depth} vs {filter_depth}"
        )
    })?;
    let [rows, cols] = windows.outputs([in_rows, in_cols], [rows, cols])?;
    Ok([images, rows, cols, dim::mul(depth, multiplier)?])
}

impl Geometry {
    /// Of a convolution of images of that shape by filters of that shape, which [`outputs`] has checked.
    ///
    /// # Errors
    /// As there.
    pub(super) fn of(windows: &Windows, input: &Shape, filter: &Shape) -> Result<Self> {
        let [rows, cols] = [0, 1].map(|i| filter.dim(i));
        let [rows, cols] = windows.fit([input.dim(1), input.dim(2)], [rows, cols])?;
        let depth = input.dim(3);
        Ok(Self {
            images: input.dim(0),
            rows,
            cols,
            depth,
            out_depth: depth * filter.dim(3),
        })
    }

    /// Visits what window `pixel` sees: calls `visit` with where the channels of a pixel begin in the input, and where
    /// the filters for them do.
    pub(super) fn visit(&self, pixel: usize, mut visit: impl FnMut(usize, usize)) {
        let (i, x) = (pixel / self.cols.output, pixel % self.cols.output);
        let (image, y) = (i / self.rows.output, i % self.rows.output);
        let ((ks, row), (ls, col)) = (self.rows.within(y), self.cols.within(x));
        for (k, row) in ks.zip((row..).step_by(self.rows.dilation)) {
            let from = (image * self.rows.input + row) * self.cols.input;
            for (l, col) in ls.clone().zip((col..).step_by(self.cols.dilation)) {
                visit(
                    (from + col) * self.depth,
                    (k * self.cols.window + l) * self.out_depth,
                );
            }
        }
    }

    /// Visits what window `pixel` sees beside the image: calls `visit` with where the filters begin.
    fn visit_padding(&self, pixel: usize, mut visit: impl FnMut(usize)) {
        let (i, x) = (pixel / self.cols.output, pixel % self.cols.output);
        let y = i % self.rows.output;
        for k in 0..self.rows.window {
            let is_inside = self.rows.place(y, k).is_some();
            for l in 0..self.cols.window {
                if !is_inside || self.cols.place(x, l).is_none() {
                    visit((k * self.cols.window + l) * self.out_depth);
                }
            }
        }
    }

    /// Rough time for a channel of a window.
    pub(super) fn ns(&self) -> f64 {
        cost::ARITHMETIC * (self.rows.window * self.cols.window) as f64
    }
}

/// The convolution. Windows may be dilated here, for the sake of others.
pub(super) fn convolve<T: Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let (input, filter, out) = (&inputs[0], &inputs[1], promote::output::<T>(ctx)?);
    if out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    let geometry = Geometry::of(windows, input.shape(), filter.shape())?;
    let (input, filter) = (input.as_slice::<T>()?, filter.as_slice::<T>()?);
    let (depth, out_depth) = (geometry.depth, geometry.out_depth);
    // Zeros around the image change nothing, unless they meet infinity or NaN.
    let is_odd = filter.iter().any(|&x| x.minus(x) != T::default());
    let zeros = scratch_of(T::default(), if is_odd { depth } else { 0 })?;
    let ns = geometry.ns();
    summed(ctx, out, out_depth, ns, |start, sums: &mut [T]| {
        for (pixel, sums) in (start / out_depth..).zip(sums.chunks_exact_mut(out_depth)) {
            geometry.visit(pixel, |from, by| {
                add_products(sums, &input[from..][..depth], &filter[by..][..out_depth]);
            });
            if is_odd {
                geometry.visit_padding(pixel, |by| {
                    add_products(sums, &zeros, &filter[by..][..out_depth]);
                });
            }
        }
        Ok(())
    })
}
