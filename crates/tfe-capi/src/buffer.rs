//! `TF_Buffer` (`tf_buffer.h`): a block of bytes that one side fills and the other reads.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_void;
use std::ptr::null;

use tfe_core::{Result, err};

use crate::guard::{shield, slice};

/// The members are open to C, which may set them.
#[repr(C)]
#[derive(Debug)]
pub struct TF_Buffer {
    /// The bytes.
    pub data: *const c_void,
    /// How many there are.
    pub length: usize,
    /// Called with `data` and `length` when the buffer is deleted, if there is one.
    pub data_deallocator: Option<unsafe extern "C" fn(*mut c_void, usize)>,
}

impl TF_Buffer {
    const EMPTY: Self = Self {
        data: null(),
        length: 0,
        data_deallocator: None,
    };

    /// A buffer with a copy of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Result<Box<Self>> {
        // C's allocator, so that the deallocator needs no length: clients may set it.
        // SAFETY: any size will do.
        let data = unsafe { libc::malloc(bytes.len().max(1)) };
        if data.is_null() {
            return Err(err!(
                ResourceExhausted,
                "OOM when copying {} bytes",
                bytes.len()
            ));
        }
        // SAFETY: new memory of at least that many bytes.
        unsafe {
            data.cast::<u8>()
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
        Ok(Box::new(Self {
            data,
            length: bytes.len(),
            data_deallocator: Some(free),
        }))
    }
}

unsafe extern "C" fn free(data: *mut c_void, _: usize) {
    // SAFETY: `of` got it from `malloc`; a buffer calls its deallocator once.
    unsafe { libc::free(data) }
}

/// A buffer with a copy of bytes.
///
/// # Safety
/// As [the crate](crate#safety) says; `proto` leads to `proto_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_NewBufferFromString(
    proto: *const c_void,
    proto_len: usize,
) -> Option<Box<TF_Buffer>> {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(proto.cast::<u8>(), proto_len, "proto") };
    shield(None, || TF_Buffer::of(bytes?).map(Some))
}

/// An empty buffer.
#[unsafe(no_mangle)]
pub extern "C" fn TF_NewBuffer() -> Option<Box<TF_Buffer>> {
    Some(Box::new(TF_Buffer::EMPTY))
}

/// Deletes a buffer, and its bytes by its deallocator.
///
/// # Safety
/// As [the crate](crate#safety) says; the deallocator may be called with `data` and `length`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeleteBuffer(buffer: Option<Box<TF_Buffer>>) {
    let Some(buffer) = buffer else {
        return;
    };
    if let Some(deallocator) = buffer.data_deallocator {
        // SAFETY: called as whoever set it promised, once.
        unsafe { deallocator(buffer.data.cast_mut(), buffer.length) };
    }
}

/// The members; empty for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_GetBuffer(buffer: Option<&TF_Buffer>) -> TF_Buffer {
    let buffer = buffer.unwrap_or(&TF_Buffer::EMPTY);
    TF_Buffer { ..*buffer }
}
