//! The CPU device: a caching allocator, a thread pool that starts when it is first needed, and the floating-point mode
//! that TensorFlow's kernels run in.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.

mod alloc;
mod denormal;
mod device;
mod pool;

pub use alloc::{CachingAllocator, DEFAULT_CACHE_BYTES};
pub use denormal::DenormalGuard;
pub use device::{CpuDevice, CpuOptions};
