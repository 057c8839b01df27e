//! What the windows of a convolution see, laid out as the rows of a matrix, so that the convolution is a product.

use std::mem::MaybeUninit;

use tfe_core::{PartialShape, Result, Shape, Tensor, ensure};
use tfe_device::{Device, Inference, KernelContext, dim};

use super::window::{Axis, Windows, may_have};
use tfe_host::{Cursor, cost, fill_bytes, parallel};

/// The sizes of a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    pub(super) images: usize,
    pub(super) rows: Axis,
    pub(super) cols: Axis,
    /// The channels of the input, of those that a filter sees, and of the output.
    pub(super) depth: usize,
    pub(super) filter_depth: usize,
    pub(super) out_depth: usize,
    /// How many filters divide the channels up among them.
    pub(super) groups: usize,
}

/// The most bytes of a matrix of patches: larger convolutions are done in several steps.
const MOST_BYTES: usize = 4 << 20;

/// The dimensions of a convolution of images of these dimensions by such filters, -1 where unknown.
///
/// # Errors
/// `InvalidArgument` when they do not fit.
pub(super) fn outputs(windows: &Windows, input: [i64; 4], filter: [i64; 4]) -> Result<[i64; 4]> {
    let [images, in_rows, in_cols, depth] = input;
    let [rows, cols, filter_depth, out_depth] = filter;
    ensure!(
        filter_depth != 0,
        InvalidArgument,
        "filter depth must be strictly positive, got {filter_depth}"
    );
    if let (Some(depth), Some(filter_depth)) = (dim::known(depth), dim::known(filter_depth)) {
        ensure!(
            depth % filter_depth == 0,
            InvalidArgument,
            "input depth must be evenly divisible by filter depth: {depth} vs {filter_depth}"
        );
        let groups = depth / filter_depth;
        ensure!(
            groups == 0 || out_depth == dim::UNKNOWN || out_depth % groups == 0,
            InvalidArgument,
            "output depth must be evenly divisible by number of groups: {out_depth} vs {groups}"
        );
    }
    let [rows, cols] = windows.outputs([in_rows, in_cols], [rows, cols])?;
    Ok([images, rows, cols, out_depth])
}

/// Checks the dimensions of a convolution of which gradients are to be computed, and of `grad`, that of its output.
///
/// # Errors
/// `InvalidArgument` when they do not fit, and for what TensorFlow computes on other devices only.
pub(super) fn check_gradient(
    windows: &Windows,
    call: &Inference<'_>,
    input: [i64; 4],
    filter: [i64; 4],
    grad: usize,
) -> Result<()> {
    let output = outputs(windows, input, filter)?;
    let [input, filter] =
        [(input, 3), (filter, 2)].map(|(dims, i)| (PartialShape::of(&dims), dims[i]));
    ensure!(
        dim::merge(input.1, filter.1).is_some(),
        InvalidArgument,
        "Gradients for grouped convolutions are not supported on CPU: input {}, filter {}",
        input.0,
        filter.0
    );
    ensure!(
        may_have(call, grad, &output),
        InvalidArgument,
        "out_backprop must have shape {} for an input of shape {} and a filter of shape {}, but has {}",
        PartialShape::of(&output),
        input.0,
        filter.0,
        call.shown(grad)
    );
    Ok(())
}

impl Geometry {
    /// Of a convolution of images of that shape by filters of that shape, which [`outputs`] has checked.
    ///
    /// # Errors
    /// As there.
    pub(super) fn of(windows: &Windows, input: &Shape, filter: &Shape) -> Result<Self> {
        let [images, in_rows, in_cols, depth] = std::array::from_fn(|i| input.dim(i));
        let [rows, cols, filter_depth, out_depth] = std::array::from_fn(|i| filter.dim(i));
        let [rows, cols] = windows.fit([in_rows, in_cols], [rows, cols])?;
        Ok(Self {
            images,
            rows,
            cols,
            depth,
            filter_depth,
            out_depth,
            groups: depth / filter_depth,
        })
    }

    /// The windows on all images.
    pub(super) fn pixels(&self) -> usize {
        self.images * self.rows.output * self.cols.output
    }

    /// The elements of an image, and how many windows are on it.
    pub(super) fn image(&self) -> [usize; 2] {
        let pixels = |size: fn(&Axis) -> usize| size(&self.rows) * size(&self.cols);
        [
            pixels(|axis| axis.input) * self.depth,
            pixels(|axis| axis.output),
        ]
    }

    /// The elements that a window sees.
    pub(super) fn patch(&self) -> usize {
        self.rows.window * self.cols.window * self.filter_depth
    }

