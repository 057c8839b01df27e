//! The border to C: pointers become references, errors and panics become statuses.
//!
//! A panic is a fault of this library. It ends at the border: the status is INTERNAL and carries its message, objects
//! stay safe to use and to delete. The panic hook is not touched. Rust's own writes message and place to standard error,
//! and with `RUST_BACKTRACE=1` the calls that led there: a report of the fault needs them, and a status has no room for
//! them. In `libtensorflow.so.2` the hook is the library's own, so that hooks of a program in Rust do not see these
//! panics; a program that links this crate as Rust sets its hook as usual.
#![expect(unsafe_code, reason = "reads pointers that come from C")]

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use tfe_core::{Error, MAX_RANK, Result, err};

use crate::TF_Status;

/// Runs the body of an exported function and sets `status` by how it went; gives `failed` after an error or a panic.
///
/// # Safety
/// `status` is null or a live status that nobody else uses at the end of the call.
#[inline]
pub(crate) unsafe fn guard<T>(
    status: *mut TF_Status,
    failed: T,
    body: impl FnOnce() -> Result<T>,
) -> T {
    // What a body leaves half done is safe to use, as no body has unsafe invariants of its own.
    let outcome = catch_unwind(AssertUnwindSafe(body));
    // Looked at only now: the body may have run code of the client's that uses the same status.
    // SAFETY: null or live and not in use, says the caller.
    let status = unsafe { status.as_mut() };
    match outcome {
        Ok(Ok(value)) => {
            if let Some(status) = status {
                status.set_ok();
            }
            value
        }
        Ok(Err(error)) => {
            report(status, &error);
            failed
        }
        Err(panic) => {
            report(status, &Error::of_panic(panic));
            failed
        }
    }
}

/// [`guard`] for a function without a status: `failed` stands for any failure.
#[inline]
pub(crate) fn shield<T>(failed: T, body: impl FnOnce() -> Result<T>) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(_)) => failed,
        Err(panic) => {
            // Dropped as an error of ours: dropping what an unknown panic carries might panic again.
            drop(Error::of_panic(panic));
            failed
        }
    }
}

#[cold]
fn report(status: Option<&mut TF_Status>, error: &Error) {
    if let Some(status) = status {
        status.set(error.code(), error.message().as_bytes());
    }
}

#[cold]
fn null(what: &str) -> Error {
    err!(InvalidArgument, "{what} is NULL")
}

/// An argument that must not be null, by its name in the header.
#[inline]
pub(crate) fn given<T>(argument: Option<T>, what: &str) -> Result<T> {
    argument.ok_or_else(|| null(what))
}

/// The object that a pointer leads to.
///
/// # Safety
/// The pointer is null or leads to a `T` that lives, and that nobody changes, for `'a`.
#[inline]
pub(crate) unsafe fn as_ref<'a, T>(pointer: *const T, what: &str) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    given(unsafe { pointer.as_ref() }, what)
}

/// [`as_ref`] for an object that the call changes.
///
/// # Safety
/// The pointer is null or leads to a `T` that lives, and that nobody else uses, for `'a`.
#[inline]
pub(crate) unsafe fn as_mut<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T> {
    // SAFETY: the caller's promise.
    given(unsafe { pointer.as_mut() }, what)
}

/// The bytes of a C string.
///
/// # Safety
/// The pointer is null or leads to bytes that end in zero and stay for `'a`.
#[inline]
pub(crate) unsafe fn c_str<'a>(pointer: *const c_char, what: &str) -> Result<&'a CStr> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, so it ends in zero, says the caller.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// A C string as text, for names: what is not UTF-8 is replaced, so that no op, attr or device has such a name.
///
/// # Safety
/// As [`c_str`].
#[inline]
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<Cow<'a, str>> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { c_str(pointer, what) }?.to_bytes();
    if bytes.is_ascii() {
        // As `from_utf8` would, at a fifth of the time for the short names that these are.
        // SAFETY: ASCII is UTF-8.
        return Ok(Cow::Borrowed(unsafe { str::from_utf8_unchecked(bytes) }));
    }
    Ok(String::from_utf8_lossy(bytes))
}

/// The elements of a C array; one without elements may be null.
///
/// # Safety
/// The pointer is null or leads to `len` initialised elements that stay, and that nobody changes, for `'a`.
#[inline]
pub(crate) unsafe fn slice<'a, T>(
    pointer: *const T,
    len: impl TryInto<usize>,
    what: &str,
) -> Result<&'a [T]> {
    let len = length::<T>(len, what)?;
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, so there are that many elements, says the caller; `length` bounds their bytes.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// The dimensions of a shape. Their number is checked before any is read: more than a shape may have are not there.
///
/// # Safety
/// The pointer is null or leads to `rank` numbers that stay, and that nobody changes, for `'a`.
#[inline]
pub(crate) unsafe fn dims<'a>(pointer: *const i64, rank: c_int, what: &str) -> Result<&'a [i64]> {
    match usize::try_from(rank) {
        // SAFETY: the caller's promise.
        Ok(rank) if rank <= MAX_RANK => unsafe { slice(pointer, rank, what) },
        _ => Err(err!(
            InvalidArgument,
            "{what} has {rank} dimensions: there may be 0 to {MAX_RANK}"
        )),
    }
}

