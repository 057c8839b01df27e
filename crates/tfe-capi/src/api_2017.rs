//! The 13 functions whose form or behaviour was another in 2017 (`eager/c_api_2017.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_int, c_uchar};
use std::ptr::null;

use tfe_core::{Result, bail, ensure, err};
use tfe_eager::{AttrValue, PlacementPolicy, TensorHandle};

use crate::attrs::set;
use crate::execute::Results;
use crate::guard::{as_mut, c_str, given, guard, shield, slice, text};
use crate::handle::{dim, value};
use crate::op::{NO_ATTR_TYPE, device_text};
use crate::{
    TF_AttrType, TF_SessionOptions, TF_Status, TF_Tensor, TFE_Context, TFE_Op, TFE_TensorHandle,
};

/// A new context; of the options the configuration counts.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewContext_2017(
    opts: Option<&TF_SessionOptions>,
    status: *mut TF_Status,
) -> Option<Box<TFE_Context>> {
    let make = || {
        let options = given(opts, "opts")?;
        ensure!(
            options.target.is_empty(),
            InvalidArgument,
            "a context is in this process: there is no remote runtime at '{}'",
            options.target
        );
        TFE_Context::new(&options.config, PlacementPolicy::default()).map(Some)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, make) }
}

/// Deletes a context.
///
/// # Safety
/// As [the crate](crate#safety) says; no op of the context is left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteContext_2017(
    ctx: Option<Box<TFE_Context>>,
    status: *mut TF_Status,
) {
    let delete = || {
        drop(ctx);
        Ok(())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), delete) }
}

/// A handle to the value of a tensor.
///
/// # Safety
/// As [the crate](crate#safety) says; the elements of `t` were written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_NewTensorHandle_2017(
    t: Option<&TF_Tensor>,
) -> Option<Box<TFE_TensorHandle>> {
    shield(None, || {
        Ok(Some(
            TensorHandle::new(given(t, "t")?.tensor().clone()).into(),
        ))
    })
}

/// The number of dimensions; -1 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleNumDims_2017(h: Option<&TFE_TensorHandle>) -> c_int {
    shield(-1, || Ok(value(h)?.dims()?.len() as c_int))
}

/// The length of a dimension; -1 when there is none.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDim_2017(
    h: Option<&TFE_TensorHandle>,
    dim_index: c_int,
) -> i64 {
    shield(-1, || dim(h, dim_index))
}

/// The device of the op that made the value; null for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleDeviceName_2017(
    h: Option<&TFE_TensorHandle>,
) -> *const c_char {
    h.map_or(null(), |h| h.0.device_name().as_c_str().as_ptr())
}

/// The value, which must be in host memory.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleResolve_2017(
    h: Option<&TFE_TensorHandle>,
    status: *mut TF_Status,
) -> Option<Box<TF_Tensor>> {
    let resolve = || {
        let handle = value(h)?;
        ensure!(
            !handle.is_remote()?,
            Unimplemented,
            "a handle can be resolved on the CPU only, and this one is on {}: copy it there with \
             TFE_TensorHandleCopyToDevice",
            handle.device_name()
        );
        Ok(Some(Box::new(handle.to_tensor()?.into())))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, resolve) }
}

/// A copy of the value on a device.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_TensorHandleCopyToDevice_2017(
    h: Option<&TFE_TensorHandle>,
    ctx: Option<&TFE_Context>,
    device_name: *const c_char,
    status: *mut TF_Status,
) -> Option<Box<TFE_TensorHandle>> {
    // SAFETY: null or a C string.
    let device = unsafe { text(device_name, "device_name") };
    let copy = || {
        let from = value(h)?;
        let there = from.copy_to(&given(ctx, "ctx")?.context, &device?)?;
        let is_shared = there.tensor()?.buffer().same(from.tensor()?.buffer());
        let copy = if is_shared { there.deep_copy()? } else { there };
        Ok(Some(copy.into()))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, copy) }
}

/// Asks for a device of the op's context.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetDevice_2017(
    op: Option<&mut TFE_Op>,
    ctx: *mut TFE_Context,
    device_name: *const c_char,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let device = unsafe { device_text(device_name) };
    let set = || {
        let op = given(op, "op")?;
        ensure!(
            op.context() == ctx,
            InvalidArgument,
            "ctx is not the context of the op"
        );
        op.op.set_device(&device)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), set) }
}

/// The kind of an attr of a primitive op.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetAttrType_2017(
    op: Option<&TFE_Op>,
    attr_name: *const c_char,
    is_list: *mut c_uchar,
    status: *mut TF_Status,
) -> TF_AttrType {
    // SAFETY: null or a C string.
    let name = unsafe { text(attr_name, "attr_name") };
    let kind = || {
        let op = &given(op, "op")?.op;
        if op.is_function() {
            bail!(
                Unimplemented,
                "the attrs of functions cannot be asked for in the API of 2017"
            );
        }
        let (kind, list) = op.attr_type(&name?)?;
        // SAFETY: null or a byte of the caller's.
        *unsafe { as_mut(is_list, "is_list") }? = list.into();
        Ok(kind as TF_AttrType)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, NO_ATTR_TYPE, kind) }
}

/// Sets a string, which ends at its first zero byte.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrString_2017(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: *const c_char,
) {
    // SAFETY: null or a C string.
    let value = unsafe { c_str(value, "value") };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || Ok(value?.to_bytes())) }
}

/// Sets a list of strings, each of which ends at its first zero byte.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrStringList_2017(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: *const *const c_char,
    num_values: c_int,
) {
    // SAFETY: an array, says the caller.
    let values = unsafe { slice(value, num_values, "value") };
    let list = || {
        let strings = values?.iter().map(|&string| {
            // SAFETY: null or a C string.
            let string = unsafe { c_str(string, "value") };
            Ok(string?.to_bytes().into())
        });
        Ok(AttrValue::Strings(strings.collect::<Result<_>>()?))
    };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, list) }
}

/// Runs an op, which keeps its inputs; gives as many results as there is room for.
///
/// # Safety
/// As [the crate](crate#safety) says; `retvals` leads to room for `*num_retvals` handles or all results of the op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_Execute_2017(
    op: Option<&mut TFE_Op>,
    retvals: *mut *mut TFE_TensorHandle,
    num_retvals: *mut c_int,
    status: *mut TF_Status,
) {
    // SAFETY: the caller's array and number.
    let results = unsafe { Results::new(retvals, num_retvals) };
    let execute = || {
        let room = results.room()?;
        let room =
            usize::try_from(room).map_err(|_| err!(InvalidArgument, "*num_retvals is {room}"))?;
        ensure!(
            room == 0 || !retvals.is_null(),
            InvalidArgument,
            "retvals is NULL"
        );
        let op = given(op, "op")?;
        op.check_cancelled()?;
        let outputs = op.op.execute_again()?;
        results.accept(outputs.len().min(room))?;
        outputs.into_iter().for_each(|output| results.give(output));
        Ok(())
    };
    // SAFETY: null or a status of the caller's. A call that fails accepted no results: nothing is written.
    unsafe { guard(status, (), execute) };
}
