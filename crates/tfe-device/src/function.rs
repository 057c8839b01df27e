//! What kernels know of functions: enough to call one.

use std::sync::Arc;

use tfe_attrs::FuncAttr;
use tfe_core::{Result, bail};

use crate::{Device, Kernel};

/// Turns functions into kernels, for kernels that call functions (`PartitionedCall`, `If`, `While`).
pub trait FunctionLibrary: Send + Sync {
    /// The function bound to its attributes, ready to run on `device`.
    ///
    /// # Errors
    /// `NotFound` for an unknown function, and whatever is wrong with its body.
    fn instantiate(&self, function: &FuncAttr, device: &dyn Device) -> Result<Arc<dyn Kernel>>;
}

/// The library without functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFunctions;

impl FunctionLibrary for NoFunctions {
    fn instantiate(&self, function: &FuncAttr, _: &dyn Device) -> Result<Arc<dyn Kernel>> {
        bail!(NotFound, "Function {} is not defined.", function.name)
    }
}
