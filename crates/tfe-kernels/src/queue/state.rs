//! `QueueSizeV2`, `QueueIsClosedV2`, `QueueCloseV2`: how full a queue is, and its end.

use tfe_core::{Result, Tensor};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_host::rules;
use tfe_ops::ops;

use super::resource::queue;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        host_inputs: &["handle"],
        host_outputs: &["size"],
        ..KernelDef::host(ops::QUEUE_SIZE_V2, rules::scalars, size)
    },
    KernelDef {
        host_inputs: &["handle"],
        host_outputs: &["is_closed"],
        ..KernelDef::host(ops::QUEUE_IS_CLOSED_V2, rules::scalars, is_closed)
    },
    KernelDef {
        host_inputs: &["handle"],
        blocks: true,
        ..KernelDef::host(ops::QUEUE_CLOSE_V2, rules::unknown, close)
    },
];

fn size(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        // No queue is longer: that is the greatest capacity.
        let size = i32::try_from(queue(ctx)?.len()).unwrap_or(i32::MAX);
        ctx.set_output(0, Tensor::scalar(size)?);
        Ok(())
    }))
}

fn is_closed(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let is_closed = queue(ctx)?.is_closed();
        ctx.set_output(0, Tensor::scalar(is_closed)?);
        Ok(())
    }))
}

fn close(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let cancels = init.attrs.bool("cancel_pending_enqueues")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        if cancels {
            queue.close_now();
            return Ok(());
        }
        queue.close(ctx.cancellation())
    }))
}
