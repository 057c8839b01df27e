//! `AvgPool` and `AvgPoolGrad`: the mean of each window, of the pixels within the image; and its gradient.

use tfe_core::{DTypeSet, Result, Shape, Tensor, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_host::number::Number;
use tfe_host::scratch_of;
use tfe_host::sums::{add, summed};
use tfe_ops::ops;

use super::pool::{Pooling, check_output};
use super::promote;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::AVG_POOL, rule, build).of(&[("T", DTypeSet::FLOAT)]),
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        host_inputs: &["orig_input_shape"],
        ..KernelDef::host(ops::AVG_POOL_GRAD, rule_of_grad, build_grad)
    },
];

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let pooling = Pooling::of(op, false)?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let dims = pooling.outputs(call.dims(0))?;
        call.set(0, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let pooling = Pooling::of(init, false)?;
    promote::kernel(init.attrs.dtype("T")?, pooling, pool::<f32>, pool::<f64>)
}

fn rule_of_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let pooling = Pooling::of(op, false)?;
    let [sizes, grad] = op.inputs(["orig_input_shape", "grad"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            matches!(call.dims(sizes), None | Some([4 | dim::UNKNOWN])),
            InvalidArgument,
            "orig_input_shape must be 1-dimensional and 4 elements, but has shape {}",
            call.shown(sizes)
        );
        let Some(sizes) = call.integers(sizes)? else {
            check_output(call, grad, "grad", &[dim::UNKNOWN; 4])?;
            if let Some(&[images, _, _, depth]) = call.dims(grad) {
                call.set(0, &[images, dim::UNKNOWN, dim::UNKNOWN, depth])?;
            }
            return Ok(());
        };
        let shape = Shape::new(&sizes)?;
        let dims = pooling.outputs(Some(&sizes))?;
        check_output(call, grad, "grad", &dims)?;
        call.set_shape(0, shape);
        Ok(())
    }))
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

fn pool<T: Mean>(ctx: &KernelContext<'_>, pooling: &Pooling, inputs: &[Tensor]) -> Result<Tensor> {
    let (out, geometry) = (promote::output::<T>(ctx)?, pooling.fit(inputs[0].dims())?);
    let (data, depth) = (inputs[0].as_slice::<T>()?, geometry.depth);
    let ns = geometry.element_ns();
    summed(ctx, out, depth, ns, |start, means: &mut [T]| {
        for (pixel, means) in (start / depth..).zip(means.chunks_exact_mut(depth)) {
            let n = geometry.visit(pixel, |at| add(means, &data[at * depth..][..depth]));
            means.iter_mut().for_each(|mean| *mean = mean.div(n.max(1)));
        }
        Ok(())
    })
}

fn grad<T: Mean>(ctx: &KernelContext<'_>, pooling: &Pooling, inputs: &[Tensor]) -> Result<Tensor> {
    let (out, grad) = (promote::output::<T>(ctx)?, inputs[1].as_slice::<T>()?);
    if grad.is_empty() || out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    let geometry = pooling.fit(out.shape().dims())?;
    let depth = geometry.depth;
    let [image, windows] = geometry.image();
    let ns = geometry.element_ns();
    summed(ctx, out, image, ns, |start, sums: &mut [T]| {
        let (first, images) = (start / image, sums.len() / image);
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
    })
}

#[cfg(test)]
mod tests {
    use tfe_attrs::AttrValue;
    use tfe_core::DataType;

    use crate::testing::run;

    use super::*;

    /// The gradients of both kinds of pooling of images without elements.
    #[test]
    fn time_and_memory_do_not_follow_claimed_sizes() {
        let attrs: [(&str, AttrValue); 3] = [
            ("ksize", vec![1, 1, 1, 1].into()),
            ("strides", vec![1, 1, 1, 1].into()),
            ("padding", "SAME".into()),
        ];
        for dims in [
            [0, 1, 1, 1 << 40],
            [0, 1 << 30, 1 << 30, 1],
            [1 << 30, 1 << 30, 0, 1],
        ] {
            let shape = Shape::new(&dims).expect("a shape");
            let none = Tensor::zeros(DataType::Float, shape).expect("no memory");
            let calls = [
                ("AvgPool", vec![none.clone()]),
                ("MaxPool", vec![none.clone()]),
                ("MaxPoolGrad", vec![none.clone(); 3]),
            ];
            for (op, inputs) in calls {
                let out = run(op, &attrs, inputs).expect("no elements").remove(0);
                assert_eq!(out.dims(), dims, "{op}");
            }
        }
        let shape = Shape::new(&[0, 1, 1, i32::MAX.into()]).expect("a shape");
        let none = Tensor::zeros(DataType::Float, shape).expect("no memory");
        let sizes = Tensor::vector(&[0, 1, 1, i32::MAX]).expect("memory");
        run("AvgPoolGrad", &attrs, vec![sizes, none]).expect("no elements");
    }
}
