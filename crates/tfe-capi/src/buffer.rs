//! `TF_Buffer` (`tf_buffer.h`): a block of bytes that one side fills and the other reads.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_void;

use tfe_core::{Result, ensure, err};

use crate::guard::{shield, slice};

/// The members are open to C, which may set them.
#[repr(C)]
#[derive(Debug, Default)]
pub struct TF_Buffer {
    /// The bytes.
    pub data: *const c_void,
    /// How many there are.
    pub length: usize,
    /// Called with `data` and `length` when the buffer is deleted, if there is one.
    pub data_deallocator: Option<unsafe extern "C" fn(*mut c_void, usize)>,
}

impl TF_Buffer {
    /// A buffer with a copy of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Result<Box<Self>> {
        Self::copy(bytes).map(Box::new)
    }

    /// Puts a copy of `bytes` into a client's buffer, which must be empty.
    pub(crate) fn fill(&mut self, bytes: &[u8]) -> Result<()> {
        ensure!(
            self.data.is_null(),
            InvalidArgument,
            "Passing non-empty TF_Buffer is invalid."
        );
        *self = Self::copy(bytes)?;
        Ok(())
    }

    /// Puts a copy of `bytes` into a client's buffer, in place of what it holds.
    ///
    /// # Safety
    /// The deallocator may be called with `data` and `length`.
    pub(crate) unsafe fn replace(&mut self, bytes: &[u8]) -> Result<()> {
        let old = std::mem::replace(self, Self::copy(bytes)?);
        // SAFETY: the caller's promise.
        unsafe { old.free() };
        Ok(())
    }

    /// The bytes that C put there.
    ///
    /// # Safety
    /// `data` leads to `length` bytes that nobody changes for `'a`.
    pub(crate) unsafe fn bytes<'a>(&self) -> Result<&'a [u8]> {
        // SAFETY: the caller's promise.
        unsafe { slice(self.data.cast::<u8>(), self.length, "data") }
    }

    /// # Safety
    /// The deallocator may be called with `data` and `length`.
    unsafe fn free(self) {
        if let Some(deallocator) = self.data_deallocator {
            // SAFETY: called as whoever set it promised, once.
            unsafe { deallocator(self.data.cast_mut(), self.length) };
        }
    }

    fn copy(bytes: &[u8]) -> Result<Self> {
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
        Ok(Self {
            data,
            length: bytes.len(),
            data_deallocator: Some(free),
        })
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
    Some(Box::default())
}

/// Deletes a buffer, and its bytes by its deallocator.
///
/// # Safety
/// As [the crate](crate#safety) says; the deallocator may be called with `data` and `length`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeleteBuffer(buffer: Option<Box<TF_Buffer>>) {
    if let Some(buffer) = buffer {
        // SAFETY: the caller's promise.
        unsafe { buffer.free() };
    }
}

/// The members; empty for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_GetBuffer(buffer: Option<&TF_Buffer>) -> TF_Buffer {
    buffer.map_or_else(TF_Buffer::default, |buffer| TF_Buffer { ..*buffer })
}
