//! `MaxPool` and `MaxPoolGrad`: the greatest of each window, channel by channel, or of channels side by side; and its
//! gradient.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, DataType, Result, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::pool::Pooling;
use super::promote;
use super::window::{self, four};
use tfe_host::accumulate::Ordered;
use tfe_host::channels::{raise, summed};
use tfe_host::number::Number;
use tfe_host::{fill, loops, parallel, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::MAX_POOL, rule, build).of(&[("T", TYPES)]),
    KernelDef::host(ops::MAX_POOL_GRAD, rule_grad, build_grad).of(&[("T", DTypeSet::REAL)]),
];

/// What the op allows.
const TYPES: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::of(&[
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Uint8,
    DataType::Uint16,
]));

/// As `dispatch!`, for kernels that compute with `function` of their type, which halves are widened to.
macro_rules! pooling {
    ($init:expr, $pooling:expr, $function:ident) => {{
        let (dtype, pooling) = ($init.attrs.dtype("T")?, $pooling);
        if DTypeSet::FLOAT.contains(dtype) {
            return promote::kernel(dtype, pooling, $function::<f32>, $function::<f64>);
        }
        dispatch!(
            dtype,
            [Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64],
            |T| Ok(promote::as_is(pooling, $function::<T>))
        )
    }};
}

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let pooling = Pooling::of(op, true)?;
    Ok(window::rule([0], move |_, [input]| {
        Ok(Some(pooling.fit(input.dims())?.output()?))
    }))
}

fn rule_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let pooling = Pooling::of(op, false)?;
    ensure!(
        four(op, "strides")?[3] == 1,
        Unimplemented,
        "MaxPoolingGrad is not yet supported on the depth dimension."
    );
    Ok(window::rule([0, 1, 2], move |_, [input, output, grad]| {
        let geometry = pooling.fit(input.dims())?;
        geometry.check_output(output, "orig_output")?;
        geometry.check_output(grad, "grad")?;
        Ok(Some(input.clone()))
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    pooling!(init, Pooling::of(init, true)?, pool)
}

fn build_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    pooling!(init, Pooling::of(init, false)?, grad)
}

fn pool<T: Ordered>(
    ctx: &KernelContext<'_>,
    pooling: &Pooling,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let input = &inputs[0];
    let geometry = pooling.fit(input.dims())?;
    let (data, depth, of_depth) = (input.as_slice::<T>()?, geometry.depth, geometry.of_depth);
    let channels = depth / of_depth;
    let ns = geometry.element_ns();
    let out = fill(ctx.allocate(T::DTYPE, geometry.output()?)?, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            channels,
            ns,
            &|start, dst| {
                let most = loops::repeat(dst, T::LEAST);
                let pixels = most.chunks_exact_mut(channels.max(1));
                for (pixel, most) in (start / channels.max(1)..).zip(pixels) {
                    geometry.visit(pixel, |at| {
                        raise(most, &data[at * depth..][..depth], of_depth)
                    });
                    most.iter_mut().for_each(|most| *most = most.flushed());
                }
                most
            },
        ))
    })?;
    Ok(smallvec![out])
}

/// The gradient of each window goes to the first of its greatest pixels; NaN in the first pixel counts as that.
fn grad<T: Number + PartialOrd>(
    ctx: &KernelContext<'_>,
    pooling: &Pooling,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (input, grad) = (&inputs[0], &inputs[2]);
    let geometry = pooling.fit(input.dims())?;
    let (data, grad, depth) = (
        input.as_slice::<T>()?,
        grad.as_slice::<T>()?,
        geometry.depth,
    );
    let [image, windows] = geometry.image();
    // Windows need not lie close: there may be less to write than to look at, or more.
    let ns = geometry.element_ns() * windows.div_ceil(image.max(1)) as f64;
    let out = summed(
        ctx,
        input.shape().clone(),
        image,
        ns,
        |start, sums: &mut [T]| {
            let first = start / image.max(1);
            let images = sums.len() / image.max(1);
            let mut most = scratch_of((T::default(), usize::MAX), depth)?;
            for pixel in first * windows..(first + images) * windows {
                most.fill((T::default(), usize::MAX));
                geometry.visit(pixel, |at| {
                    let seen = &data[at * depth..][..depth];
                    for (c, (most, &x)) in most.iter_mut().zip(seen).enumerate() {
                        if most.1 == usize::MAX || most.0 < x {
                            *most = (x, at * depth + c);
                        }
                    }
                });
                for (&(_, at), &grad) in most.iter().zip(&grad[pixel * depth..]) {
                    if at != usize::MAX {
                        sums[at - start] = sums[at - start].plus(grad);
                    }
                }
            }
            Ok(())
        },
    )?;
    Ok(smallvec![out])
}
