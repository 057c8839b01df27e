//! What a program sets of a context, and asks of it, by way of `eager/c_api_experimental.h`.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_uchar;

use tfe_core::Result;

use crate::guard::{given, guard, shield};
use crate::{TF_Buffer, TF_Status, TFE_Context, TFE_ContextOptions};

/// Asks for another runtime.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextOptionsSetTfrt(
    options: Option<&mut TFE_ContextOptions>,
    use_tfrt: bool,
) {
    if let Some(options) = options {
        options.use_tfrt = use_tfrt;
    }
}

/// Changes a setting of a context.
///
/// # Safety
/// `status` is null or a status of the caller's.
unsafe fn set(
    ctx: Option<&TFE_Context>,
    status: *mut TF_Status,
    change: impl FnOnce(&TFE_Context),
) {
    let set = || -> Result<()> {
        change(given(ctx, "ctx")?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { guard(status, (), set) }
}

/// Whether ops run on the CPU that cannot run elsewhere.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextSetSoftDevicePlacement(
    ctx: Option<&TFE_Context>,
    enable: c_uchar,
    status: *mut TF_Status,
) {
    // SAFETY: null or a status of the caller's.
    unsafe {
        set(ctx, status, |ctx| {
            ctx.context.set_soft_placement(enable != 0)
        })
    }
}

/// Whether calls are told.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextSetLogDevicePlacement(
    ctx: Option<&TFE_Context>,
    enable: c_uchar,
    status: *mut TF_Status,
) {
    // SAFETY: null or a status of the caller's.
    unsafe {
        set(ctx, status, |ctx| {
            ctx.context.set_log_placement(enable != 0)
        })
    }
}

/// Whether an op may run by way of a function, which changes nothing.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextSetRunEagerOpAsFunction(
    ctx: Option<&TFE_Context>,
    _enable: c_uchar,
    status: *mut TF_Status,
) {
    // SAFETY: null or a status of the caller's.
    unsafe { set(ctx, status, |_| ()) }
}

/// Whether a function may be compiled, which changes nothing.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextSetJitCompileRewrite(
    ctx: Option<&TFE_Context>,
    _enable: c_uchar,
    status: *mut TF_Status,
) {
    // SAFETY: null or a status of the caller's.
    unsafe { set(ctx, status, |_| ()) }
}

/// The number that contexts on several machines share.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_GetContextId(_ctx: Option<&TFE_Context>) -> u64 {
    0
}

/// Job, replica and task of this process.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_HostAddressSpace(
    ctx: Option<&TFE_Context>,
    buf: Option<&mut TF_Buffer>,
) {
    shield((), || {
        given(ctx, "ctx")?;
        // SAFETY: a buffer of the caller's, whose deallocator frees what it holds.
        unsafe { given(buf, "buf")?.replace(b"/job:localhost/replica:0/task:0") }
    });
}

/// The names of ops that ran in functions, which are not noted.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_GetExecutedOpNames(
    ctx: Option<&TFE_Context>,
    buf: Option<&mut TF_Buffer>,
    status: *mut TF_Status,
) {
    let write = || {
        given(ctx, "ctx")?;
        given(buf, "buf")?.fill(b"")
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), write) }
}
