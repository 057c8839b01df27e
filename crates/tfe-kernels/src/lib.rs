//! Host kernels of TensorFlow ops, by family; each family is a Cargo feature.
//!
//! A kernel file declares its kernels as plain [`KernelDef`] literals in `KERNELS`, next to the function that builds
//! them; `cargo xtask codegen` writes the lists of a family (`mod.rs`) and of all families (`generated.rs`).
//!
//! Some loops are compiled for several SIMD levels, and the CPU decides. The environment variable `TFE_SIMD`, read at
//! first use, caps the level: `baseline` or `avx2`; what is no level is reported once on standard error and ignored.
//! With a cap, results have the same bits on every CPU: matrix products, too, then come from loops of this crate.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.

#![forbid(unsafe_code)]

#[cfg_attr(feature = "math", macro_use)]
extern crate tfe_host;

mod generated;
#[cfg(test)]
mod testing;

#[cfg(feature = "array")]
mod array;
#[cfg(feature = "image")]
mod image;
#[cfg(feature = "io")]
mod io;
#[cfg(feature = "math")]
mod math;
#[cfg(feature = "nn")]
mod nn;
#[cfg(feature = "queue")]
mod queue;
#[cfg(feature = "reduce")]
mod reduce;
#[cfg(feature = "signal")]
mod signal;
#[cfg(feature = "state")]
mod state;
#[cfg(feature = "string")]
mod string;

use tfe_device::KernelDef;
use tfe_ops::{OpId, ops};

/// The kernels of all families that are compiled in.
pub fn all() -> impl Iterator<Item = &'static KernelDef> {
    generated::ALL.iter().copied().flatten().copied().flatten()
}

/// The kernels that pass tensors on, or only their shapes, and never look at their elements, declared for another type of device.
///
/// For backends with memory of their own. Handles to variables, and the values of `Const`, are in host memory.
///
/// ```
/// use std::sync::LazyLock;
/// use tfe_device::{KernelDef, KernelRegistry};
///
/// static KERNELS: LazyLock<Vec<KernelDef>> = LazyLock::new(|| tfe_kernels::any_device("NPU"));
/// let registry = KernelRegistry::new(KERNELS.iter().chain(tfe_kernels::all()));
/// let read = registry.kernels(tfe_ops::ops::READ_VARIABLE_OP);
/// assert!(read.iter().any(|kernel| kernel.device == "NPU"));
/// ```
pub fn any_device(device: &'static str) -> Vec<KernelDef> {
    const OPS: &[OpId] = &[
        ops::ASSIGN_VARIABLE_OP,
        ops::CONST,
        ops::DESTROY_RESOURCE_OP,
        ops::EXPAND_DIMS,
        ops::IDENTITY,
        ops::IDENTITY_N,
        ops::NO_OP,
        ops::PREVENT_GRADIENT,
        ops::RANK,
        ops::READ_VARIABLE_OP,
        ops::RESHAPE,
        ops::SHAPE,
        ops::SHAPE_N,
        ops::SIZE,
        ops::SNAPSHOT,
        ops::SQUEEZE,
        ops::STOP_GRADIENT,
        ops::VAR_HANDLE_OP,
        ops::VAR_IS_INITIALIZED_OP,
        ops::VARIABLE_SHAPE,
    ];
    all()
        .filter(|kernel| OPS.contains(&kernel.op))
        .map(|&kernel| KernelDef { device, ..kernel })
        .collect()
}
