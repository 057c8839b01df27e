//! TensorFlow's protocol buffer messages, generated from this project's own .proto files.
//! No promise is made for this crate.
//!
//! Field names and numbers are those of TensorFlow 2.21, so what is encoded here can be read there.
//! Maps are ordered, so equal messages encode to equal bytes. Unknown fields are skipped when decoding.
//!
//! ```
//! use tfe_proto::Message as _;
//! use tfe_proto::tensorflow::{AttrValue, DataType, NodeDef, attr_value::Value};
//!
//! let mut node = NodeDef { op: "Relu".into(), ..NodeDef::default() };
//! let float = AttrValue { value: Some(Value::Type(DataType::DtFloat as i32)) };
//! node.attr.insert("T".into(), float);
//! let bytes = node.encode_to_vec();
//! assert_eq!(NodeDef::decode(&bytes[..])?, node);
//! # Ok::<(), tfe_proto::DecodeError>(())
//! ```

#![forbid(unsafe_code)]

pub use prost::{DecodeError, Message};

#[expect(
    missing_docs,
    clippy::all,
    reason = "generated: what needs explaining is explained in the .proto files"
)]
#[path = "generated.rs"]
pub mod tensorflow;
#[cfg(feature = "text")]
pub mod text;

/// The descriptors of all messages, for reflection and the text format: an encoded
/// `FileDescriptorSet` without comments.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("descriptors.bin");
