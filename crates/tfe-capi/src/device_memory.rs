//! Where tensors and the values of handles lie (`eager/c_api_experimental.h`): their memory and their device.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use tfe_core::{DataType, Result, Shape, Tensor, ensure};
use tfe_eager::TensorHandle;

use crate::custom_device;
use crate::datatype::data_type;
use crate::guard::{self, given, guard, slice, text};
use crate::handle::value;
use crate::tensor::{Deallocator, Lent, allocate};
use crate::{TF_DataType, TF_Status, TF_Tensor, TFE_Context, TFE_TensorHandle};

/// A tensor with memory of its own, which the caller writes before anything reads it.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_AllocateHostTensor(
    ctx: Option<&TFE_Context>,
    dtype: TF_DataType,
    dims: *const i64,
    num_dims: c_int,
    status: *mut TF_Status,
) -> Option<Box<TF_Tensor>> {
    // SAFETY: an array, says the caller.
    let dims = unsafe { guard::dims(dims, num_dims, "dims") };
    let make = || {
        given(ctx, "ctx")?;
        allocate(dtype, dims?, None).map(Some)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// A handle to the value of a tensor.
///
/// # Safety
/// As [the crate](crate#safety) says; the elements of `t` were written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewTensorHandleFromTensor(
    ctx: Option<&TFE_Context>,
    t: Option<&TF_Tensor>,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    let make = || {
        given(ctx, "ctx")?;
        let tensor = given(t, "t")?.tensor().clone();
        Ok(Some(TensorHandle::new(tensor).into()))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// A handle over memory of the caller's.
///
/// # Safety
/// As [the crate](crate#safety) says; `data` leads to `len` bytes that stay until the deallocator is called, which any
/// thread may do once with `data`, `len` and `deallocator_arg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewTensorHandleFromDeviceMemory(
    ctx: Option<&TFE_Context>,
    device_name: *const c_char,
    dtype: TF_DataType,
    dims: *const i64,
    num_dims: c_int,
    data: *mut c_void,
    len: usize,
    deallocator: Deallocator,
    deallocator_arg: *mut c_void,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    // SAFETY: the caller's promise.
    let lent = unsafe { Lent::new(data, len, deallocator, deallocator_arg) };
    // SAFETY: null or a C string.
    let device = unsafe { text(device_name, "device_name") };
    // SAFETY: an array, says the caller.
    let dims = unsafe { guard::dims(dims, num_dims, "dims") };
    let make = move || {
        let (context, device) = (&given(ctx, "ctx")?.context, device?);
        ensure!(
            context.find_device(&device)?.is_host(),
            Unimplemented,
            "{device} has memory of its own, of which no handle can be made from an address"
        );
        let (dtype, shape) = (data_type(dtype)?, Shape::new(dims?)?);
        check_plain(dtype)?;
        // SAFETY: the caller's promises on `data`.
        let tensor = unsafe { lent.into_tensor(dtype, shape, dtype.size()) }?;
        let handle = TensorHandle::new(tensor.tensor().clone());
        Ok(Some(handle.copy_to(context, &device)?.into()))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// A handle to a scalar (`c_api_experimental.h`).
///
/// # Safety
/// As [the crate](crate#safety) says; `data` leads to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewTensorHandleFromScalar(
    data_type: TF_DataType,
    data: *const c_void,
    len: usize,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(data.cast::<u8>(), len, "data") };
    let make = || {
        let dtype = crate::datatype::data_type(data_type)?;
        let tensor = Tensor::from_plain_bytes(dtype, Shape::scalar(), bytes?)?;
        Ok(Some(TensorHandle::new(tensor).into()))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// Elements that an address is of use for.
fn check_plain(dtype: DataType) -> Result<()> {
    ensure!(
        dtype.is_plain(),
        InvalidArgument,
        "{dtype} elements are no plain bytes"
    );
    Ok(())
}

/// The first element where it lies.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDevicePointer(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *mut c_void {
    let pointer = || {
        let handle = value(h)?;
        if let Some(data) = custom_device::data(handle) {
            return Ok(data);
        }
        check_plain(handle.dtype())?;
        ensure!(
            !handle.is_remote()?,
            Unimplemented,
            "{} has memory of its own, in which there are no addresses",
            handle.device_name()
        );
        Ok(handle.tensor()?.data_ptr().cast())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null_mut(), pointer) }
}

/// The bytes of the elements; 0 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDeviceMemorySize(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> usize {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, 0, || Ok(value(h)?.tensor()?.byte_size())) }
}

/// The type of the device of the op that made the value.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDeviceType(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> *const c_char {
    let name = || Ok(value(h)?.device_name().device_type_c_str().as_ptr());
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, null(), name) }
}

/// Its number; -1 after an error.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDeviceID(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> c_int {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, -1, || Ok(value(h)?.device_name().id() as c_int)) }
}

/// The error of the op that was to make the value, if it has failed by now.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleGetStatus(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), || value(h)?.error().map_or(Ok(()), Err)) }
}
