//! The C API of the eager runtime: the `TF_*` and `TFE_*` functions of TensorFlow 2.21, and 13 in their form of 2017.
//!
//! The headers in `include/` are the documentation. The files here mirror them, one an object, and the crate
//! `tfe-capi-artifact` makes a static library of them, of which `cargo xtask dist` links `libtensorflow.so.2`.
//!
//! A pointer to an object is an `Option<&T>` here, `Option<&mut T>` where the call changes the object, and
//! `Option<Box<T>>` where it changes hands: all three are one pointer to C, and the signature tells who owns what. It
//! stays a raw pointer where two arguments may be the same object, where the caller's own code may run during the call,
//! and where it leads to memory of the caller.
//!
//! # Safety
//!
//! This holds for the arguments of every function, and its own section says only what there is besides:
//! - a pointer to an object is null, or came from this library, of that type, and was not deleted since;
//! - a text is null or ends in a zero byte;
//! - an array has as many elements as its length says, all initialised; without elements it may be null;
//! - any other pointer is null or leads to memory of its type that may be read, and written where it is not `const`;
//! - nobody else uses an object during the call. Contexts, tensor handles and cancellation managers are the exception: any
//!   number of calls may use them at a time, but the one that deletes them.
#![expect(non_camel_case_types, reason = "the names are TensorFlow's")]

mod api_2017;
mod attrs;
mod buffer;
mod cancellation;
mod context;
mod custom_device;
mod datatype;
mod debug_info;
mod device_list;
mod device_memory;
mod dlpack;
mod execute;
mod executor;
mod function;
mod guard;
mod handle;
mod library;
mod op;
mod op_attrs;
mod session_options;
mod settings;
mod status;
mod stub;
mod stubs;
mod tensor;
mod tstring;

pub use api_2017::*;
pub use attrs::*;
pub use buffer::*;
pub use cancellation::*;
pub use context::*;
pub use custom_device::*;
pub use datatype::*;
pub use debug_info::*;
pub use device_list::*;
pub use device_memory::*;
pub use dlpack::*;
pub use execute::*;
pub use executor::*;
pub use function::*;
pub use handle::*;
pub use library::*;
pub use op::*;
pub use op_attrs::*;
pub use session_options::*;
pub use settings::*;
pub use status::*;
pub use stub::*;
pub use stubs::*;
pub use tensor::*;
pub use tstring::*;
