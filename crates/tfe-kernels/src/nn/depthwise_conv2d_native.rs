//! `DepthwiseConv2dNative` and its gradients: a convolution of each channel by filters of its own.

use smallvec::{SmallVec, smallvec};
use tfe_core::{Code, DTypeSet, Result, Shape, Tensor, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::promote;
use super::window::{self, Axis, Windows, only_nhwc};
use tfe_host::channels::{add_products, add_products_back, summed};
use tfe_host::number::Number;
use tfe_host::scratch_of;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::DEPTHWISE_CONV2D_NATIVE, rule, |init| {
        build(init, convolve::<f32>, convolve::<f64>)
    })
    .of(TYPES),
    KernelDef {
        types: TYPES,
        host_inputs: &["input_sizes"],
        ..KernelDef::host(
            ops::DEPTHWISE_CONV2D_NATIVE_BACKPROP_INPUT,
            rule_input,
            |init| build(init, of_input::<f32>, of_input::<f64>),
        )
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["filter_sizes"],
        ..KernelDef::host(
            ops::DEPTHWISE_CONV2D_NATIVE_BACKPROP_FILTER,
            rule_filter,
            |init| build(init, of_filter::<f32>, of_filter::<f64>),
        )
    },
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];

fn windows(op: &OpInit<'_>) -> Result<Windows> {
    ensure!(
        op.attrs.int_list("dilations")?.iter().all(|&d| d == 1),
        Unimplemented,
        "Current kernel implementation does not support dilations, received {:?}",
        op.attrs.int_list("dilations")?
    );
    let windows = Windows::of_convolution(op, Code::InvalidArgument)?;
    ensure!(
        windows.strides[0] == windows.strides[1],
        InvalidArgument,
        "Current implementation only supports equal length strides in the row and column dimensions."
    );
    only_nhwc(op, Code::Unimplemented)?;
    Ok(windows)
}

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op)?;
    Ok(window::rule([0, 1], move |_, [input, filter]| {
        Ok(Some(Geometry::of(&windows, input, filter)?.output()?))
    }))
}

fn rule_input(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op)?;
    let [sizes, filter, grad] = op.inputs(["input_sizes", "filter", "out_backprop"])?;
    Ok(window::rule([filter, grad], move |call, [filter, grad]| {
        let Some(sizes) = window::sizes(call, sizes, "input_sizes")? else {
            return Ok(None);
        };
        let shape = Shape::new(&sizes)?;
        Geometry::of(&windows, &shape, filter)?.check_gradient(&shape, filter, grad)?;
        Ok(Some(shape))
    }))
}

fn rule_filter(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op)?;
    let [input, sizes, grad] = op.inputs(["input", "filter_sizes", "out_backprop"])?;
    Ok(window::rule([input, grad], move |call, [input, grad]| {
        let Some(sizes) = window::sizes(call, sizes, "filter_sizes")? else {
            return Ok(None);
        };
        let shape = Shape::new(&sizes)?;
        Geometry::of(&windows, input, &shape)?.check_gradient(input, &shape, grad)?;
        Ok(Some(shape))
    }))
}

fn build(
    init: &KernelInit<'_>,
    of_f32: promote::Compute<Windows>,
    of_f64: promote::Compute<Windows>,
) -> Result<Box<dyn Kernel>> {
    promote::kernel(init.attrs.dtype("T")?, windows(init)?, of_f32, of_f64)
}

/// The sizes of a depthwise convolution.
#[derive(Clone, Copy)]
struct Geometry {
    images: usize,
    rows: Axis,
    cols: Axis,
    depth: usize,
    out_depth: usize,
}

impl Geometry {
    fn of(windows: &Windows, input: &Shape, filter: &Shape) -> Result<Self> {
        for (shape, name) in [(input, "input"), (filter, "filter")] {
            ensure!(
                shape.rank() == 4,
                InvalidArgument,
                "{name} must be 4-dimensional: {shape}"
            );
        }
        let [images, in_rows, in_cols, depth] = std::array::from_fn(|i| input.dim(i));
        let [rows, cols, filter_depth, multiplier] = std::array::from_fn(|i| filter.dim(i));
        ensure!(
            depth == filter_depth,
            InvalidArgument,
            "input and filter must have the same depth: {depth} vs {filter_depth}"
        );
        let [rows, cols] = windows.fit([in_rows, in_cols], [rows, cols])?;
        let out_depth = Shape::new(&[depth as i64, multiplier as i64])?.num_elements();
        Ok(Self {
            images,
            rows,
            cols,
            depth,
            out_depth,
        })
    }

