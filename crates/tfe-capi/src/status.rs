//! `TF_Status` (`tf_status.h`), which is `TSL_Status` (`tsl_status.h`): how a call went.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use tfe_core::{Code, Error, Result};

use crate::guard::shield;

/// A code, a message and payloads.
#[derive(Debug)]
pub struct TSL_Status {
    code: Code,
    /// Ends in a zero byte, or is empty altogether. Kept for the next message: a status is used again and again.
    message: Vec<u8>,
    payloads: Vec<(CString, CString)>,
}

/// The name in the C API of TensorFlow.
pub type TF_Status = TSL_Status;
/// A [`Code`] as C passes it: any number.
pub type TF_Code = c_int;
/// What the payloads are shown to: key, value, and the pointer given.
pub type TSL_PayloadVisitor =
    Option<unsafe extern "C" fn(*const c_char, *const c_char, *mut c_void)>;

impl TSL_Status {
    pub(crate) const fn new() -> Self {
        Self {
            code: Code::Ok,
            message: Vec::new(),
            payloads: Vec::new(),
        }
    }

    /// What it says.
    pub(crate) fn to_result(&self) -> Result<()> {
        if self.code == Code::Ok {
            return Ok(());
        }
        let message = self.message.strip_suffix(b"\0").unwrap_or(&self.message);
        let message = String::from_utf8_lossy(message).into_owned();
        Err(Error::new(self.code, message))
    }

    #[inline]
    pub(crate) fn set_ok(&mut self) {
        if self.code != Code::Ok {
            self.set(Code::Ok, b"");
        }
    }

    #[cold]
    pub(crate) fn set(&mut self, code: Code, message: &[u8]) {
        self.code = code;
        self.message.clear();
        self.payloads.clear();
        if code != Code::Ok && !message.is_empty() {
            self.message.extend_from_slice(message);
            self.message.push(0);
        }
    }
}

/// A copy, as the pointer may lead into what the call changes; empty for null.
///
/// # Safety
/// Null or a C string.
unsafe fn copy(text: *const c_char) -> CString {
    if text.is_null() {
        return CString::default();
    }
    // SAFETY: not null, so a C string.
    unsafe { CStr::from_ptr(text) }.to_owned()
}

/// A new status, OK.
#[unsafe(no_mangle)]
pub extern "C" fn TF_NewStatus() -> Option<Box<TF_Status>> {
    Some(Box::new(TSL_Status::new()))
}

/// Deletes a status.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeleteStatus(s: Option<Box<TF_Status>>) {
    drop(s);
}

/// Replaces code and message.
///
/// # Safety
/// As [the crate](crate#safety) says; `msg` may be the message of `s`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_SetStatus(s: *mut TF_Status, code: TF_Code, msg: *const c_char) {
    // SAFETY: null or a C string, and not looked at any more once `s` changes.
    let message = unsafe { copy(msg) };
    // SAFETY: null or a status that nobody else uses.
    if let Some(s) = unsafe { s.as_mut() } {
        s.set(Code::from_number(code), message.to_bytes());
    }
}

/// Attaches a payload.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_SetPayload(
    s: *mut TF_Status,
    key: *const c_char,
    value: *const c_char,
) {
    // SAFETY: null or a C string.
    let key = unsafe { copy(key) };
    // SAFETY: null or a C string.
    let value = unsafe { copy(value) };
    // SAFETY: null or a status that nobody else uses.
    let Some(s) = (unsafe { s.as_mut() }) else {
        return;
    };
    if s.code != Code::Ok {
        s.payloads.retain(|(k, _)| *k != key);
        s.payloads.push((key, value));
    }
}

/// Shows all payloads.
///
/// # Safety
/// As [the crate](crate#safety) says; `visitor` may be called with `capture`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_ForEachPayload(
    s: *const TF_Status,
    visitor: TSL_PayloadVisitor,
    capture: *mut c_void,
) {
    // SAFETY: null or a status that nobody changes.
    let payloads = unsafe { s.as_ref() }.map(|s| s.payloads.clone());
    // A copy: the visitor may change the status.
    for (key, value) in payloads.into_iter().flatten() {
        if let Some(visitor) = visitor {
            // SAFETY: the client's function, called as it was promised.
            unsafe { visitor(key.as_ptr(), value.as_ptr(), capture) };
        }
    }
}

/// Sets the status from an `errno`.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_SetStatusFromIOError(
    s: *mut TF_Status,
    error_code: c_int,
    context: *const c_char,
) {
    // SAFETY: null or a C string.
    let context = unsafe { copy(context) };
    let message = shield(Vec::new(), || {
        Ok([context.to_bytes(), b"; ", describe(error_code).as_bytes()].concat())
    });
    // SAFETY: null or a status that nobody else uses.
    if let Some(s) = unsafe { s.as_mut() } {
        s.set(code_of(error_code), &message);
    }
}

/// The code.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_GetCode(s: Option<&TF_Status>) -> TF_Code {
    s.map_or(Code::InvalidArgument, |s| s.code).number()
}

/// The message.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_Message(s: Option<&TF_Status>) -> *const c_char {
    match s {
        Some(s) if !s.message.is_empty() => s.message.as_ptr().cast(),
        _ => c"".as_ptr(),
    }
}

