//! The attrs of a `TFE_Op` (`eager/c_api.h`): one setter a kind, and one for a list of that kind.
//!
//! Kinds and values are checked when the op is executed, as most setters have no status; names that the op does not have
//! are ignored, as in TensorFlow. Setters do nothing where op or name is null, or a value cannot be read.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_int, c_uchar, c_void};

use tfe_core::{MAX_RANK, PartialShape, Result, ensure};
use tfe_eager::{AttrValue, FuncAttr};

use crate::guard::{as_ref, given, guard, shield, slice, text};
use crate::{TF_DataType, TF_Status, TF_Tensor, TFE_Op};

/// Sets an attr if there are an op, a name and a value.
///
/// # Safety
/// `attr_name` is null or a C string.
#[inline]
pub(crate) unsafe fn set<V: Into<AttrValue>>(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: impl FnOnce() -> Result<V>,
) {
    // SAFETY: the caller's promise.
    let name = unsafe { text(attr_name, "attr_name") };
    shield((), || {
        given(op, "op")?.op.set_attr(&name?, value()?);
        Ok(())
    });
}

/// [`set`] with a status, for values that are checked at once. `value` is given the name.
///
/// # Safety
/// `attr_name` is null or a C string, `status` null or a status of the caller's.
unsafe fn set_or_say<V: Into<AttrValue>>(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    status: *mut TF_Status,
    value: impl FnOnce(&str) -> Result<V>,
) {
    // SAFETY: the caller's promise.
    let name = unsafe { text(attr_name, "attr_name") };
    let set = || {
        let name = name?;
        given(op, "op")?.op.set_attr(&name, value(&name)?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { guard(status, (), set) }
}

/// A shape of the caller's: `num_dims` below 0 is an unknown rank.
///
/// # Safety
/// `dims` is null or leads to `num_dims` numbers.
unsafe fn shape(name: &str, dims: *const i64, num_dims: c_int) -> Result<PartialShape> {
    let Ok(rank) = usize::try_from(num_dims) else {
        return Ok(PartialShape::unknown());
    };
    ensure!(
        rank <= MAX_RANK,
        InvalidArgument,
        "Value specified for `{name}` has {rank} dimensions which is over the limit of {MAX_RANK}."
    );
    // SAFETY: the caller's promise.
    Ok(PartialShape::of(unsafe { slice(dims, rank, "dims") }?))
}

/// A function of an op's name, with the attrs that are set on the op.
fn function(op: &TFE_Op) -> FuncAttr {
    let op = &op.op;
    op.attrs()
        .set_values()
        .fold(FuncAttr::new(op.name()), |function, (name, value)| {
            function.with(name, value.clone())
        })
}

/// Sets a string.
///
/// # Safety
/// As [the crate](crate#safety) says; `value` leads to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrString(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: *const c_void,
    length: usize,
) {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(value.cast::<u8>(), length, "value") };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || bytes) }
}

/// Sets an integer.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrInt(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: i64,
) {
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || Ok(value)) }
}

/// Sets a float.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrFloat(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: f32,
) {
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || Ok(value)) }
}

/// Sets a truth value.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrBool(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: c_uchar,
) {
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || Ok(value != 0)) }
}

/// Sets a data type.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrType(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    value: TF_DataType,
) {
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || Ok(AttrValue::Type(value))) }
}

/// Sets a shape.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrShape(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    dims: *const i64,
    num_dims: c_int,
    out_status: *mut TF_Status,
) {
    let value = |name: &str| {
        // SAFETY: an array, says the caller.
        unsafe { shape(name, dims, num_dims) }
    };
    // SAFETY: null or a C string, null or a status of the caller's.
    unsafe { set_or_say(op, attr_name, out_status, value) }
}

/// Sets a function with attrs.
///
/// # Safety
/// As [the crate](crate#safety) says; `value` may be `op`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrFunction(
    op: *mut TFE_Op,
    attr_name: *const c_char,
    value: *const TFE_Op,
) {
    // SAFETY: null or an op.
    let value = unsafe { as_ref(value, "value") };
    let value = shield(None, || Ok(Some(function(value?))));
    // SAFETY: null or an op that nobody else uses: what was read from `value` is a copy.
    let op = unsafe { op.as_mut() };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || given(value, "value")) }
}

