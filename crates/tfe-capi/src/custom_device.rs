//! `TFE_CustomDevice` (`eager/c_api_experimental.h`): devices that a program makes of functions of its own.
#![expect(unsafe_code, reason = "exported to C, and calls functions of C")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use tfe_core::{Error, Result, ensure, err};
use tfe_eager::{CustomDevice, CustomPlace, CustomTensor, Op, Outputs, TensorHandle};

use crate::datatype::data_type;
use crate::guard::{as_mut, as_ref, given, guard, shield, slice, text};
use crate::handle::value;
use crate::{
    TF_Buffer, TF_DataType, TF_DeleteBuffer, TF_Status, TFE_Context, TFE_Op, TFE_TensorHandle,
};

/// The most results of an op that a device can be asked for: so many places are made for them.
const MOST_RESULTS: usize = 1 << 16;

/// A device as functions of C. All but the last two must be there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TFE_CustomDevice {
    version: c_int,
    copy_tensor_to_device: Option<
        unsafe extern "C" fn(
            *mut TFE_Context,
            *mut TFE_TensorHandle,
            *mut TF_Status,
            *mut c_void,
        ) -> *mut TFE_TensorHandle,
    >,
    copy_tensor_from_device: Option<
        unsafe extern "C" fn(
            *mut TFE_Context,
            *mut TFE_TensorHandle,
            *const c_char,
            *mut TF_Status,
            *mut c_void,
        ) -> *mut TFE_TensorHandle,
    >,
    execute: Option<
        unsafe extern "C" fn(
            *const TFE_Op,
            *mut c_int,
            *mut *mut TFE_TensorHandle,
            *mut TF_Status,
            *mut c_void,
        ),
    >,
    delete_device: Option<unsafe extern "C" fn(*mut c_void)>,
    pack: Option<
        unsafe extern "C" fn(
            *mut TFE_Context,
            *mut *mut TFE_TensorHandle,
            c_int,
            *mut TF_Status,
            *mut c_void,
        ) -> *mut TFE_TensorHandle,
    >,
    shall_pin_to_this_device: Option<unsafe extern "C" fn(*const TFE_Op, *mut TF_Status) -> bool>,
}

/// How the value of a handle on such a device is asked for. All functions but the last must be there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TFE_CustomDeviceTensorHandle {
    version: c_int,
    num_dims: Option<unsafe extern "C" fn(*mut c_void, *mut TF_Status) -> c_int>,
    dim: Option<unsafe extern "C" fn(*mut c_void, c_int, *mut TF_Status) -> i64>,
    deallocator: Option<unsafe extern "C" fn(*mut c_void)>,
    summarize: Option<unsafe extern "C" fn(*mut c_void, *mut TF_Status) -> *mut TF_Buffer>,
}

/// Calls a function of C with a status, and gives what it returned, or the error that it left.
fn with_status<T>(call: impl FnOnce(*mut TF_Status) -> T) -> Result<T> {
    let mut status = TF_Status::new();
    let returned = call(&raw mut status);
    status.to_result().map(|()| returned)
}

#[cold]
fn is_missing(what: &str) -> Error {
    err!(InvalidArgument, "{what} is NULL")
}

/// Handles that are lent to a function of C.
struct Lent(Vec<*mut TFE_TensorHandle>);

impl Lent {
    fn new<'h>(handles: impl IntoIterator<Item = &'h TensorHandle>) -> Self {
        let lend = |handle: &TensorHandle| Box::into_raw(handle.clone().into());
        Self(handles.into_iter().map(lend).collect())
    }

    /// The handle that the function gave, which may be one of those.
    ///
    /// # Safety
    /// `given` is null, or one of those, or a handle that is the library's from now on.
    unsafe fn take(self, given: *mut TFE_TensorHandle, what: &str) -> Result<TensorHandle> {
        // SAFETY: null or a live handle, says the caller; those that were lent are live.
        let handle = unsafe { given.as_ref() }.map(|handle| handle.0.clone());
        if !given.is_null() && !self.0.contains(&given) {
            // SAFETY: it is the library's, says the caller.
            drop(unsafe { Box::from_raw(given) });
        }
        handle.ok_or_else(|| err!(Internal, "{what} of a custom device gave no handle"))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        for &handle in &self.0 {
            // SAFETY: `new` made it, and what it was lent to has returned.
            drop(unsafe { Box::from_raw(handle) });
        }
    }
}

/// A device of C. When it is dropped, `delete_device` is called.
struct Device {
    functions: TFE_CustomDevice,
    info: *mut c_void,
    /// Shown to the functions. They are not called once the context is gone.
    ctx: *mut TFE_Context,
}

// SAFETY: the header says that any thread may call the functions; the pointers are handed on to them.
unsafe impl Send for Device {}
// SAFETY: likewise, and several threads at a time.
unsafe impl Sync for Device {}

