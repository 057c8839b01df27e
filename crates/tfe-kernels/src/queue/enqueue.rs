//! `QueueEnqueueV2` and `QueueEnqueueManyV2`: one element, or many along the first dimension.

use std::ops::Range;

use tfe_core::{Result, Shape, Tensor, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::fifo::{Fifo, Tuple};
use super::resource::queue;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        host_inputs: &["handle"],
        blocks: true,
        ..KernelDef::host(ops::QUEUE_ENQUEUE_V2, rule, one)
    },
    KernelDef {
        host_inputs: &["handle"],
        blocks: true,
        ..KernelDef::host(ops::QUEUE_ENQUEUE_MANY_V2, rule, many)
    },
];

/// No output. What fits a queue is known only when it is there.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    check_timeout(op)?;
    Ok(Box::new(|_: &mut Inference<'_>| Ok(())))
}

fn one(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let places = init.list("components")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        let element = components(ctx, places.clone(), &queue)?;
        for (i, component) in element.iter().enumerate() {
            if let Some(shapes) = &queue.signature.shapes {
                check_shape(i, &shapes[i], component)?;
            }
        }
        queue.enqueue(1, ctx.cancellation(), |_| Ok(element.clone()))
    }))
}

fn many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let places = init.list("components")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        let batches = components(ctx, places.clone(), &queue)?;
        let n = *batches[0].dims().first().unwrap_or(&0);
        for (i, batch) in batches.iter().enumerate() {
            ensure!(
                batch.dims().first() == Some(&n),
                InvalidArgument,
                "component {i} of a batch of {n} elements has shape {}",
                batch.shape()
            );
            if let Some(shapes) = &queue.signature.shapes {
                let wanted = Shape::new(&[&[n], shapes[i].dims()].concat())?;
                check_shape(i, &wanted, batch)?;
            }
        }
        // The elements share the memory of their batch.
        queue.enqueue(n as usize, ctx.cancellation(), |row| {
            let part = |batch: &Tensor| {
                let shape = Shape::new(&batch.dims()[1..])?;
                batch.rows(row, row + 1)?.reshaped(shape)
            };
            batches.iter().map(part).collect()
        })
    }))
}

/// The components of the call, of the types that the queue holds.
fn components(ctx: &mut KernelContext<'_>, places: Range<usize>, queue: &Fifo) -> Result<Tuple> {
    let components: Tuple = places.map(|i| ctx.take_input(i)).collect();
    let types: Vec<_> = components.iter().map(Tensor::dtype).collect();
    queue.check_types(&types)?;
    Ok(components)
}

fn check_shape(i: usize, wanted: &Shape, got: &Tensor) -> Result<()> {
    ensure!(
        wanted == got.shape(),
        InvalidArgument,
        "Shape mismatch in tuple component {i}. Expected {wanted}, got {}",
        got.shape()
    );
    Ok(())
}

/// Checks that no time limit is asked for: TensorFlow declares one, and has none.
///
/// # Errors
/// `InvalidArgument`.
pub(super) fn check_timeout(op: &OpInit<'_>) -> Result<()> {
    ensure!(
        op.attrs.int("timeout_ms")? == -1,
        InvalidArgument,
        "Timeout not supported yet."
    );
    Ok(())
}
