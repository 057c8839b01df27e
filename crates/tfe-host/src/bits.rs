//! Types taken for one another by their bits, so that there is one loop for all of a width.

use tfe_core::{DataType, Result, Tensor};

/// The unsigned type for a signed one, whose sums, differences and products have the same bits; other types are their
/// own.
pub fn unsigned(dtype: DataType) -> DataType {
    match dtype {
        DataType::Int8 => DataType::Uint8,
        DataType::Int16 => DataType::Uint16,
        DataType::Int32 => DataType::Uint32,
        DataType::Int64 => DataType::Uint64,
        other => other,
    }
}

/// The type that stands for all plain ones of its width.
pub fn of_width(dtype: DataType) -> DataType {
    match dtype.size() {
        1 => DataType::Uint8,
        2 => DataType::Uint16,
        4 => DataType::Uint32,
        8 => DataType::Uint64,
        _ => DataType::Complex128,
    }
}

/// The tensor as one of another type of the same width, in the same memory, of which it remains the only owner if it was.
///
/// # Errors
/// `InvalidArgument` when the widths differ.
pub fn taken_for(tensor: Tensor, dtype: DataType) -> Result<Tensor> {
    if tensor.dtype() == dtype {
        return Ok(tensor);
    }
    tensor.bitcast(dtype)
}
