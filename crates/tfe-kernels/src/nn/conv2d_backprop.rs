//! `Conv2DBackpropInput` and `Conv2DBackpropFilter`: the gradients of a convolution of images, as products of matrices.

use smallvec::{SmallVec, smallvec};
use tfe_core::{Code, DTypeSet, DataType, Result, Shape, Tensor, bail, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::im2col::Geometry;
use super::promote;
use super::window::{self, Windows, only_nhwc};
use tfe_host::channels::add;
use tfe_host::gemm::Product;
use tfe_host::matrix::Matrix;
use tfe_host::number::Number;
use tfe_host::{fill, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", DTypeSet::FLOAT.union(DTypeSet::of(&[DataType::Int32])))],
        host_inputs: &["input_sizes"],
        ..KernelDef::host(ops::CONV2D_BACKPROP_INPUT, rule_input, build_input)
    },
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        host_inputs: &["filter_sizes"],
        ..KernelDef::host(ops::CONV2D_BACKPROP_FILTER, rule_filter, build_filter)
    },
];

fn rule_input(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op, Code::Unimplemented)?;
    let [sizes, filter, grad] = op.inputs(["input_sizes", "filter", "out_backprop"])?;
    Ok(window::rule([filter, grad], move |call, [filter, grad]| {
        let Some(sizes) = window::sizes(call, sizes, "input_sizes")? else {
            return Ok(None);
        };
        let shape = match (&sizes[..], grad.dims(), filter.dims()) {
            (&[rows, cols], &[images, ..], &[_, _, depth, _]) => {
                Shape::new(&[images, rows, cols, depth])?
            }
            (dims, ..) if dims.len() == 4 => Shape::new(dims)?,
            (dims, ..) => bail!(
                InvalidArgument,
                "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: {}",
                dims.len()
            ),
        };
        Geometry::of_gradient(&windows, &shape, filter, grad)?;
        Ok(Some(shape))
    }))
}

fn rule_filter(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = windows(op, Code::InvalidArgument)?;
    let [input, sizes, grad] = op.inputs(["input", "filter_sizes", "out_backprop"])?;
    Ok(window::rule([input, grad], move |call, [input, grad]| {
        let Some(sizes) = window::sizes(call, sizes, "filter_sizes")? else {
            return Ok(None);
        };
        let shape = Shape::new(&sizes)?;
        Geometry::of_gradient(&windows, input, &shape, grad)?;
        Ok(Some(shape))
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
) -> Result<SmallVec<[Tensor; 2]>> {
    let (filter, grad) = (&inputs[1], &inputs[2]);
    let shape = ctx.output_shape(0)?.clone();
    let geometry = Geometry::of(windows, &shape, filter.shape())?;
    let (patch, out_depth) = (geometry.patch(), geometry.out_depth);
    let out = ctx.allocate(T::DTYPE, shape)?;
    if geometry.pixels() == 0 || out_depth == 0 || out.shape().num_elements() == 0 || patch == 0 {
        return Ok(smallvec![out.zeroed()]);
    }
    let filter = Matrix::new(filter.as_slice::<T>()?, [patch, out_depth], true);
    let grad = grad.as_slice::<T>()?;
    if geometry.is_pointwise() {
        let grad = Matrix::new(grad, [geometry.pixels(), out_depth], false);
        return Ok(smallvec![fill(out, |dst| T::product(
            ctx, grad, filter, dst
        ))?]);
    }
    // Each window gives to all that it has seen.
    let [image, windows] = geometry.image();
    let step = geometry.step(size_of::<T>());
    let ns = (windows * patch * out_depth) as f64 / image as f64 / 25.0;
    let out = fill(out, |dst| {
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
    })?;
    Ok(smallvec![out])
}

fn of_filter<T: Product + Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (input, grad) = (&inputs[0], &inputs[2]);
    let shape = ctx.output_shape(0)?.clone();
    let geometry = Geometry::of(windows, input.shape(), &shape)?;
    let (pixels, patch, out_depth) = (geometry.pixels(), geometry.patch(), geometry.out_depth);
    if pixels == 0 || shape.num_elements() == 0 {
        return Ok(smallvec![ctx.allocate(T::DTYPE, shape)?.zeroed()]);
    }
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
        let part = fill(ctx.allocate(T::DTYPE, shape.clone())?, |dst| {
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
    Ok(SmallVec::from_iter(sums))
}
