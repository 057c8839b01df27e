//! Data types, shapes, tensors, buffers and statuses: what every other crate of the tfe runtime speaks.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.
//!
//! ```
//! use tfe_core::{DataType, Tensor};
//!
//! let t = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
//! assert_eq!(t.dtype(), DataType::Float);
//! assert_eq!(t.as_slice::<f32>()?[3], 4.0);
//! # Ok::<(), tfe_core::Error>(())
//! ```

mod buffer;
mod dtype;
mod element;
pub mod fork;
pub mod memory;
mod resource;
mod shape;
pub mod stats;
mod status;
mod tensor;
mod tstring;

pub use buffer::{Allocator, Block, BlockCache, Buffer, DeviceMemory, HeapAllocator};
pub use dtype::{DTypeSet, DataType};
pub use element::{Element, Plain};
pub use half::{bf16, f16};
pub use num_complex::Complex;
pub use resource::{ResourceHandle, ResourceRef, Variant, VariantValue};
pub use shape::{MAX_RANK, PartialShape, Shape};
pub use status::{Code, Error, Result};
pub use tensor::{Tensor, TensorUninit, Word};
pub use tstring::TString;

/// A complex number of two `f32`: TensorFlow's `complex64`.
pub type Complex64 = Complex<f32>;
/// A complex number of two `f64`: TensorFlow's `complex128`.
pub type Complex128 = Complex<f64>;
