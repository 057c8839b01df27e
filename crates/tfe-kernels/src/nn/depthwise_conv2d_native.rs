//! `DepthwiseConv2dNative` and its gradients: a convolution of each channel by filters of its own.

use tfe_core::{Code, DTypeSet, Error, PartialShape, Result, Tensor, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_host::cost;
use tfe_host::number::Number;
use tfe_host::sums::{add_products, add_products_back, summed};
use tfe_ops::ops;

use super::depthwise::{Geometry, convolve, outputs};
use super::promote;
use super::window::{Windows, four_dims, four_sizes, may_have, only_nhwc, sizes_of};

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
            rule_of_input,
            |init| build(init, of_input::<f32>, of_input::<f64>),
        )
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["filter_sizes"],
        ..KernelDef::host(
            ops::DEPTHWISE_CONV2D_NATIVE_BACKPROP_FILTER,
            rule_of_filter,
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

fn not_four(name: &str, shape: impl std::fmt::Display) -> Error {
    err!(InvalidArgument, "{name} must be 4-dimensional: {shape}")
}

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op)?;
    let [input, filter] = op.inputs(["input", "filter"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let input = four_dims(call, input, |shape| not_four("input", shape))?;
        let filter = four_dims(call, filter, |shape| not_four("filter", shape))?;
        let dims = outputs(&windows, input, filter)?;
        call.set(0, &dims)
    }))
}

fn rule_of_input(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op)?;
    let [sizes, filter, grad] = op.inputs(["input_sizes", "filter", "out_backprop"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let input = four_sizes(call, sizes, "input_sizes", |shape| not_four("input", shape))?;
        let filter = four_dims(call, filter, |shape| not_four("filter", shape))?;
        check_gradient(&windows, call, input, filter, grad)?;
        call.set(0, &input)
    }))
}

fn rule_of_filter(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op)?;
    let [input, sizes, grad] = op.inputs(["input", "filter_sizes", "out_backprop"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        sizes_of(call, sizes, "filter_sizes")?;
        let input = four_dims(call, input, |shape| not_four("input", shape))?;
        let filter = four_sizes(call, sizes, "filter_sizes", |shape| {
            not_four("filter", shape)
        })?;
        check_gradient(&windows, call, input, filter, grad)?;
        call.set(0, &filter)
    }))
}

fn check_gradient(
    windows: &Windows,
    call: &Inference<'_>,
    input: [i64; 4],
    filter: [i64; 4],
    grad: usize,
) -> Result<()> {
    let output = outputs(windows, input, filter)?;
    let [shape, input, filter] = [output, input, filter].map(|dims| PartialShape::of(&dims));
    ensure!(
        may_have(call, grad, &output),
        InvalidArgument,
        "out_backprop must have shape {shape} for an input of shape {input} and a filter of shape {filter}, but has {}",
        call.shown(grad)
    );
    Ok(())
}

fn build(
    init: &KernelInit<'_>,
    of_f32: promote::Compute<Windows>,
    of_f64: promote::Compute<Windows>,
) -> Result<Box<dyn Kernel>> {
    promote::kernel(init.attrs.dtype("T")?, windows(init)?, of_f32, of_f64)
}

fn of_input<T: Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let (filter, grad, out) = (&inputs[1], &inputs[2], promote::output::<T>(ctx)?);
    if grad.num_elements() == 0 || out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    let geometry = Geometry::of(windows, out.shape(), filter.shape())?;
    let (filter, grad) = (filter.as_slice::<T>()?, grad.as_slice::<T>()?);
    let (depth, out_depth) = (geometry.depth, geometry.out_depth);
    let windows = geometry.rows.output * geometry.cols.output;
    let image = geometry.rows.input * geometry.cols.input * depth;
    let ns = geometry.ns() * (windows * out_depth).div_ceil(image) as f64;
    summed(ctx, out, image, ns, |start, sums: &mut [T]| {
        let (first, images) = (start / image, sums.len() / image);
        for pixel in first * windows..(first + images) * windows {
            let grad = &grad[pixel * out_depth..][..out_depth];
            geometry.visit(pixel, |to, by| {
                let sums = &mut sums[to - start..][..depth];
                add_products_back(sums, grad, &filter[by..][..out_depth]);
            });
        }
        Ok(())
    })
}

fn of_filter<T: Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let (input, grad, out) = (&inputs[0], &inputs[2], promote::output::<T>(ctx)?);
    if grad.num_elements() == 0 || out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    let geometry = Geometry::of(windows, input.shape(), out.shape())?;
    let (input, grad) = (input.as_slice::<T>()?, grad.as_slice::<T>()?);
    let Geometry {
        images,
        rows,
        cols,
        depth,
        out_depth,
    } = geometry;
    let ns = cost::ARITHMETIC * (images * rows.output * cols.output) as f64;
    summed(ctx, out, out_depth, ns, |start, sums: &mut [T]| {
        for (place, sums) in (start / out_depth..).zip(sums.chunks_exact_mut(out_depth)) {
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
    })
}
