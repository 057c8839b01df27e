//! `Conv2D`: a convolution of images, as products of matrices.

use smallvec::{SmallVec, smallvec};
use tfe_core::{Code, DTypeSet, DataType, Result, Shape, Tensor, TensorUninit, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::depthwise_conv2d_native::convolve;
use super::im2col::Geometry;
use super::promote;
use super::window::{self, Windows, only_nhwc};
use tfe_host::gemm::Product;
use tfe_host::matrix::Matrix;
use tfe_host::number::Number;
use tfe_host::strided::{self, Strided};
use tfe_host::{Cursor, fill, loops};

pub(super) const KERNELS: &[KernelDef] =
    &[KernelDef::host(ops::CONV2D, rule, build).of(&[("T", TYPES)])];

const TYPES: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::of(&[DataType::Int32]));

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let windows = Windows::of_convolution(op, Code::Unimplemented)?;
    only_nhwc(op, Code::Unimplemented)?;
    Ok(window::rule([0, 1], move |_, [input, filter]| {
        let geometry = Geometry::of(&windows, input, filter)?;
        ensure!(
            geometry.patch() > 0,
            InvalidArgument,
            "filter must not have zero elements (i.e. all dimensions must be non-zero)"
        );
        Ok(Some(geometry.output()?))
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let windows = Windows::of_convolution(init, Code::Unimplemented)?;
    match init.attrs.dtype("T")? {
        DataType::Int32 => Ok(promote::as_is(windows, conv2d::<i32>)),
        dtype => promote::kernel(dtype, windows, conv2d::<f32>, conv2d::<f64>),
    }
}

fn conv2d<T: Product + Number>(
    ctx: &KernelContext<'_>,
    windows: &Windows,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (input, filter) = (&inputs[0], &inputs[1]);
    let geometry = Geometry::of(windows, input.shape(), filter.shape())?;
    let shape = geometry.output()?;
    if shape.num_elements() == 0 || geometry.groups == 0 {
        return Ok(smallvec![ctx.allocate(T::DTYPE, shape)?.zeroed()]);
    }
    if geometry.groups == 1 {
        let out = ctx.allocate(T::DTYPE, shape)?;
        return Ok(smallvec![group::<T>(
            ctx, &geometry, input, filter, 0, out
        )?]);
    }
    if geometry.filter_depth == 1 {
        // Filters of one channel lie as those of a depthwise convolution do.
        let [rows, cols] = [0, 1].map(|i| filter.dims()[i]);
        let multiplier = geometry.group_depth() as i64;
        let shape = Shape::new(&[rows, cols, geometry.depth as i64, multiplier])?;
        return convolve::<T>(ctx, windows, &[input.clone(), filter.reshaped(shape)?]);
    }
    // The groups one after the other, and then the channels of each side by side.
    let (pixels, depth) = (geometry.pixels(), geometry.group_depth());
    let groups = (0..geometry.groups).map(|i| {
        let size = [geometry.patch(), depth];
        let columns = Strided::block(
            &[size[0] as i64, geometry.out_depth as i64],
            [0, i * depth],
            size,
        );
        let filter = strided::gather(ctx, filter, &columns, Shape::new(&size.map(|d| d as i64))?)?;
        let out = ctx.allocate(T::DTYPE, Shape::new(&[pixels as i64, depth as i64])?)?;
        group::<T>(ctx, &geometry, input, &filter, i, out)
    });
    let groups = groups.collect::<Result<Vec<_>>>()?;
    let groups = groups
        .iter()
        .map(Tensor::as_slice::<T>)
        .collect::<Result<Vec<_>>>()?;
    let out = fill(ctx.allocate(T::DTYPE, shape)?, |dst| {
        let mut out = Cursor::new(dst);
        for pixel in 0..pixels {
            for group in &groups {
                out.copy(&group[pixel * depth..][..depth]);
            }
        }
        out.finish()
    })?;
    Ok(smallvec![out])
}

/// The convolution of the channels of one group.
fn group<T: Product>(
    ctx: &KernelContext<'_>,
    geometry: &Geometry,
    input: &Tensor,
    filter: &Tensor,
    group: usize,
    out: TensorUninit,
) -> Result<Tensor> {
    let (patch, depth) = (geometry.patch(), geometry.group_depth());
    let filter = Matrix::new(filter.as_slice::<T>()?, [patch, depth], false);
    if geometry.is_pointwise() {
        let pixels = Matrix::new(input.as_slice::<T>()?, [geometry.pixels(), patch], false);
        return fill(out, |dst| T::product(ctx, pixels, filter, dst));
    }
    let mut failure = None;
    let out = fill(out, |dst| {
        Ok(loops::by_blocks(
            dst,
            geometry.step(size_of::<T>()) * depth,
            |dst, range| {
                let done = loops::attempt(dst, |dst| {
                    let n = range.len() / depth;
                    let patches = geometry.patches(ctx, input, group, range.start / depth, n)?;
                    let patches = Matrix::new(patches.as_slice::<T>()?, [n, patch], false);
                    T::product(ctx, patches, filter, dst)
                });
                done.unwrap_or_else(|(error, dst)| {
                    failure = Some(error);
                    loops::repeat(dst, T::default())
                })
            },
        ))
    })?;
    failure.map_or(Ok(out), Err)
}