    /// The channels of the output that belong to one group.
    pub(super) fn group_depth(&self) -> usize {
        self.out_depth / self.groups.max(1)
    }

    /// How many patches to handle at a time.
    pub(super) fn step(&self, element: usize) -> usize {
        (MOST_BYTES / (self.patch() * element).max(1)).max(64)
    }

    /// Whether the patches are the input itself.
    pub(super) fn is_pointwise(&self) -> bool {
        let is_plain = |axis: &Axis| axis.window == 1 && axis.output == axis.input;
        self.groups == 1 && is_plain(&self.rows) && is_plain(&self.cols) && {
            // As many windows as pixels, one on each.
            let first = |axis: &Axis| axis.output == 0 || axis.within(0) == (0..1, 0);
            first(&self.rows) && first(&self.cols)
        }
    }

    /// Visits the runs of elements that window `pixel` of a group sees side by side: calls `visit` with the place in the
    /// patch, the place in the input and the number of elements.
    pub(super) fn visit(
        &self,
        group: usize,
        pixel: usize,
        mut visit: impl FnMut(usize, usize, usize),
    ) {
        let (i, x) = (pixel / self.cols.output, pixel % self.cols.output);
        let (image, y) = (i / self.rows.output, i % self.rows.output);
        let (rows, row_at) = self.rows.within(y);
        let (cols, col_at) = self.cols.within(x);
        let depth = self.filter_depth;
        // The whole row of a window lies side by side where nothing lies between its places.
        let is_dense = self.cols.dilation == 1 && self.groups == 1;
        for (k, row) in rows.zip((row_at..).step_by(self.rows.dilation)) {
            let to = k * self.cols.window;
            let from = (image * self.rows.input + row) * self.cols.input;
            if is_dense {
                let n = cols.len() * depth;
                visit((to + cols.start) * depth, (from + col_at) * depth, n);
                continue;
            }
            for (l, col) in cols.clone().zip((col_at..).step_by(self.cols.dilation)) {
                let from = (from + col) * self.depth + group * depth;
                visit((to + l) * depth, from, depth);
            }
        }
    }

    /// The patches of `n` windows of a group from the first on, a row each.
    ///
    /// # Errors
    /// `ResourceExhausted`.
    pub(super) fn patches(
        &self,
        ctx: &KernelContext<'_>,
        input: &Tensor,
        group: usize,
        first: usize,
        n: usize,
    ) -> Result<Tensor> {
        let (data, element) = (input.as_bytes()?, input.dtype().size());
        let shape = Shape::new(&[n as i64, self.patch() as i64])?;
        fill_bytes(ctx.allocate(input.dtype(), shape)?, |dst| {
            Ok(self.write(ctx.device(), data, element, group, first, dst))
        })
    }

    fn write<'a>(
        &self,
        device: &dyn Device,
        input: &[u8],
        element: usize,
        group: usize,
        first: usize,
        dst: &'a mut [MaybeUninit<u8>],
    ) -> &'a mut [u8] {
        let patch = self.patch() * element;
        parallel::write(device, dst, patch, cost::copy(1), &|start, dst| {
            let n = dst.len() / patch.max(1);
            let first = first + start / patch.max(1);
            let mut out = Cursor::new(dst);
            for i in 0..n {
                let end = out.remaining() - patch;
                self.visit(group, first + i, |to, from, len| {
                    let gap = out.remaining() - end - (patch - to * element);
                    out.repeat(0, gap);
                    out.copy(&input[from * element..][..len * element]);
                });
                out.repeat(0, out.remaining() - end);
            }
            out.finish()
                .expect("patches of the size that there is room for")
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::nn::window::Padding;

    use super::*;

    #[test]
    fn what_is_unknown_leaves_the_rest_known() {
        for (padding, input, filter, want) in [
            (Padding::Same, [-1, 5, 6, 3], [3, 3, 3, 8], [-1, 3, 3, 8]),
            (Padding::Same, [2, 5, -1, 3], [-1, -1, 3, 8], [2, 3, -1, 8]),
            (Padding::Valid, [2, 5, 6, -1], [3, -1, 3, 8], [2, 2, -1, 8]),
            (Padding::Valid, [-1; 4], [-1; 4], [-1; 4]),
        ] {
            let windows = Windows::new([2; 2], padding);
            assert_eq!(outputs(&windows, input, filter).expect("they fit"), want);
        }
        let windows = Windows::new([1; 2], Padding::Same);
        outputs(&windows, [-1, 5, 5, 4], [3, 3, 3, -1]).expect_err("3 does not divide 4");
    }
}