    fn check_gradient(&self, input: &Shape, filter: &Shape, grad: &Shape) -> Result<()> {
        let output = self.output()?;
        ensure!(
            grad == &output,
            InvalidArgument,
            "out_backprop must have shape {output} for an input of shape {input} and a filter of shape {filter}, but has {grad}"
        );
        Ok(())
    }

    fn output(&self) -> Result<Shape> {
        let dims = [
            self.images,
            self.rows.output,
            self.cols.output,
            self.out_depth,
        ];
        Shape::new(&dims.map(|d| d as i64))
    }

    /// Visits what window `pixel` sees: calls `visit` with where the channels of a pixel begin in the input, and where
    /// the filters for them do.
    fn visit(&self, pixel: usize, mut visit: impl FnMut(usize, usize)) {
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
    fn ns(&self) -> f64 {
        0.3 * (self.rows.window * self.cols.window) as f64
    }
}

/// The convolution. Windows may be dilated here, for the sake of others.
pub(super) fn convolve<T: Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (input, filter) = (&inputs[0], &inputs[1]);
    let geometry = Geometry::of(windows, input.shape(), filter.shape())?;
    let (input, filter) = (input.as_slice::<T>()?, filter.as_slice::<T>()?);
    let (depth, out_depth) = (geometry.depth, geometry.out_depth);
    // Zeros around the image change nothing, unless they meet infinity or NaN.
    let is_odd = filter.iter().any(|&x| x.minus(x) != T::default());
    let zeros = scratch_of(T::default(), if is_odd { depth } else { 0 })?;
    let out = summed(
        ctx,
        geometry.output()?,
        out_depth,
        geometry.ns(),
        |start, sums: &mut [T]| {
            let pixels = sums.chunks_exact_mut(out_depth.max(1));
            for (pixel, sums) in (start / out_depth.max(1)..).zip(pixels) {
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
        },
    )?;
    Ok(smallvec![out])
}

fn of_input<T: Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (filter, grad) = (&inputs[1], &inputs[2]);
    let shape = ctx.output_shape(0)?.clone();
    let geometry = Geometry::of(windows, &shape, filter.shape())?;
    let (filter, grad) = (filter.as_slice::<T>()?, grad.as_slice::<T>()?);
    let (depth, out_depth) = (geometry.depth, geometry.out_depth);
    let windows = geometry.rows.output * geometry.cols.output;
    let image = geometry.rows.input * geometry.cols.input * depth;
    let ns = geometry.ns() * (windows * out_depth).div_ceil(image.max(1)) as f64;
    let out = summed(ctx, shape, image, ns, |start, sums: &mut [T]| {
        let (first, images) = (start / image.max(1), sums.len() / image.max(1));
        for pixel in first * windows..(first + images) * windows {
            let grad = &grad[pixel * out_depth..][..out_depth];
            geometry.visit(pixel, |to, by| {
                let sums = &mut sums[to - start..][..depth];
                add_products_back(sums, grad, &filter[by..][..out_depth]);
            });
        }
        Ok(())
    })?;
    Ok(smallvec![out])
}

fn of_filter<T: Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (input, grad) = (&inputs[0], &inputs[2]);
    let shape = ctx.output_shape(0)?.clone();
    let geometry = Geometry::of(windows, input.shape(), &shape)?;
    let (input, grad) = (input.as_slice::<T>()?, grad.as_slice::<T>()?);
    let (
        Geometry {
            rows,
            cols,
            depth,
            out_depth,
            ..
        },
        images,
    ) = (geometry, geometry.images);
    let ns = 0.3 * (images * rows.output * cols.output) as f64;
    let out = summed(ctx, shape, out_depth, ns, |start, sums: &mut [T]| {
        let places = sums.chunks_exact_mut(out_depth.max(1));
        for (place, sums) in (start / out_depth.max(1)..).zip(places) {
            let (k, l) = (place / cols.window, place % cols.window);
            let rows_seen = (0..rows.output).filter_map(|y| Some((y, rows.place(y, k)?)));
            for (image, (y, row)) in
                (0..images).flat_map(|image| rows_seen.clone().map(move |seen| (image, seen)))
            {
                let from = (image * rows.input + row) * cols.input;
                let by = (image * rows.output + y) * cols.output;
                for (x, col) in (0..cols.output).filter_map(|x| Some((x, cols.place(x, l)?))) {
                    let channels = &input[(from + col) * depth..][..depth];
                    add_products(sums, channels, &grad[(by + x) * out_depth..][..out_depth]);
                }
            }
        }
        Ok(())
    })?;
    Ok(smallvec![out])
}
