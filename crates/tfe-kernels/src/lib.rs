//! Host kernels of TensorFlow ops, by family; each family is a Cargo feature.
//!
//! A kernel file declares its kernels as plain [`KernelDef`] literals in `KERNELS`, next to the function that builds
//! them; `cargo xtask codegen` writes the lists of a family (`mod.rs`) and of all families (`generated.rs`).
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.

mod generated;
#[macro_use]
mod host;
#[cfg(test)]
mod testing;

#[cfg(feature = "array")]
mod array;
#[cfg(feature = "math")]
mod math;
#[cfg(feature = "reduce")]
mod reduce;
#[cfg(feature = "state")]
mod state;
#[cfg(feature = "string")]
mod string;

use tfe_device::KernelDef;

/// The kernels of all families that are compiled in.
pub fn all() -> impl Iterator<Item = &'static KernelDef> {
    generated::ALL.iter().copied().flatten().copied().flatten()
}
