//! Eager execution of TensorFlow ops and functions, one call at a time, on CPU and other devices.
//!
//! ```
//! use tfe_eager::{Context, TensorHandle};
//!
//! let ctx = Context::new()?;
//! let a = TensorHandle::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
//! let product = ctx.op("MatMul")?.input(&a)?.input(&a)?.run1()?;
//! assert_eq!(product.to_vec::<f32>()?, [7.0, 10.0, 15.0, 22.0]);
//! # Ok::<(), tfe_eager::Error>(())
//! ```
//!
//! A [`Context`] holds devices, kernels, functions and caches; two contexts share nothing. Contexts and handles may be
//! used from many threads at once; an [`Op`] belongs to one. Handles outlive their context.
#![forbid(unsafe_code)]

mod cache;
mod context;
mod context_ref;
mod custom_device;
mod execute;
mod handle;
mod inputs;
mod kernel_and_device;
mod op;
mod pending;
mod placement;
mod shared;

pub use context::{Context, ContextBuilder, ContextOptions};
pub use custom_device::{CustomDevice, CustomPlace, CustomTensor};
pub use handle::TensorHandle;
pub use kernel_and_device::KernelAndDevice;
pub use op::{Op, Outputs};
pub use pending::Promise;
pub use placement::PlacementPolicy;
pub use tfe_function::{Function, FunctionBuilder, Library};

pub use ndarray;
pub use tfe_attrs::{AttrBuilder, AttrKind, AttrValue, Attrs, FuncAttr, SpecRef};
pub use tfe_core::{
    Allocator, Buffer, Code, Complex64, Complex128, DTypeSet, DataType, Element, Error,
    HeapAllocator, PartialShape, ResourceHandle, Result, Shape, TString, Tensor, TensorUninit,
    Variant, bail, bf16, dispatch, ensure, err, f16,
};
pub use tfe_cpu::{CachingAllocator, DEFAULT_CACHE_BYTES};
pub use tfe_cpu::{CpuDevice, CpuOptions};
/// What devices and kernels of a program's own are made of; `examples/own-device` and `examples/own-kernel` show both.
pub use tfe_device::{
    Cancellation, Device, DeviceInfo, DeviceName, DeviceSpec, Event, Inference, Kernel,
    KernelContext, KernelDef, KernelInit, KernelRef, KernelRegistry, OpInit, ResourceManager, Rule,
    RuleBuilder,
};
pub use tfe_kernels::all as builtin_kernels;
pub use tfe_ops::{
    Allowed, ArgCount, ArgSpec, ArgType, AttrSpec, OpId, OpRegistry, OpSpec, did_you_mean, ops,
};
/// TensorFlow's messages: a function or an op that a program does not write with a builder comes as one.
///
/// With the feature `text` they are read from text format too.
pub use tfe_proto as proto;

/// Runs the README's Rust program as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
