//! Data types as C passes them (`tf_datatype.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_int;

use tfe_core::{DataType, Result, err};

/// The number of a [`DataType`] as C passes it: any number.
pub type TF_DataType = c_int;

/// The data type of a number.
pub(crate) fn data_type(number: TF_DataType) -> Result<DataType> {
    DataType::from_number(number).ok_or_else(|| err!(InvalidArgument, "{number} is no data type"))
}

/// Bytes of an element that is plain bytes; 0 for others, and for what is no type.
#[unsafe(no_mangle)]
pub extern "C" fn TF_DataTypeSize(dt: TF_DataType) -> usize {
    match DataType::from_number(dt) {
        Some(dtype) if dtype.is_plain() => dtype.size(),
        _ => 0,
    }
}
