//! Copies of values between the memories of devices and the host, as kernels.

use std::sync::Arc;

use tfe_core::Result;
use tfe_device::{Device, Kernel, KernelContext};

/// From where to where a value is copied; `None` is host memory.
pub(crate) struct Route {
    pub(crate) from: Option<Arc<dyn Device>>,
    pub(crate) to: Option<Arc<dyn Device>>,
}

impl Kernel for Route {
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        let value = ctx.input(0);
        let copy = match (&self.from, &self.to) {
            (Some(from), Some(to)) => to.copy_from_peer(value, &**from)?,
            (Some(from), None) => from.copy_to_host(value)?,
            (None, Some(to)) => to.copy_from_host(value)?,
            (None, None) => value.clone(),
        };
        ctx.set_output(0, copy);
        Ok(())
    }
}
