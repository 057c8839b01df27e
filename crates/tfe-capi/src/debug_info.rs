//! `TFE_TensorDebugInfo` (`eager/c_api.h`): how a value lies in the memory of its device.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_int;

use crate::guard::guard;
use crate::handle::value;
use crate::{TF_Status, TFE_TensorHandle};

/// The dimensions there.
#[derive(Debug)]
pub struct TFE_TensorDebugInfo(Box<[i64]>);

/// How a value lies there.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleTensorDebugInfo(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorDebugInfo>> {
    let info = || {
        Ok(Some(Box::new(TFE_TensorDebugInfo(
            value(h)?.tensor()?.dims().into(),
        ))))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, info) }
}

/// Deletes what was told.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteTensorDebugInfo(debug_info: Option<Box<TFE_TensorDebugInfo>>) {
    drop(debug_info);
}

/// The number of dimensions; -1 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorDebugInfoOnDeviceNumDims(
    debug_info: Option<&TFE_TensorDebugInfo>,
) -> c_int {
    debug_info.map_or(-1, |info| info.0.len() as c_int)
}

/// The length of a dimension; -1 when there is none.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorDebugInfoOnDeviceDim(
    debug_info: Option<&TFE_TensorDebugInfo>,
    dim_index: c_int,
) -> i64 {
    let dims = debug_info.map_or(&[][..], |info| &info.0);
    let index = usize::try_from(dim_index).ok();
    index.and_then(|i| dims.get(i)).copied().unwrap_or(-1)
}
