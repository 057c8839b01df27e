//! `TF_Function` (`c_api.h`): the definition of a function; and the functions of a context (`eager/c_api.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_uchar, c_void};
use std::ptr::null;
use std::sync::Arc;

use tfe_core::{Result, bail, ensure, err};
use tfe_eager::Function;
use tfe_proto::Message as _;
use tfe_proto::tensorflow::{FunctionDef, FunctionDefLibrary};

use crate::guard::{given, guard, shield, slice, text};
use crate::op_attrs::parse_attr_value;
use crate::{TF_Buffer, TF_Status, TFE_Context};

/// The definition of a function, on its own.
#[derive(Debug)]
pub struct TF_Function {
    /// The encoded `FunctionDef` as it came, with fields that we may not know.
    bytes: Vec<u8>,
    name: CString,
}

impl TF_Function {
    fn new(bytes: &[u8], name: &str) -> Box<Self> {
        Box::new(Self {
            bytes: bytes.to_vec(),
            name: CString::new(name).unwrap_or_default(),
        })
    }

    fn def(&self) -> Result<FunctionDef> {
        FunctionDef::decode(&self.bytes[..])
            .map_err(|_| err!(Internal, "the definition cannot be read any more"))
    }
}

/// A definition from its message.
///
/// # Safety
/// As [the crate](crate#safety) says; `proto` leads to `proto_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_FunctionImportFunctionDef(
    proto: *const c_void,
    proto_len: usize,
    status: *mut TF_Status,
) -> Option<Box<TF_Function>> {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(proto.cast::<u8>(), proto_len, "proto") };
    let import = || {
        let bytes = bytes?;
        let def = FunctionDef::decode(bytes).map_err(|_| {
            err!(
                InvalidArgument,
                "Invalid FunctionDef given to TF_FunctionImportFunctionDef"
            )
        })?;
        let signature = def.signature.unwrap_or_default();
        Ok(Some(TF_Function::new(bytes, &signature.name)))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, import) }
}

/// Deletes a definition.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeleteFunction(func: Option<Box<TF_Function>>) {
    drop(func);
}

/// The name; null for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_FunctionName(func: Option<&TF_Function>) -> *const c_char {
    func.map_or(null(), |func| func.name.as_ptr())
}

/// Writes the message.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_FunctionToFunctionDef(
    func: Option<&TF_Function>,
    output_func_def: Option<&mut TF_Buffer>,
    status: *mut TF_Status,
) {
    let write = || {
        let bytes = &given(func, "func")?.bytes;
        given(output_func_def, "output_func_def")?.fill(bytes)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), write) }
}

/// Sets an attr of the function.
///
/// # Safety
/// As [the crate](crate#safety) says; `proto` leads to `proto_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_FunctionSetAttrValueProto(
    func: Option<&mut TF_Function>,
    attr_name: *const c_char,
    proto: *const c_void,
    proto_len: usize,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(attr_name, "attr_name") };
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(proto.cast::<u8>(), proto_len, "proto") };
    let set = || {
        let value = parse_attr_value(bytes?)?;
        let more = FunctionDef {
            attr: BTreeMap::from([(name?.into_owned(), value)]),
            ..FunctionDef::default()
        };
        // Of two messages after each other the later one's attrs count: what else is there stays as it came.
        let func = given(func, "func")?;
        more.encode(&mut func.bytes)
            .map_err(|e| err!(Internal, "{e}"))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), set) }
}

/// Writes the message of an attr of the function.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_FunctionGetAttrValueProto(
    func: Option<&TF_Function>,
    attr_name: *const c_char,
    output_attr_value: Option<&mut TF_Buffer>,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(attr_name, "attr_name") };
    let write = || {
        let (func, name) = (given(func, "func")?, name?);
        let def = func.def()?;
        let Some(value) = def.attr.get(&*name) else {
            bail!(
                InvalidArgument,
                "Function '{}' has no attr named '{name}'.",
                func.name.to_string_lossy()
            );
        };
        given(output_attr_value, "output_attr_value")?.fill(&value.encode_to_vec())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), write) }
}

