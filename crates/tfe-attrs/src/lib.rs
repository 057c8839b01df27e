//! Attribute type maps, builders and 128-bit cache keys of TensorFlow ops.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.
//!
//! An [`AttrBuilder`] collects the attributes of one call: those that are set, those that follow from the types of the
//! inputs, and the defaults. Its [`CacheKey`] finds a kernel that was built for an equal call; [`AttrBuilder::finish`]
//! checks everything and gives the [`Attrs`] that a kernel is built from.
//!
//! ```
//! use tfe_attrs::AttrBuilder;
//! use tfe_core::DataType;
//! use tfe_ops::ops;
//!
//! let mut a = AttrBuilder::new(ops::MAT_MUL.spec());
//! a.add_input(DataType::Float)?;
//! a.add_input(DataType::Float)?;
//! let key = a.cache_key("/device:CPU:0");
//!
//! // The same call, said differently: the type by hand, a default spelled out, another order.
//! let mut b = AttrBuilder::new(ops::MAT_MUL.spec());
//! b.set("transpose_a", false).set("T", DataType::Float).num_inputs(2);
//! assert_eq!(b.cache_key("/device:CPU:0"), key);
//!
//! let attrs = a.finish()?;
//! assert_eq!(attrs.dtype("T")?, DataType::Float);
//! assert!(!attrs.bool("transpose_b")?);
//! # Ok::<(), tfe_core::Error>(())
//! ```

#![forbid(unsafe_code)]

mod args;
mod attrs;
mod builder;
mod errors;
mod key;
mod node_def;
mod resolve;
mod slots;
mod spec_ref;
mod type_map;

pub use attrs::Attrs;
pub use builder::AttrBuilder;
pub use errors::unset_attr;
pub use key::{CacheKey, DeviceKey};
pub use spec_ref::SpecRef;
pub use tfe_core::{Code, DataType, Error, PartialShape, Result, Tensor};
pub use tfe_ops::{
    AttrBytes, AttrKind, AttrValue, Fingerprint128, FuncAttr, OpId, OpRegistry, OpSpec,
    attr_value_from_proto, attr_value_from_proto_as, attr_value_to_proto, fingerprint128, ops,
    shape_from_proto, shape_to_proto, tensor_from_proto, tensor_to_proto,
};
pub use type_map::{AttrTypeMap, attr_type_by_name, attr_type_map_for_op, find_op};