impl Device {
    /// What must be there is there.
    fn check(&self) -> Result<()> {
        let functions = &self.functions;
        let required = [
            (
                "copy_tensor_to_device",
                functions.copy_tensor_to_device.is_some(),
            ),
            (
                "copy_tensor_from_device",
                functions.copy_tensor_from_device.is_some(),
            ),
            ("execute", functions.execute.is_some()),
            ("delete_device", functions.delete_device.is_some()),
        ];
        for (name, is_there) in required {
            ensure!(is_there, InvalidArgument, "{name} is NULL");
        }
        Ok(())
    }

    /// The call as C sees it.
    fn show(&self, op: &Op) -> Box<TFE_Op> {
        Box::new(TFE_Op::of(op.clone(), self.ctx))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Some(delete) = self.functions.delete_device {
            // SAFETY: called as the header says: once, when no other function of the device runs or will.
            unsafe { delete(self.info) };
        }
    }
}

impl CustomDevice for Device {
    fn copy_to_device(&self, _: &CustomPlace, value: &TensorHandle) -> Result<TensorHandle> {
        let copy = self.functions.copy_tensor_to_device;
        let copy = copy.ok_or_else(|| is_missing("copy_tensor_to_device"))?;
        let lent = Lent::new([value]);
        // SAFETY: called as the header says.
        let got = with_status(|status| unsafe { copy(self.ctx, lent.0[0], status, self.info) })?;
        // SAFETY: a handle that the function gives away.
        unsafe { lent.take(got, "copy_tensor_to_device") }
    }

    fn copy_from_device(
        &self,
        _: &CustomPlace,
        value: &TensorHandle,
        target: &str,
    ) -> Result<TensorHandle> {
        let copy = self.functions.copy_tensor_from_device;
        let copy = copy.ok_or_else(|| is_missing("copy_tensor_from_device"))?;
        let target = CString::new(target)
            .map_err(|_| err!(InvalidArgument, "the name of a device has a zero byte"))?;
        let lent = Lent::new([value]);
        let got = with_status(|status| {
            // SAFETY: called as the header says.
            unsafe { copy(self.ctx, lent.0[0], target.as_ptr(), status, self.info) }
        })?;
        // SAFETY: a handle that the function gives away.
        unsafe { lent.take(got, "copy_tensor_from_device") }
    }

    fn execute(&self, _: &CustomPlace, op: &Op, room: usize) -> Result<Outputs> {
        let execute = self.functions.execute;
        let execute = execute.ok_or_else(|| is_missing("execute"))?;
        let room = room.min(MOST_RESULTS);
        let mut places = vec![null_mut(); room];
        let mut count = room as c_int;
        let mut shown = self.show(op);
        with_status(|status| {
            let (op, places) = ((&raw mut *shown).cast_const(), places.as_mut_ptr());
            // SAFETY: called as the header says; there is room for as many results as it is told.
            unsafe { execute(op, &raw mut count, places, status, self.info) }
        })?;
        let given = usize::try_from(count).unwrap_or(usize::MAX);
        places.truncate(given);
        let results = places.into_iter().map(|result| {
            // SAFETY: null or a handle that the function gives away.
            (!result.is_null()).then(|| unsafe { Box::from_raw(result) }.0)
        });
        let results: Vec<_> = results.collect();
        ensure!(
            given <= room,
            Internal,
            "a custom device gave {count} results of {}, where there is room for {room}",
            op.name()
        );
        let results = results.into_iter().collect::<Option<Outputs>>();
        results.ok_or_else(|| {
            err!(
                Internal,
                "a custom device gave {count} results of {}, and NULL for one",
                op.name()
            )
        })
    }

    fn shall_pin(&self, _: &CustomPlace, op: &Op) -> bool {
        let Some(shall_pin) = self.functions.shall_pin_to_this_device else {
            return op.requested_device().is_empty();
        };
        let mut shown = self.show(op);
        let mut status = TF_Status::new();
        // SAFETY: called as the header says. As in TensorFlow the answer counts, whatever the status says.
        unsafe { shall_pin((&raw mut *shown).cast_const(), &raw mut status) }
    }

    fn pack(&self, _: &CustomPlace, handles: &[TensorHandle]) -> Result<TensorHandle> {
        let Some(pack) = self.functions.pack else {
            return Err(err!(
                Unimplemented,
                "This custom device does not support packing tensors."
            ));
        };
        let lent = Lent::new(handles);
        // The function may write to its array.
        let mut shown = lent.0.clone();
        let got = with_status(|status| {
            let count = shown.len() as c_int;
            // SAFETY: called as the header says.
            unsafe { pack(self.ctx, shown.as_mut_ptr(), count, status, self.info) }
        })?;
        // SAFETY: a handle that the function gives away.
        unsafe { lent.take(got, "pack") }
    }
}

/// A value of such a device.
struct Value {
    methods: TFE_CustomDeviceTensorHandle,
    data: *mut c_void,
}

// SAFETY: the header says that any thread may call the methods; the pointer is handed on to them.
unsafe impl Send for Value {}
// SAFETY: likewise, and several threads at a time.
unsafe impl Sync for Value {}