/// A number of elements of type `T` as C gives it: not negative, and no more than an address space holds.
fn length<T>(len: impl TryInto<usize>, what: &str) -> Result<usize> {
    let most = isize::MAX as usize / size_of::<T>().max(1);
    len.try_into().ok().filter(|&n| n <= most).ok_or_else(|| {
        err!(
            InvalidArgument,
            "the number of elements of {what} is negative or too big"
        )
    })
}

#[cfg(test)]
mod tests {
    use std::ptr::{null, null_mut};

    use tfe_core::Code;

    use super::*;
    use crate::{TF_GetCode, TF_Message, TF_NewStatus};

    /// What `guard` gives, and what it leaves in a status that says something else before.
    fn run(body: impl FnOnce() -> Result<i32>) -> (i32, Code, String) {
        let mut status = TF_NewStatus().expect("a status");
        status.set(Code::DataLoss, b"before");
        // SAFETY: a live status of this function.
        let value = unsafe { guard(&raw mut *status, -1, body) };
        // SAFETY: the same status.
        let code = unsafe { TF_GetCode(Some(&status)) };
        // SAFETY: the same status.
        let message = unsafe { TF_Message(Some(&status)) };
        // SAFETY: a C string that lives until the status changes.
        let message = unsafe { CStr::from_ptr(message) };
        (
            value,
            Code::from_number(code),
            message.to_string_lossy().into_owned(),
        )
    }

    #[test]
    fn every_outcome_sets_the_status() {
        assert_eq!(run(|| Ok(7)), (7, Code::Ok, String::new()));
        let error = || Err(err!(NotFound, "no {}", "such"));
        assert_eq!(run(error), (-1, Code::NotFound, "no such".to_owned()));
        let fault = |message: &str| {
            (
                -1,
                Code::Internal,
                format!("a fault of the library: {message}"),
            )
        };
        assert_eq!(run(|| panic!("at {}", 12)), fault("at 12"));
        assert_eq!(run(|| panic!("fixed")), fault("fixed"));
        let odd = || std::panic::panic_any(12);
        assert_eq!(run(odd), fault("a panic without a message"));
    }

    #[test]
    fn without_a_status_the_value_tells() {
        // SAFETY: null.
        assert_eq!(unsafe { guard(null_mut(), -1, || Ok(7)) }, 7);
        // SAFETY: null.
        assert_eq!(unsafe { guard(null_mut(), -1, || panic!("lost")) }, -1);
        assert_eq!(shield(-1, || Ok(7)), 7);
        assert_eq!(shield(-1, || Err(err!(NotFound, "lost"))), -1);
        assert_eq!(shield(-1, || panic!("lost")), -1);
    }

    #[test]
    fn pointers_are_checked() {
        let message = |e: Error| {
            assert_eq!(e.code(), Code::InvalidArgument);
            e.message().to_owned()
        };
        let numbers = [1i64, 2, 3];
        // SAFETY: an array of three.
        let three = unsafe { slice(numbers.as_ptr(), 3, "dims") };
        assert_eq!(three.expect("three"), numbers);
        // SAFETY: null.
        let none = unsafe { slice::<i64>(null(), 0, "dims") };
        assert_eq!(none.expect("no elements"), []);
        // SAFETY: null.
        let absent = unsafe { slice::<i64>(null(), 1, "dims") };
        assert_eq!(message(absent.expect_err("null")), "dims is NULL");
        for len in [-1, i64::MAX] {
            // SAFETY: such a length is not followed.
            let wrong = unsafe { slice(numbers.as_ptr(), len, "dims") };
            assert_eq!(
                message(wrong.expect_err("length")),
                "the number of elements of dims is negative or too big"
            );
        }
        // SAFETY: null.
        let absent = unsafe { text(null(), "name") };
        assert_eq!(message(absent.expect_err("null")), "name is NULL");
        // SAFETY: a C string.
        let name = unsafe { text(c"MatMul".as_ptr(), "name") };
        assert_eq!(name.expect("text"), "MatMul");
        // SAFETY: a C string.
        let odd = unsafe { text(c"\xff".as_ptr(), "name") };
        assert_eq!(odd.expect("replaced"), "\u{fffd}");
    }
}
