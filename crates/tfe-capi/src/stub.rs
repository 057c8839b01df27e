//! What the generated stubs (`stubs.rs`) are made of: how one says that it is not there yet, and types that only they use.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_int, c_uchar, c_void};

use tfe_core::err;

use crate::TF_Status;
use crate::guard::guard;

/// Any pointer: stubs look at none but the status.
pub(crate) type Pointer = *const c_void;

/// Says that a function is not there yet; gives NULL or zero.
///
/// # Safety
/// `status` is null or a status of the caller's.
pub(crate) unsafe fn missing<T: Default>(status: *mut TF_Status, name: &str) -> T {
    // SAFETY: the caller's promise.
    unsafe { say(status, name) };
    T::default()
}

/// [`missing`] of a function that deletes or closes an object: of null there is nothing to be done.
///
/// # Safety
/// `status` is null or a status of the caller's.
pub(crate) unsafe fn missing_unless_null(object: Pointer, status: *mut TF_Status, name: &str) {
    if object.is_null() {
        // SAFETY: the caller's promise.
        unsafe { guard(status, (), || Ok(())) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { say(status, name) }
    }
}

#[inline(never)]
unsafe fn say(status: *mut TF_Status, name: &str) {
    let missing = || Err(err!(Unimplemented, "{name} is not implemented"));
    // SAFETY: the caller's promise.
    unsafe { guard(status, (), missing) }
}

/// An input of an operation.
#[repr(C)]
#[derive(Debug, Default)]
pub struct TF_Input {
    oper: Pointer,
    index: c_int,
}

/// An output of an operation.
#[repr(C)]
#[derive(Debug, Default)]
pub struct TF_Output {
    oper: Pointer,
    index: c_int,
}

/// What is told of an attr of an operation.
#[repr(C)]
#[derive(Debug, Default)]
pub struct TF_AttrMetadata {
    is_list: c_uchar,
    list_size: i64,
    kind: c_int,
    total_size: i64,
}

/// A while loop in the making.
#[repr(C)]
#[derive(Debug, Default)]
pub struct TF_WhileParams {
    ninputs: c_int,
    cond_graph: Pointer,
    cond_inputs: Pointer,
    cond_output: TF_Output,
    body_graph: Pointer,
    body_inputs: Pointer,
    body_outputs: Pointer,
    name: Pointer,
}
