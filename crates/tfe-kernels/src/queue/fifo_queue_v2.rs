//! `FIFOQueueV2`: a handle to a queue, made when it is not there.

use std::sync::Arc;

use tfe_core::{ResourceHandle, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_host::rules;
use tfe_ops::ops;

use super::fifo::{Fifo, Signature};
use super::resource::Queue;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    host_outputs: &["handle"],
    ..KernelDef::host(ops::FIFO_QUEUE_V2, rules::scalars, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let signature = signature(init)?;
    let container = &*init.attrs.label("container")?;
    let name = &*init.attrs.label("shared_name")?;
    let resources = init.device.resources();
    // Without a name it is a queue of this kernel's own.
    let handle = if name.is_empty() {
        resources.private_handle::<Queue>(container, init.spec.name(), Queue::TYPE_NAME)
    } else {
        resources.handle::<Queue>(container, name, Queue::TYPE_NAME)
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        make(ctx, &handle, &signature)?;
        ctx.set_output(0, Tensor::scalar(handle.clone())?);
        Ok(())
    }))
}

/// Makes the queue, or checks that the one that is there is the same.
fn make(ctx: &KernelContext<'_>, handle: &ResourceHandle, signature: &Signature) -> Result<()> {
    ctx.resources().slot::<Queue>(handle)?.with(|queue| {
        if let Some(queue) = queue {
            return queue.0.check_same(signature);
        }
        let name = handle.target().map_or("", |target| &target.name);
        *queue = Some(Queue(Arc::new(Fifo::new(name, signature.clone()))));
        Ok(())
    })
}

fn signature(init: &KernelInit<'_>) -> Result<Signature> {
    let types = init.attrs.type_list("component_types")?;
    let shapes = init.attrs.shape_list("shapes")?;
    ensure!(
        shapes.is_empty() || shapes.len() == types.len(),
        InvalidArgument,
        "{} component types but {} shapes",
        types.len(),
        shapes.len()
    );
    let shapes = shapes.iter().map(|shape| {
        shape
            .to_shape()
            .map_err(|_| err!(InvalidArgument, "Shape {shape} is not fully defined"))
    });
    let shapes: Vec<Shape> = shapes.collect::<Result<_>>()?;
    let capacity = init.attrs.int("capacity")?;
    Ok(Signature {
        types,
        shapes: (!shapes.is_empty()).then_some(shapes),
        // Any negative number means no bound, which is this one in TensorFlow.
        capacity: usize::try_from(capacity).unwrap_or(i32::MAX as usize),
    })
}
