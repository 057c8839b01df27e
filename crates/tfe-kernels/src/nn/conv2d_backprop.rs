//! `Conv2DBackpropInput` and `Conv2DBackpropFilter`: the gradients of a convolution of images, as products of matrices.

use tfe_core::{Code, DTypeSet, DataType, Result, Shape, Tensor, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_host::gemm::Product;
use tfe_host::matrix::Matrix;
use tfe_host::number::Number;
use tfe_host::sums::add;
use tfe_host::{cost, fill, loops, parallel};
use tfe_ops::ops;

use super::im2col::{Geometry, check_gradient};
use super::promote;
use super::window::{Windows, four_dims, four_sizes, only_nhwc, sizes_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", DTypeSet::FLOAT.union(DTypeSet::of(&[DataType::Int32])))],
        host_inputs: &["input_sizes"],
        ..KernelDef::host(ops::CONV2D_BACKPROP_INPUT, rule_of_input, build_input)
    },
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        host_inputs: &["filter_sizes"],
        ..KernelDef::host(ops::CONV2D_BACKPROP_FILTER, rule_of_filter, build_filter)
    },
];

fn not_four(name: &str, shape: impl std::fmt::Display) -> tfe_core::Error {
    err!(
        InvalidArgument,
        "convolution {name} must be 4-dimensional: {shape}"
    )
}

fn rule_of_input(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op, Code::Unimplemented)?;
    let [sizes, filter, grad] = op.inputs(["input_sizes", "filter", "out_backprop"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let sizes = sizes_of(call, sizes, "input_sizes")?;
        let images = call.dims(grad).map(|dims| dims.first().copied());
        let depth = call.dims(filter).map(|dims| dims.get(2).copied());
        let images_and_depth = [images, depth].map(|dim| dim.unwrap_or(Some(dim::UNKNOWN)));
        let input = match (sizes.as_deref(), images_and_depth) {
            // With all that is unknown left out, so that negative sizes are told from it.
            (Some(&[rows, cols]), [Some(images), Some(depth)]) => {
                Shape::new(&[images.max(0), rows, cols, depth.max(0)])?;
                [images, rows, cols, depth]
            }
            (Some(&[images, rows, cols, depth]), _) => {
                Shape::new(&[images, rows, cols, depth])?;
                [images, rows, cols, depth]
            }
            (Some(sizes), _) => bail!(
                InvalidArgument,
                "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: {}",
                sizes.len()
            ),
            (None, [images, depth]) => [
                images.unwrap_or(dim::UNKNOWN),
                dim::UNKNOWN,
                dim::UNKNOWN,
                depth.unwrap_or(dim::UNKNOWN),
            ],
        };
        let filter = four_dims(call, filter, |shape| not_four("filter", shape))?;
        check_gradient(&windows, call, input, filter, grad)?;
        call.set(0, &input)
    }))
}

fn rule_of_filter(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op, Code::InvalidArgument)?;
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

fn build_input(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let windows = windows(init, Code::Unimplemented)?;
    match init.attrs.dtype("T")? {
        DataType::Int32 => Ok(promote::as_is(windows, of_input::<i32>)),
        dtype => promote::kernel(dtype, windows, of_input::<f32>, of_input::<f64>),
    }
}

fn build_filter(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let windows = windows(init, Code::InvalidArgument)?;
    let dtype = init.attrs.dtype("T")?;
    promote::kernel(dtype, windows, of_filter::<f32>, of_filter::<f64>)
}

fn windows(op: &OpInit<'_>, code: Code) -> Result<Windows> {
    only_nhwc(op, Code::InvalidArgument)?;
    let windows = Windows::of_convolution(op, code)?;
    ensure!(
        windows.dilations == [1; 2],
        InvalidArgument,
        "Current CPU implementations do not yet support dilation rates larger than 1."
    );
    Ok(windows)
}

fn of_input<T: Product + Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let (filter, grad) = (&inputs[1], &inputs[2]);
    let out = promote::output::<T>(ctx)?;
    if [out.shape(), filter.shape(), grad.shape()]
        .map(Shape::num_elements)
        .contains(&0)
    {
        return Ok(out.zeroed());
    }
    let geometry = Geometry::of(windows, out.shape(), filter.shape())?;
    let (patch, out_depth) = (geometry.patch(), geometry.out_depth);
    let filter = Matrix::new(filter.as_slice::<T>()?, [patch, out_depth], true);
    let grad = grad.as_slice::<T>()?;
    if geometry.is_pointwise() {
        let grad = Matrix::new(grad, [geometry.pixels(), out_depth], false);
        return fill(out, |dst| T::product(ctx, grad, filter, dst));
    }
    // Each window gives to all that it has seen.
    let [image, windows] = geometry.image();
    let step = geometry.step(size_of::<T>());
    let ns = cost::MULTIPLY_ADD * windows as f64 * (patch * out_depth) as f64 / image as f64;
    fill(out, |dst| {
        parallel::try_write(ctx.device(), dst, image, ns, &|start, dst| {
            let sums = loops::repeat(dst, T::default());
            let (first, end) = (start / image, (start + sums.len()) / image);
            let pixels = first * windows..end * windows;
            for pixel in pixels.clone().step_by(step) {
                let n = step.min(pixels.end - pixel);
                let grad = Matrix::new(
                    &grad[pixel * out_depth..][..n * out_depth],
                    [n, out_depth],
                    false,
                );
                let patches = ctx.allocate(T::DTYPE, Shape::new(&[n as i64, patch as i64])?)?;
                let patches = fill(patches, |dst| T::product(ctx, grad, filter, dst))?;
                let patches = patches.as_slice::<T>()?.chunks_exact(patch);
                for (pixel, patch) in (pixel..).zip(patches) {
                    geometry.visit(0, pixel, |to, from, n| {
                        add(&mut sums[from - start..][..n], &patch[to..][..n]);
                    });
                }
            }
            Ok(sums)
        })
    })
}

fn of_filter<T: Product + Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let (input, grad) = (&inputs[0], &inputs[2]);
    let shape = ctx.output_shape(0)?;
    if grad.num_elements() == 0 || shape.num_elements() == 0 {
        return Ok(promote::output::<T>(ctx)?.zeroed());
    }
    let geometry = Geometry::of(windows, input.shape(), shape)?;
    let (pixels, patch, out_depth) = (geometry.pixels(), geometry.patch(), geometry.out_depth);
    let grad = grad.as_slice::<T>()?;
    let step = if geometry.is_pointwise() {
        pixels
    } else {
        geometry.step(size_of::<T>())
    };
    let mut sums: Option<Tensor> = None;
    for pixel in (0..pixels).step_by(step) {
        let n = step.min(pixels - pixel);
        let patches = if step == pixels && geometry.is_pointwise() {
            input.clone()
        } else {
            geometry.patches(ctx, input, 0, pixel, n)?
        };
        let patches = Matrix::new(patches.as_slice::<T>()?, [n, patch], true);
        let grad = Matrix::new(
            &grad[pixel * out_depth..][..n * out_depth],
            [n, out_depth],
            false,
        );
        let part = fill(promote::output::<T>(ctx)?, |dst| {
            T::product(ctx, patches, grad, dst)
        })?;
        match &mut sums {
            None => sums = Some(part),
            Some(sums) => {
                let sums = sums.as_mut_slice::<T>();
                let sums = sums.ok_or_else(|| err!(Internal, "fresh memory is shared"))?;
                add(sums, part.as_slice::<T>()?);
            }
        }
    }
    sums.ok_or_else(|| err!(Internal, "a gradient that is not empty has a pixel"))
}
