//! Functions of a context (`eager/c_api.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_uchar};

use crate::guard::{given, guard, shield, slice, text};
use crate::{TF_Status, TFE_Context};

/// Adds a serialized `FunctionDef`.
///
/// # Safety
/// As [the crate](crate#safety) says; `serialized_function_def` leads to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextAddFunctionDef(
    ctx: Option<&TFE_Context>,
    serialized_function_def: *const c_char,
    size: usize,
    status: *mut TF_Status,
) {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe {
        slice(
            serialized_function_def.cast::<u8>(),
            size,
            "serialized_function_def",
        )
    };
    let add = || given(ctx, "ctx")?.0.add_function_bytes(bytes?);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), add) }
}

/// Removes a function.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextRemoveFunction(
    ctx: Option<&TFE_Context>,
    name: *const c_char,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(name, "name") };
    let remove = || given(ctx, "ctx")?.0.remove_function(&name?);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), remove) }
}

/// Whether there is a function of that name.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextHasFunction(
    ctx: Option<&TFE_Context>,
    name: *const c_char,
) -> c_uchar {
    // SAFETY: null or a C string.
    let name = unsafe { text(name, "name") };
    shield(false, || Ok(given(ctx, "ctx")?.0.has_function(&name?))).into()
}