/// A function of a context.
fn find(ctx: Option<&TFE_Context>, name: &str) -> Result<Arc<Function>> {
    let function = given(ctx, "ctx")?.context.functions().find(name);
    function.ok_or_else(|| err!(NotFound, "Unable to find Function with name: {name}"))
}

/// Adds an encoded `FunctionDef` to a context.
fn add(ctx: &TFE_Context, bytes: &[u8]) -> Result<()> {
    let functions = functions_of_library(bytes);
    ensure!(
        functions == 0,
        InvalidArgument,
        "Invalid FunctionDef proto: the bytes look like a FunctionDefLibrary of {functions} functions; add each of \
         them, its field 1, by a call of its own"
    );
    ctx.context.add_function_bytes(bytes)
}

/// How many functions a `FunctionDefLibrary` has; 0 for other bytes. It may decode as a `FunctionDef`, whose name is
/// then the message of a signature and begins with a byte that no name has.
fn functions_of_library(bytes: &[u8]) -> usize {
    let signature = first_field(bytes).and_then(first_field);
    if signature.and_then(first_field).is_none() {
        return 0;
    }
    FunctionDefLibrary::decode(bytes).map_or(0, |library| library.function.len())
}

/// What follows the length of field 1, if a message begins with that.
fn first_field(message: &[u8]) -> Option<&[u8]> {
    let length = message.strip_prefix(&[1 << 3 | 2])?;
    let end = length.iter().position(|byte| byte & 0x80 == 0)?;
    length.get(end + 1..)
}

/// Adds a definition to a context.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextAddFunction(
    ctx: Option<&TFE_Context>,
    function: Option<&TF_Function>,
    status: *mut TF_Status,
) {
    let add = || add(given(ctx, "ctx")?, &given(function, "function")?.bytes);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), add) }
}

/// The definition of a context's function.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextGetFunction(
    ctx: Option<&TFE_Context>,
    name: *const c_char,
    status: *mut TF_Status,
) -> Option<Box<TF_Function>> {
    // SAFETY: null or a C string.
    let name = unsafe { text(name, "name") };
    let get = || {
        let function = find(ctx, &name?)?;
        Ok(Some(TF_Function::new(function.bytes(), function.name())))
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, None, get) }
}

/// The message of a context's function.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextGetFunctionDef(
    ctx: Option<&TFE_Context>,
    function_name: *const c_char,
    buf: Option<&mut TF_Buffer>,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(function_name, "function_name") };
    let get = || {
        let function = find(ctx, &name?)?;
        // SAFETY: a buffer of the caller's, whose deallocator frees what it holds.
        unsafe { given(buf, "buf")?.replace(function.bytes()) }
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), get) }
}

/// Where the nodes of a context's function were made, which nobody says.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextGetGraphDebugInfo(
    ctx: Option<&TFE_Context>,
    function_name: *const c_char,
    buf: Option<&mut TF_Buffer>,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(function_name, "function_name") };
    let get = || {
        find(ctx, &name?)?;
        given(buf, "buf")?.fill(b"")
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), get) }
}

/// Adds a serialized `FunctionDef`.
///
/// # Safety
/// As [the crate](crate#safety) says; `serialized_function_def` leads to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextAddFunctionDef(
    ctx: Option<&TFE_Context>,
    serialized_function_def: *const c_char,
    size: usize,
    status: *mut TF_Status,
) {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe {
        slice(
            serialized_function_def.cast::<u8>(),
            size,
            "serialized_function_def",
        )
    };
    let add = || add(given(ctx, "ctx")?, bytes?);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), add) }
}

/// Removes a function.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextRemoveFunction(
    ctx: Option<&TFE_Context>,
    name: *const c_char,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(name, "name") };
    let remove = || given(ctx, "ctx")?.context.remove_function(&name?);
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), remove) }
}

/// Whether there is a function of that name.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextHasFunction(
    ctx: Option<&TFE_Context>,
    name: *const c_char,
) -> c_uchar {
    // SAFETY: null or a C string.
    let name = unsafe { text(name, "name") };
    shield(false, || {
        Ok(given(ctx, "ctx")?.context.has_function(&name?))
    })
    .into()
}
