//! Queues as resources: what a handle to one means.

use std::sync::Arc;

use tfe_core::{Code, ResourceHandle, Result, err};
use tfe_device::KernelContext;

use super::fifo::Fifo;

/// What the slot of a queue holds. Whoever waits at the queue shares it, and is sent away when the slot lets it go.
#[derive(Debug)]
pub(super) struct Queue(pub(super) Arc<Fifo>);

impl Queue {
    /// Kind of resource, for messages.
    pub(super) const TYPE_NAME: &'static str = "queue";
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The queue that the first input of a kernel means.
///
/// # Errors
/// `NotFound` when it is not there, `InvalidArgument` when the handle means something else.
pub(super) fn queue(ctx: &KernelContext<'_>) -> Result<Arc<Fifo>> {
    let handle = ctx
        .input(0)
        .as_slice::<ResourceHandle>()?
        .first()
        .ok_or_else(|| err!(InvalidArgument, "Empty resource handle"))?;
    let missing = || {
        let name = handle.target().map_or("", |target| &target.name);
        err!(NotFound, "queue {name} does not exist.")
    };
    let slot = ctx.resources().slot::<Queue>(handle);
    let slot = slot.map_err(|e| match e.code() {
        Code::FailedPrecondition => missing(),
        _ => e,
    })?;
    slot.with(|queue| queue.as_ref().map(|queue| Arc::clone(&queue.0)))
        .ok_or_else(missing)
}
