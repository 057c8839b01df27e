//! Copies of values between the memories of devices and the host, of a plan.

use std::sync::Arc;

use tfe_core::{Result, Tensor};
use tfe_device::Device;

/// From where to where a value is copied; `None` is host memory.
pub(crate) struct Route {
    pub(crate) from: Option<Arc<dyn Device>>,
    pub(crate) to: Option<Arc<dyn Device>>,
}

impl Route {
    /// The value at its destination.
    ///
    /// # Errors
    /// What the devices report.
    pub(crate) fn copy(&self, value: &Tensor) -> Result<Tensor> {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) => to.copy_from_peer(value, &**from),
            (Some(from), None) => from.copy_to_host(value),
            (None, Some(to)) => to.copy_from_host(value),
            (None, None) => Ok(value.clone()),
        }
    }
}