impl Drop for Value {
    fn drop(&mut self) {
        if let Some(deallocator) = self.methods.deallocator {
            // SAFETY: called as the header says, once.
            unsafe { deallocator(self.data) };
        }
    }
}

impl CustomTensor for Value {
    fn rank(&self) -> Result<Option<usize>> {
        let num_dims = self.methods.num_dims;
        let num_dims = num_dims.ok_or_else(|| is_missing("num_dims"))?;
        // SAFETY: called as the header says.
        let rank = with_status(|status| unsafe { num_dims(self.data, status) })?;
        Ok(usize::try_from(rank).ok())
    }

    fn dim(&self, index: usize) -> Result<i64> {
        let dim = self.methods.dim;
        let dim = dim.ok_or_else(|| is_missing("dim"))?;
        let index = c_int::try_from(index)
            .map_err(|_| err!(InvalidArgument, "there is no dimension {index}"))?;
        // SAFETY: called as the header says.
        with_status(|status| unsafe { dim(self.data, index, status) })
    }

    fn summary(&self) -> Result<Option<String>> {
        let Some(summarize) = self.methods.summarize else {
            return Ok(None);
        };
        // SAFETY: called as the header says.
        let buffer = with_status(|status| unsafe { summarize(self.data, status) })?;
        if buffer.is_null() {
            return Ok(None);
        }
        // SAFETY: not null, so a buffer that the function gives away.
        let buffer = unsafe { Box::from_raw(buffer) };
        // SAFETY: the bytes are not changed before the buffer is deleted.
        let text = unsafe { buffer.bytes() }.map(|b| String::from_utf8_lossy(b).into_owned());
        // SAFETY: it is deleted as any buffer.
        unsafe { TF_DeleteBuffer(Some(buffer)) };
        text.map(Some)
    }
}

/// The pointer of a value on a device of C.
pub(crate) fn data(handle: &TensorHandle) -> Option<*mut c_void> {
    handle.custom_value::<Value>().map(|value| value.data)
}

/// Adds a device to a context.
///
/// # Safety
/// As [the crate](crate#safety) says; the functions of `device` do what the header says, and may be called as it says, until
/// `delete_device` was called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_RegisterCustomDevice(
    ctx: *mut TFE_Context,
    device: TFE_CustomDevice,
    device_name: *const c_char,
    device_info: *mut c_void,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(device_name, "device_name") };
    let register = || {
        // Made first, so that it is deleted in any case.
        let device = Device {
            functions: device,
            info: device_info,
            ctx,
        };
        device.check()?;
        // SAFETY: null or a context of the caller's.
        let context = unsafe { &as_ref(ctx, "ctx")?.context };
        context.register_custom_device(&name?, Arc::new(device))?;
        Ok(())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), register) }
}

/// Whether a name is that of a custom device.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_IsCustomDevice(
    ctx: Option<&TFE_Context>,
    device_name: *const c_char,
) -> bool {
    // SAFETY: null or a C string.
    let name = unsafe { text(device_name, "device_name") };
    shield(false, || {
        let context = &given(ctx, "ctx")?.context;
        Ok(context.find_custom_device(&name?).is_some())
    })
}

/// A handle to a value of a custom device.
///
/// # Safety
/// As [the crate](crate#safety) says; the functions of `methods` do what the header says, and may be called with `data` as
/// it says, until `deallocator` was called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewCustomDeviceTensorHandle(
    ctx: Option<&TFE_Context>,
    device_name: *const c_char,
    dtype: TF_DataType,
    data: *mut c_void,
    methods: TFE_CustomDeviceTensorHandle,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    // SAFETY: null or a C string.
    let name = unsafe { text(device_name, "device_name") };
    let make = || {
        // Made first, so that it is let go of in any case.
        let value = Box::new(Value { methods, data });
        given(methods.num_dims, "num_dims")?;
        given(methods.dim, "dim")?;
        given(methods.deallocator, "deallocator")?;
        let (name, context) = (name?, &given(ctx, "ctx")?.context);
        let place = context.find_custom_device(&name);
        let place = place.ok_or_else(|| err!(InvalidArgument, "{name} unknown device."))?;
        Ok(Some(place.handle(data_type(dtype)?, value).into()))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// One handle to several values, made by the custom device that one of them is on.
///
/// # Safety
/// As [the crate](crate#safety) says; `handles` leads to `*num_handles` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CreatePackedTensorHandle(
    ctx: Option<&TFE_Context>,
    handles: *const Option<&TFE_TensorHandle>,
    num_handles: *mut c_int,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    let pack = || {
        given(ctx, "ctx")?;
        // SAFETY: null or a number of the caller's.
        let count = *unsafe { as_mut(num_handles, "num_handles") }?;
        // SAFETY: an array, says the caller.
        let handles = unsafe { slice(handles, count, "handles") }?;
        let handles = handles.iter().map(|&handle| value(handle).cloned());
        let handles = handles.collect::<Result<Vec<_>>>()?;
        Ok(Some(TensorHandle::pack(&handles)?.into()))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, pack) }
}
