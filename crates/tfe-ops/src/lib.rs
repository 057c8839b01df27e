//! The op table of TensorFlow 2.21: definitions, ids and look-up, and the values that attributes take.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.
//!
//! All 1,799 ops of TensorFlow are here as facts, whether or not there are kernels for them. Their definitions lie in
//! one blob; a look-up by name is a hash and a comparison, and a definition is decoded when it is first asked for.
//!
//! ```
//! use tfe_ops::{AttrKind, OpRegistry, ops};
//!
//! let registry = OpRegistry::new();
//! let spec = registry.find("MatMul")?;
//! assert_eq!(spec.id(), ops::MAT_MUL);
//! assert_eq!(spec.attr("transpose_a").unwrap().kind, AttrKind::Bool);
//! # Ok::<(), tfe_core::Error>(())
//! ```

#![forbid(unsafe_code)]

mod builtin;
mod bytes;
mod check;
mod fingerprint;
mod from_def;
mod generated;
mod id;
mod mix;
mod name_hash;
mod proto;
mod registry;
mod spec;
mod suggest;
mod summary;
mod tensor_proto;
mod validate;
mod value;

pub use bytes::AttrBytes;
pub use fingerprint::{Fingerprint128, fingerprint128};
pub use generated::ops;
pub use id::OpId;
pub use proto::{
    attr_value_from_proto, attr_value_from_proto_as, attr_value_to_proto, shape_from_proto,
    shape_to_proto,
};
pub use registry::OpRegistry;
pub use spec::{Allowed, ArgCount, ArgSpec, ArgType, AttrSpec, OpSpec, extra_contribution};
pub use suggest::{did_you_mean, did_you_mean_sentence};
pub use tensor_proto::{tensor_from_proto, tensor_to_proto};
pub use value::{AttrKind, AttrValue, FuncAttr};
