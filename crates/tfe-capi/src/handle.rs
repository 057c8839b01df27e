//! `TFE_TensorHandle` (`eager/c_api.h`): a value on a device.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_int};
use std::ptr::null;

use tfe_core::{Result, err};
use tfe_eager::TensorHandle;

use crate::guard::{given, guard, shield, text};
use crate::{TF_DataType, TF_Status, TF_Tensor, TFE_Context};

/// A value on a device.
#[derive(Debug)]
#[repr(transparent)]
pub struct TFE_TensorHandle(pub(crate) TensorHandle);

impl From<TensorHandle> for Box<TFE_TensorHandle> {
    fn from(handle: TensorHandle) -> Self {
        Box::new(TFE_TensorHandle(handle))
    }
}

/// The handle that C gave.
pub(crate) fn value(handle: Option<&TFE_TensorHandle>) -> Result<&TensorHandle> {
    match handle {
        Some(handle) => Ok(&handle.0),
        None => Err(err!(InvalidArgument, "Invalid handle")),
    }
}

/// The number of dimensions; -1 where a custom device does not know it.
fn rank(handle: Option<&TFE_TensorHandle>) -> Result<c_int> {
    let handle = value(handle)?;
    Ok(match handle.custom_tensor() {
        Some(tensor) => tensor.rank()?.map_or(-1, |rank| rank as c_int),
        None => handle.dims()?.len() as c_int,
    })
}

pub(crate) fn dim(handle: Option<&TFE_TensorHandle>, index: c_int) -> Result<i64> {
    let (handle, i) = (value(handle)?, usize::try_from(index).ok());
    if let (Some(tensor), Some(i)) = (handle.custom_tensor(), i) {
        return tensor.dim(i);
    }
    let dims = handle.dims()?;
    let found = i.and_then(|i| dims.get(i));
    found.copied().ok_or_else(|| {
        let rank = dims.len();
        err!(
            InvalidArgument,
            "there is no dimension {index} in a tensor of {rank} dimensions"
        )
    })
}

/// A handle to the value of a tensor.
///
/// # Safety
/// As [the crate](crate#safety) says; the elements of `t` were written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewTensorHandle(
    t: Option<&TF_Tensor>,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    let make = || {
        Ok(Some(
            TensorHandle::new(given(t, "t")?.tensor().clone()).into(),
        ))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// Deletes a handle.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteTensorHandle(h: Option<Box<TFE_TensorHandle>>) {
    shield((), || {
        drop(h);
        Ok(())
    });
}

/// The element type; 0 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDataType(h: Option<&TFE_TensorHandle>) -> TF_DataType {
    h.map_or(0, |h| h.0.dtype().number())
}

/// The number of dimensions; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleNumDims(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> c_int {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, || rank(h)) }
}

/// The number of elements; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleNumElements(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> i64 {
    let count = || Ok(value(h)?.shape()?.num_elements() as i64);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, count) }
}

/// The length of a dimension; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDim(
    h: Option<&TFE_TensorHandle>,
    dim_index: c_int,
    status: *mut TF_Status,
) -> i64 {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, || dim(h, dim_index)) }
}

/// The device of the op that made the value.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDeviceName(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *const c_char {
    let name = || Ok(value(h)?.device_name().as_c_str().as_ptr());
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null(), name) }
}

/// The device whose memory holds the value.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleBackingDeviceName(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *const c_char {
    let name = || Ok(value(h)?.backing_device_name()?.as_c_str().as_ptr());
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null(), name) }
}

/// Another handle to the same value.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleCopySharingTensor(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    let share = || Ok(Some(value(h)?.clone().into()));
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, share) }
}

/// The value in host memory.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleResolve(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> Option<Box<TF_Tensor>> {
    let resolve = || Ok(Some(Box::new(value(h)?.to_tensor()?.into())));
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, resolve) }
}

/// The value on a device.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleCopyToDevice(
    h: Option<&TFE_TensorHandle>,
    ctx: Option<&TFE_Context>,
    device_name: *const c_char,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    // SAFETY: null or a C string.
    let device = unsafe { text(device_name, "device_name") };
    let copy = || {
        Ok(Some(
            value(h)?
                .copy_to(&given(ctx, "ctx")?.context, &device?)?
                .into(),
        ))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, copy) }
}

#[cfg(test)]
mod tests;
