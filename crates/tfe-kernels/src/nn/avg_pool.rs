//! `AvgPool` and `AvgPoolGrad`: the mean of each window, of the pixels within the image; and its gradient.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, Result, Shape, Tensor, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::pool::Pooling;
use super::promote;
use super::window;
use tfe_host::channels::{add, summed};
use tfe_host::number::Number;
use tfe_host::{axes, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::AVG_POOL, rule, build).of(&[("T", DTypeSet::FLOAT)]),
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        host_inputs: &["orig_input_shape"],
        ..KernelDef::host(ops::AVG_POOL_GRAD, rule_grad, build_grad)
    },
];

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let pooling = Pooling::of(op, false)?;
    Ok(window::rule([0], move |_, [input]| {
        Ok(Some(pooling.fit(input.dims())?.output()?))
    }))
}

fn rule_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let pooling = Pooling::of(op, false)?;
    let [sizes, grad] = op.inputs(["orig_input_shape", "grad"])?;
    Ok(window::rule([sizes, grad], move |call, [given, grad]| {
        ensure!(
            given.dims() == [4],
            InvalidArgument,
            "orig_input_shape must be 1-dimensional and 4 elements, but has shape {given}"
        );
        let Some(dims) = call.integers(sizes)? else {
            return Ok(None);
        };
        let shape = Shape::new(&dims)?;
        pooling.fit(shape.dims())?.check_output(grad, "grad")?;
        Ok(Some(shape))
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let pooling = Pooling::of(init, false)?;
    promote::kernel(init.attrs.dtype("T")?, pooling, pool::<f32>, pool::<f64>)
}

fn build_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let pooling = Pooling::of(init, false)?;
    promote::kernel(init.attrs.dtype("T")?, pooling, grad::<f32>, grad::<f64>)
}

/// A number that a count of pixels divides.
trait Mean: Number {
    fn div(self, n: usize) -> Self;
}

impl Mean for f32 {
    fn div(self, n: usize) -> Self {
        self / n as f32
    }
}

impl Mean for f64 {
    fn div(self, n: usize) -> Self {
        self / n as f64
    }
}

fn pool<T: Mean>(
    ctx: &KernelContext<'_>,
    pooling: &Pooling,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let geometry = pooling.fit(inputs[0].dims())?;
    let (data, depth) = (inputs[0].as_slice::<T>()?, geometry.depth);
    let ns = geometry.element_ns();
    let out = summed(
        ctx,
        geometry.output()?,
        depth,
        ns,
        |start, means: &mut [T]| {
            let pixels = means.chunks_exact_mut(depth.max(1));
            for (pixel, means) in (start / depth.max(1)..).zip(pixels) {
                let n = geometry.visit(pixel, |at| add(means, &data[at * depth..][..depth]));
                means.iter_mut().for_each(|mean| *mean = mean.div(n.max(1)));
            }
            Ok(())
        },
    )?;
    Ok(smallvec![out])
}

fn grad<T: Mean>(
    ctx: &KernelContext<'_>,
    pooling: &Pooling,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (sizes, grad) = (&inputs[0], &inputs[1]);
    let shape = Shape::new(&axes::integers(sizes)?)?;
    let geometry = pooling.fit(shape.dims())?;
    let (grad, depth) = (grad.as_slice::<T>()?, geometry.depth);
    let [image, windows] = geometry.image();
    let ns = geometry.element_ns();
    let out = summed(ctx, shape, image, ns, |start, sums: &mut [T]| {
        let first = start / image.max(1);
        let images = sums.len() / image.max(1);
        let mut share = scratch_of(T::default(), depth)?;
        for pixel in first * windows..(first + images) * windows {
            let n = geometry.visit(pixel, |_| {});
            let grad = &grad[pixel * depth..][..depth];
            share
                .iter_mut()
                .zip(grad)
                .for_each(|(s, g)| *s = g.div(n.max(1)));
            geometry.visit(pixel, |at| {
                add(&mut sums[at * depth - start..][..depth], &share);
            });
        }
        Ok(())
    })?;
    Ok(smallvec![out])
}
