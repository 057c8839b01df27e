//! Devices, kernels and resources: the contracts between a runtime and its backends.
//!
//! A backend implements [`Device`] and declares kernels as [`KernelDef`]s; a runtime builds a [`KernelRegistry`] from
//! them, finds the kernel of an op with [`KernelRegistry::find`], and runs it on a [`KernelContext`]. Nothing here is
//! global: two sets of devices and resources share nothing.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.
#![forbid(unsafe_code)]

mod context;
mod device;
mod function;
mod kernel;
mod name;
mod registry;
mod resource;
mod variable;

pub use context::KernelContext;
pub use device::{Device, DeviceInfo};
pub use function::{FunctionLibrary, NoFunctions};
pub use kernel::{Kernel, KernelDef, KernelInit};
pub use name::{DeviceName, DeviceSpec};
pub use registry::KernelRegistry;
pub use resource::{DEFAULT_CONTAINER, ResourceManager, Slot};
pub use variable::Variable;
