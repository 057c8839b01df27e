//! Devices, kernels and resources: the contracts between a runtime and its backends.
//!
//! A backend implements [`Device`] and declares kernels as [`KernelDef`]s; a runtime builds a [`KernelRegistry`] from
//! them, finds the kernel of an op with [`KernelRegistry::find`], binds it and the [`Rule`] of its op to attributes, and
//! runs that [`BoundKernel`]. Nothing here is global: two sets of devices and resources share nothing.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.
#![forbid(unsafe_code)]

mod bound;
mod context;
mod device;
pub mod dim;
mod facts;
mod function;
mod inference;
mod integers;
mod kernel;
mod name;
mod registry;
mod resource;
mod rule;
mod run;
mod variable;

pub use bound::{Arg, BoundKernel};
pub use context::KernelContext;
pub use device::{Device, DeviceInfo, Event};
pub use facts::{Fact, OutputShape, OutputShapes};
pub use function::{FunctionLibrary, NoFunctions};
pub use inference::Inference;
pub use integers::{integer, integers};
pub use kernel::{Kernel, KernelDef, KernelInit};
pub use name::{DeviceName, DeviceSpec};
pub use registry::{KernelRef, KernelRegistry};
pub use resource::{DEFAULT_CONTAINER, ResourceManager, Slot};
pub use rule::{OpInit, Rule, RuleBuilder};
pub use run::{Cancellation, OnCancel, Run};
pub use variable::Variable;
