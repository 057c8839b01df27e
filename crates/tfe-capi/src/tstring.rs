//! `TF_TString` (`tf_tstring.h`): elements of string tensors, which the client's own code changes as well.
//!
//! The layout is described in `tfe_core`'s `TString`. Here the words are read as they are, since C asks for what a Rust
//! string does not tell: the form, the room, the address of the bytes of an empty string.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_int};
use std::ptr::null;

use tfe_core::TString;

use crate::guard::{shield, slice};

/// The form of a string: small, large, offset or view.
pub type TF_TString_Type = c_int;

const SMALL: usize = 0;
const LARGE: usize = 1;
const OFFSET: usize = 2;
const VIEW: usize = 3;
const SMALL_CAPACITY: usize = 22;

/// What the words of a string say.
struct Parts {
    form: usize,
    data: *const u8,
    size: usize,
    capacity: usize,
}

impl Parts {
    const NONE: Self = Self {
        form: SMALL,
        data: null(),
        size: 0,
        capacity: 0,
    };

    /// # Safety
    /// Null, or the 24 bytes of a string, aligned or not.
    unsafe fn of(string: *const TString) -> Self {
        if string.is_null() {
            return Self::NONE;
        }
        // SAFETY: a string is three words, of which any bits are a value.
        let [first, second, third] = unsafe { string.cast::<[usize; 3]>().read_unaligned() };
        let start = string.cast::<u8>();
        let (data, size, capacity) = match first & 3 {
            SMALL => (start.wrapping_add(1), (first & 0xff) >> 2, SMALL_CAPACITY),
            LARGE => (third as *const u8, first >> 2, second),
            OFFSET => (
                start.wrapping_add(first >> 32),
                (first & 0xffff_ffff) >> 2,
                0,
            ),
            _ => (second as *const u8, first >> 2, 0),
        };
        Self {
            form: first & 3,
            data,
            size,
            capacity,
        }
    }
}

/// The bytes of a string that need not be aligned.
///
/// # Safety
/// The 24 bytes of a valid string that stays for `'a`.
pub(crate) unsafe fn bytes_of<'a>(string: *const TString) -> &'a [u8] {
    // SAFETY: the caller's promise.
    let parts = unsafe { Parts::of(string) };
    // SAFETY: a valid string has that many bytes there.
    unsafe { slice(parts.data, parts.size, "string") }.unwrap_or_default()
}

/// Makes 24 bytes an empty string.
///
/// # Safety
/// As [the crate](crate#safety) says, but for what the bytes hold, which may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringInit(t: *mut TString) {
    if !t.is_null() {
        // SAFETY: room for a string; what was there is not dropped, as it is none.
        unsafe { t.write(TString::new()) };
    }
}

/// Makes a string a copy of bytes, which may be its own.
///
/// # Safety
/// As [the crate](crate#safety) says; `src` leads to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringCopy(dst: *mut TString, src: *const c_char, size: usize) {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(src.cast::<u8>(), size, "src") };
    let copy = shield(None, || TString::concat([bytes?]).map(Some));
    if let Some(copy) = copy.filter(|_| !dst.is_null()) {
        // SAFETY: a string of the caller's, which is dropped once the copy was made.
        drop(unsafe { dst.replace(copy) });
    }
}

/// Makes a string refer to bytes of the caller's.
///
/// # Safety
/// As [the crate](crate#safety) says; `src` leads to `size` bytes that outlive the string, or what is made of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringAssignView(dst: *mut TString, src: *const c_char, size: usize) {
    if dst.is_null() || (src.is_null() && size != 0) {
        return;
    }
    // SAFETY: a string of the caller's.
    drop(unsafe { dst.replace(TString::new()) });
    let view = [size << 2 | VIEW, src.expose_provenance(), 0];
    // SAFETY: a string is three words; these are those of a view without an owner.
    unsafe { dst.cast::<[usize; 3]>().write(view) };
}

/// The bytes; null for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringGetDataPointer(tstr: *const TString) -> *const c_char {
    // SAFETY: null or a string.
    unsafe { Parts::of(tstr) }.data.cast()
}

/// The form; small for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringGetType(str: *const TString) -> TF_TString_Type {
    // SAFETY: null or a string.
    unsafe { Parts::of(str) }.form as TF_TString_Type
}

/// The number of bytes; 0 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringGetSize(tstr: *const TString) -> usize {
    // SAFETY: null or a string.
    unsafe { Parts::of(tstr) }.size
}

/// The size that the string can grow to where it lies; 0 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringGetCapacity(str: *const TString) -> usize {
    // SAFETY: null or a string.
    unsafe { Parts::of(str) }.capacity
}

/// Leaves an empty string.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_StringDealloc(tstr: *mut TString) {
    if !tstr.is_null() {
        // SAFETY: a string of the caller's.
        drop(unsafe { tstr.replace(TString::new()) });
    }
}