/// Sets a function without attrs.
///
/// # Safety
/// As [the crate](crate#safety) says; `data` leads to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrFunctionName(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    data: *const c_char,
    length: usize,
) {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(data.cast::<u8>(), length, "data") };
    let value = || Ok(FuncAttr::new(&String::from_utf8_lossy(bytes?)));
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, value) }
}

/// Sets a tensor.
///
/// # Safety
/// As [the crate](crate#safety) says; the elements of `tensor` were written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrTensor(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    tensor: Option<&TF_Tensor>,
    status: *mut TF_Status,
) {
    let value = |_: &str| given(tensor, "tensor")?.tensor().deep_copy();
    // SAFETY: null or a C string, null or a status of the caller's.
    unsafe { set_or_say(op, attr_name, status, value) }
}

/// Sets a list of strings.
///
/// # Safety
/// As [the crate](crate#safety) says; each of `values` leads to as many bytes as `lengths` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrStringList(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    values: *const *const c_void,
    lengths: *const usize,
    num_values: c_int,
) {
    // SAFETY: an array, says the caller.
    let values = unsafe { slice(values, num_values, "values") };
    // SAFETY: an array, says the caller.
    let lengths = unsafe { slice(lengths, num_values, "lengths") };
    let list = || {
        let strings = values?.iter().zip(lengths?).map(|(&bytes, &length)| {
            // SAFETY: an array of bytes, says the caller.
            let bytes = unsafe { slice(bytes.cast::<u8>(), length, "value") };
            Ok(bytes?.into())
        });
        Ok(AttrValue::Strings(strings.collect::<Result<_>>()?))
    };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, list) }
}

/// Sets a list of integers.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrIntList(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    values: *const i64,
    num_values: c_int,
) {
    // SAFETY: an array, says the caller.
    let values = unsafe { slice(values, num_values, "values") };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || values) }
}

/// Sets a list of floats.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrFloatList(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    values: *const f32,
    num_values: c_int,
) {
    // SAFETY: an array, says the caller.
    let values = unsafe { slice(values, num_values, "values") };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || values) }
}

/// Sets a list of truth values.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrBoolList(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    values: *const c_uchar,
    num_values: c_int,
) {
    // SAFETY: an array, says the caller.
    let values = unsafe { slice(values, num_values, "values") };
    let list = || Ok(values?.iter().map(|&v| v != 0).collect::<Vec<_>>());
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, list) }
}

/// Sets a list of data types.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrTypeList(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    values: *const TF_DataType,
    num_values: c_int,
) {
    // SAFETY: an array, says the caller.
    let values = unsafe { slice(values, num_values, "values") };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || Ok(AttrValue::Types(values?.into()))) }
}

/// Sets a list of shapes.
///
/// # Safety
/// As [the crate](crate#safety) says; each of `dims` leads to as many numbers as `num_dims` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrShapeList(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    dims: *const *const i64,
    num_dims: *const c_int,
    num_values: c_int,
    out_status: *mut TF_Status,
) {
    // SAFETY: an array, says the caller.
    let dims = unsafe { slice(dims, num_values, "dims") };
    // SAFETY: an array, says the caller.
    let ranks = unsafe { slice(num_dims, num_values, "num_dims") };
    let list = |name: &str| {
        let shapes = dims?.iter().zip(ranks?).map(|(&dims, &rank)| {
            // SAFETY: an array, says the caller.
            unsafe { shape(name, dims, rank) }
        });
        shapes.collect::<Result<Vec<_>>>()
    };
    // SAFETY: null or a C string, null or a status of the caller's.
    unsafe { set_or_say(op, attr_name, out_status, list) }
}

/// Sets a list of functions with attrs.
///
/// # Safety
/// As [the crate](crate#safety) says; `op` may be among `value`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrFunctionList(
    op: *mut TFE_Op,
    attr_name: *const c_char,
    value: *const *const TFE_Op,
    num_values: c_int,
) {
    // SAFETY: an array, says the caller.
    let ops = unsafe { slice(value, num_values, "value") };
    let list = shield(None, || {
        let functions = ops?.iter().map(|&op| {
            // SAFETY: null or an op.
            unsafe { as_ref(op, "value") }.map(function)
        });
        Ok(Some(functions.collect::<Result<Vec<_>>>()?))
    });
    // SAFETY: null or an op that nobody else uses: what was read from `value` are copies.
    let op = unsafe { op.as_mut() };
    // SAFETY: null or a C string.
    unsafe { set(op, attr_name, || given(list, "value")) }
}