/// As [`TF_NewStatus`].
#[unsafe(no_mangle)]
pub extern "C" fn TSL_NewStatus() -> Option<Box<TSL_Status>> {
    TF_NewStatus()
}

/// As [`TF_DeleteStatus`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TSL_DeleteStatus(s: Option<Box<TSL_Status>>) {
    drop(s);
}

/// As [`TF_SetStatus`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TSL_SetStatus(s: *mut TSL_Status, code: TF_Code, msg: *const c_char) {
    // SAFETY: the same contract.
    unsafe { TF_SetStatus(s, code, msg) }
}

/// As [`TF_SetPayload`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TSL_SetPayload(
    s: *mut TSL_Status,
    key: *const c_char,
    value: *const c_char,
) {
    // SAFETY: the same contract.
    unsafe { TF_SetPayload(s, key, value) }
}

/// As [`TF_ForEachPayload`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TSL_ForEachPayload(
    s: *const TSL_Status,
    visitor: TSL_PayloadVisitor,
    capture: *mut c_void,
) {
    // SAFETY: the same contract.
    unsafe { TF_ForEachPayload(s, visitor, capture) }
}

/// As [`TF_SetStatusFromIOError`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TSL_SetStatusFromIOError(
    s: *mut TSL_Status,
    error_code: c_int,
    context: *const c_char,
) {
    // SAFETY: the same contract.
    unsafe { TF_SetStatusFromIOError(s, error_code, context) }
}

/// As [`TF_GetCode`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TSL_GetCode(s: Option<&TSL_Status>) -> TF_Code {
    // SAFETY: the same contract.
    unsafe { TF_GetCode(s) }
}

/// As [`TF_Message`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TSL_Message(s: Option<&TSL_Status>) -> *const c_char {
    // SAFETY: the same contract.
    unsafe { TF_Message(s) }
}

/// What the C library says to an `errno`.
fn describe(number: c_int) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    let suffix = format!(" (os error {number})");
    text.strip_suffix(&suffix).unwrap_or(&text).to_owned()
}

/// The code that fits an `errno` best, as TensorFlow has it; `Unknown` for all that are not here.
fn code_of(number: c_int) -> Code {
    use libc::*;
    const TABLE: &[(Code, &[c_int])] = &[
        (Code::Ok, &[0]),
        (
            Code::InvalidArgument,
            &[
                EINVAL,
                ENAMETOOLONG,
                E2BIG,
                EDESTADDRREQ,
                EDOM,
                EFAULT,
                EILSEQ,
                ENOPROTOOPT,
                ENOSTR,
                ENOTSOCK,
                ENOTTY,
                EPROTOTYPE,
                ESPIPE,
            ],
        ),
        (Code::DeadlineExceeded, &[ETIMEDOUT, ETIME]),
        (Code::NotFound, &[ENODEV, ENOENT, ENXIO, ESRCH]),
        (Code::AlreadyExists, &[EEXIST, EADDRNOTAVAIL, EALREADY]),
        (Code::PermissionDenied, &[EPERM, EACCES, EROFS]),
        (
            Code::FailedPrecondition,
            &[
                ENOTEMPTY, EISDIR, ENOTDIR, EADDRINUSE, EBADF, EBUSY, ECHILD, EISCONN, ENOTBLK,
                ENOTCONN, EPIPE, ESHUTDOWN, ETXTBSY,
            ],
        ),
        (
            Code::ResourceExhausted,
            &[
                ENOSPC, EDQUOT, EMFILE, EMLINK, ENFILE, ENOBUFS, ENODATA, ENOMEM, ENOSR, EUSERS,
            ],
        ),
        (Code::OutOfRange, &[EFBIG, EOVERFLOW, ERANGE]),
        (
            Code::Unimplemented,
            &[
                ENOPKG,
                ENOSYS,
                ENOTSUP,
                EAFNOSUPPORT,
                EPFNOSUPPORT,
                EPROTONOSUPPORT,
                ESOCKTNOSUPPORT,
                EXDEV,
            ],
        ),
        (
            Code::Unavailable,
            &[
                EAGAIN,
                ECONNREFUSED,
                ECONNABORTED,
                ECONNRESET,
                EINTR,
                EHOSTDOWN,
                EHOSTUNREACH,
                ENETDOWN,
                ENETRESET,
                ENETUNREACH,
                ENOLCK,
                ENOLINK,
                ENONET,
            ],
        ),
        (Code::Aborted, &[EDEADLK, ESTALE]),
        (Code::Cancelled, &[ECANCELED]),
    ];
    let row = TABLE.iter().find(|(_, numbers)| numbers.contains(&number));
    row.map_or(Code::Unknown, |&(code, _)| code)
}

/// Makes a status an internal error (`c_api_experimental.h`).
///
/// # Safety
/// As [the crate](crate#safety) says; `err_msg` may be the message of `status`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_MakeInternalErrorStatus(
    status: *mut TF_Status,
    err_msg: *const c_char,
) {
    // SAFETY: what the caller promises here is what is wanted there.
    unsafe { TF_SetStatus(status, Code::Internal as TF_Code, err_msg) }
}
