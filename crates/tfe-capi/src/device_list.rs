//! `TF_DeviceList` (`c_api.h`): the devices of a context when it was asked.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_int};
use std::ptr::null;

use tfe_core::{Result, err};
use tfe_device::DeviceInfo;
use tfe_eager::Context;

use crate::TF_Status;
use crate::guard::{given, guard, shield};

/// The devices of a context when it was asked.
#[derive(Debug)]
pub struct TF_DeviceList(Vec<DeviceInfo>);

impl TF_DeviceList {
    pub(crate) fn of(context: &Context) -> Self {
        Self(context.devices().map(|d| d.info().clone()).collect())
    }
}

/// An entry of a list that C gave.
fn entry(list: Option<&TF_DeviceList>, index: c_int) -> Result<&DeviceInfo> {
    let entries = &given(list, "list")?.0;
    let index = usize::try_from(index).ok();
    let entry = index.and_then(|i| entries.get(i));
    entry.ok_or_else(|| err!(InvalidArgument, "index out of bounds"))
}

/// Deletes a list.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeleteDeviceList(list: Option<Box<TF_DeviceList>>) {
    shield((), || {
        drop(list);
        Ok(())
    });
}

/// The number of devices; 0 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeviceListCount(list: Option<&TF_DeviceList>) -> c_int {
    list.map_or(0, |list| list.0.len() as c_int)
}

/// The full name of a device.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeviceListName(
    list: Option<&TF_DeviceList>,
    index: c_int,
    status: *mut TF_Status,
) -> *const c_char {
    let name = || Ok(entry(list, index)?.name.as_c_str().as_ptr());
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null(), name) }
}

/// The type of a device.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeviceListType(
    list: Option<&TF_DeviceList>,
    index: c_int,
    status: *mut TF_Status,
) -> *const c_char {
    let device_type = || Ok(entry(list, index)?.name.device_type_c_str().as_ptr());
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null(), device_type) }
}

/// The bytes of memory that a device may use; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeviceListMemoryBytes(
    list: Option<&TF_DeviceList>,
    index: c_int,
    status: *mut TF_Status,
) -> i64 {
    let bytes = || Ok(i64::try_from(entry(list, index)?.memory_limit).unwrap_or(i64::MAX));
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, bytes) }
}

/// The incarnation of a device; 0 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeviceListIncarnation(
    list: Option<&TF_DeviceList>,
    index: c_int,
    status: *mut TF_Status,
) -> u64 {
    let incarnation = || Ok(entry(list, index)?.incarnation);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, 0, incarnation) }
}
