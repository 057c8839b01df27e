//! `TF_SessionOptions` (`c_api.h`): how the API of 2017 sets up a context.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::{c_char, c_void};

use tfe_core::{Result, err};
use tfe_proto::Message as _;
use tfe_proto::tensorflow::ConfigProto;

use crate::TF_Status;
use crate::guard::{given, guard, shield, slice, text};

/// Target and configuration.
#[derive(Debug, Default)]
pub struct TF_SessionOptions {
    pub(crate) target: String,
    pub(crate) config: ConfigProto,
}

/// Reads a serialized `ConfigProto`.
pub(crate) fn parse_config(bytes: &[u8]) -> Result<ConfigProto> {
    ConfigProto::decode(bytes).map_err(|_| err!(InvalidArgument, "Unparseable ConfigProto"))
}

/// New options: no target, nothing configured.
#[unsafe(no_mangle)]
pub extern "C" fn TF_NewSessionOptions() -> Option<Box<TF_SessionOptions>> {
    Some(Box::default())
}

/// Sets the address of a remote runtime.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_SetTarget(
    options: Option<&mut TF_SessionOptions>,
    target: *const c_char,
) {
    // SAFETY: null or a C string.
    let target = unsafe { text(target, "target") };
    shield((), || {
        given(options, "options")?.target = target?.into_owned();
        Ok(())
    });
}

/// Sets the configuration.
///
/// # Safety
/// As [the crate](crate#safety) says; `proto` leads to `proto_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_SetConfig(
    options: Option<&mut TF_SessionOptions>,
    proto: *const c_void,
    proto_len: usize,
    status: *mut TF_Status,
) {
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(proto.cast::<u8>(), proto_len, "proto") };
    let set = || {
        given(options, "options")?.config = parse_config(bytes?)?;
        Ok(())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), set) }
}

/// Deletes options.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TF_DeleteSessionOptions(options: Option<Box<TF_SessionOptions>>) {
    drop(options);
}
