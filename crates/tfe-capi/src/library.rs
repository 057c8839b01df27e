//! What the library says of itself (`c_api.h`): its version, its ops, its kernels.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_int};

use tfe_core::Result;
use tfe_device::KernelDef;
use tfe_eager::builtin_kernels;
use tfe_ops::OpRegistry;
use tfe_proto::Message as _;
use tfe_proto::tensorflow as pb;
use tfe_proto::tensorflow::attr_value::{ListValue, Value};

use crate::guard::{guard, shield, text};
use crate::{TF_Buffer, TF_Status};

/// The version of TensorFlow whose API this is.
#[unsafe(no_mangle)]
pub extern "C" fn TF_Version() -> *const c_char {
    c"2.21.0".as_ptr()
}

/// TensorFlow's ops, as an encoded `OpList`.
#[unsafe(no_mangle)]
pub extern "C" fn TF_GetAllOpList() -> Option<Box<TF_Buffer>> {
    shield(None, || {
        TF_Buffer::of(&OpRegistry::new().op_list_bytes()).map(Some)
    })
}

/// A kernel's declaration as a message.
fn to_proto(kernel: &KernelDef) -> pb::KernelDef {
    let constraint = |&(attr, types): &(&str, tfe_core::DTypeSet)| {
        let list = ListValue {
            r#type: types.iter().map(|dtype| dtype.number()).collect(),
            ..ListValue::default()
        };
        pb::kernel_def::AttrConstraint {
            name: attr.to_owned(),
            allowed_values: Some(pb::AttrValue {
                value: Some(Value::List(list)),
            }),
        }
    };
    let in_host_memory = kernel.host_inputs.iter().chain(kernel.host_outputs);
    pb::KernelDef {
        op: kernel.op.name().unwrap_or_default().to_owned(),
        device_type: kernel.device.to_owned(),
        constraint: kernel.types.iter().map(constraint).collect(),
        host_memory_arg: in_host_memory.map(|&name| name.to_owned()).collect(),
        ..pb::KernelDef::default()
    }
}

/// The kernels that are wanted, by op, as an encoded `KernelList`.
fn kernels(is_wanted: impl Fn(&KernelDef) -> bool) -> Result<Box<TF_Buffer>> {
    let mut found: Vec<_> = builtin_kernels()
        .filter(|kernel| is_wanted(kernel))
        .collect();
    found.sort_by_key(|kernel| kernel.op);
    let list = pb::KernelList {
        kernel: found.into_iter().map(to_proto).collect(),
    };
    TF_Buffer::of(&list.encode_to_vec())
}

/// All kernels.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_GetAllRegisteredKernels(
    status: *mut TF_Status,
) -> Option<Box<TF_Buffer>> {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, || kernels(|_| true).map(Some)) }
}

/// The kernels of an op.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_GetRegisteredKernelsForOp(
    name: *const c_char,
    status: *mut TF_Status,
) -> Option<Box<TF_Buffer>> {
    // SAFETY: null or a C string.
    let name = unsafe { text(name, "name") };
    let list = || {
        let name = name?;
        kernels(|kernel| kernel.op.name() == Some(&*name)).map(Some)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, list) }
}

/// Whether an op has state (`c_api_experimental.h`); 0 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_OpIsStateful(op_type: *const c_char, status: *mut TF_Status) -> c_int {
    // SAFETY: null or a C string.
    let name = unsafe { text(op_type, "op_type") };
    let is_stateful = || Ok(OpRegistry::new().find(&name?)?.is_stateful.into());
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, 0, is_stateful) }
}
