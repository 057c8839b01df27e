//! `QueueEnqueueV2` and `QueueEnqueueManyV2`: one element, or many along the first dimension.

use tfe_core::{Result, Shape, Tensor, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::fifo::{Fifo, Tuple};
use super::resource::queue;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        host_inputs: &["handle"],
        ..KernelDef::cpu(ops::QUEUE_ENQUEUE_V2, one)
    },
    KernelDef {
        host_inputs: &["handle"],
        ..KernelDef::cpu(ops::QUEUE_ENQUEUE_MANY_V2, many)
    },
];

fn one(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    check_timeout(init)?;
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        let element = components(ctx, &queue)?;
        for (i, component) in element.iter().enumerate() {
            if let Some(shapes) = &queue.signature.shapes {
                check_shape(i, &shapes[i], component)?;
            }
        }
        queue.enqueue(1, |_| Ok(element.clone()))
    }))
}

fn many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    check_timeout(init)?;
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        let batches = components(ctx, &queue)?;
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
        queue.enqueue(n as usize, |row| {
            let part = |batch: &Tensor| {
                let shape = Shape::new(&batch.dims()[1..])?;
                batch.rows(row, row + 1)?.reshaped(shape)
            };
            batches.iter().map(part).collect()
        })
    }))
}

/// The components of the call, of the types that the queue holds.
fn components(ctx: &mut KernelContext<'_>, queue: &Fifo) -> Result<Tuple> {
    let components: Tuple = (1..ctx.num_inputs()).map(|i| ctx.take_input(i)).collect();
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
pub(super) fn check_timeout(init: &KernelInit<'_>) -> Result<()> {
    ensure!(
        init.attrs.int("timeout_ms")? == -1,
        InvalidArgument,
        "Timeout not supported yet."
    );
    Ok(())
}
