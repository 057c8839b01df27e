//! What tests of the tfe runtime share: golden vectors and how they compare, conformance suites that run on any
//! device, a device with memory of its own, proptest strategies, and protos in text format.
//!
//! For `tests/*.rs` of the crates only: nothing that is shipped depends on this crate.
//!
//! ```
//! use tfe_core::Tensor;
//! use tfe_testkit::compare::{Tolerance, difference};
//!
//! let (want, got) = (Tensor::scalar(1.0f32)?, Tensor::scalar(1.000_001f32)?);
//! assert!(difference(&want, &got, None).is_some());
//! assert!(difference(&want, &got, Some(Tolerance::relative(1e-5))).is_none());
//! # Ok::<(), tfe_core::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod compare;
pub mod conformance;
pub mod device;
pub mod direct;
pub mod golden;
mod narrow;
pub mod runner;
pub mod strategies;
pub mod text;
pub mod values;

pub use direct::Direct;
pub use runner::{NamedAttrs, Runner};
