//! What the library says of itself (`c_api.h`): its version and its ops.
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_char;

use tfe_ops::OpRegistry;

use crate::TF_Buffer;
use crate::guard::shield;

/// The version of TensorFlow whose API this is.
#[unsafe(no_mangle)]
pub extern "C" fn TF_Version() -> *const c_char {
    c"2.21.0".as_ptr()
}

/// TensorFlow's ops, as an encoded `OpList`.
#[unsafe(no_mangle)]
pub extern "C" fn TF_GetAllOpList() -> Option<Box<TF_Buffer>> {
    shield(None, || {
        TF_Buffer::of(&OpRegistry::new().op_list_bytes()).map(Some)
    })
}
