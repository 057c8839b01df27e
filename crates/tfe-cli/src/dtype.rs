//! Data types as the shell spells them: as NumPy and TensorFlow's Python API do.

use tfe_eager::{DTypeSet, DataType, did_you_mean};

/// The name that is printed: `float32`.
pub(crate) fn name(dtype: DataType) -> &'static str {
    match dtype {
        DataType::Half => "float16",
        DataType::Float => "float32",
        DataType::Double => "float64",
        other => other.name(),
    }
}

/// The data type of a name: `float32`, and `float` and `DT_FLOAT` as TensorFlow's messages have it.
pub(crate) fn parse(text: &str) -> Result<DataType, String> {
    let named = || DataType::ALL.iter().copied().find(|&d| name(d) == text);
    DataType::from_name(text).or_else(named).ok_or_else(|| {
        let names = DataType::ALL.iter().map(|&d| name(d));
        format!(
            "there is no data type '{text}'{}",
            did_you_mean(text, names)
        )
    })
}

/// The names of a set: `float32, float64`.
pub(crate) fn names(set: DTypeSet) -> String {
    let names: Vec<_> = set.iter().map(name).collect();
    names.join(", ")
}

/// The types that have a name but no numbers to write: their literals are bit patterns, `0x3c`.
pub(crate) const PATTERNS: DTypeSet = DTypeSet::of(&[
    DataType::Float8E5m2,
    DataType::Float8E4m3fn,
    DataType::Float8E4m3fnuz,
    DataType::Float8E4m3b11fnuz,
    DataType::Float8E5m2fnuz,
    DataType::Float4E2m1fn,
]);

/// The type with a Rust type whose bytes the elements are: quantised integers are integers.
pub(crate) fn stored(dtype: DataType) -> DataType {
    match dtype {
        DataType::Qint8 => DataType::Int8,
        DataType::Quint8 => DataType::Uint8,
        DataType::Qint16 => DataType::Int16,
        DataType::Quint16 => DataType::Uint16,
        DataType::Qint32 => DataType::Int32,
        _ if PATTERNS.contains(dtype) || bits(dtype).is_some() => DataType::Uint8,
        other => other,
    }
}

/// How many bits of its byte an element of a narrow integer type takes: the lower ones; the others are zero.
pub(crate) fn bits(dtype: DataType) -> Option<u32> {
    match dtype {
        DataType::Int2 | DataType::Uint2 => Some(2),
        DataType::Int4 | DataType::Uint4 => Some(4),
        _ => None,
    }
}

/// The integer that a byte of a narrow type stands for.
pub(crate) fn narrow(dtype: DataType, byte: u8) -> i8 {
    let unused = 8 - bits(dtype).unwrap_or(8);
    match dtype {
        DataType::Int2 | DataType::Int4 => (byte << unused) as i8 >> unused,
        _ => (byte << unused >> unused) as i8,
    }
}

/// The least and the greatest integer of an integer type.
pub(crate) fn range(dtype: DataType) -> Option<(i128, i128)> {
    Some(match dtype {
        DataType::Int2 => (-2, 1),
        DataType::Uint2 => (0, 3),
        DataType::Int4 => (-8, 7),
        DataType::Uint4 => (0, 15),
        _ => match stored(dtype) {
            DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
            DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
            DataType::Int32 => (i32::MIN.into(), i32::MAX.into()),
            DataType::Int64 => (i64::MIN.into(), i64::MAX.into()),
            DataType::Uint8 => (0, u8::MAX.into()),
            DataType::Uint16 => (0, u16::MAX.into()),
            DataType::Uint32 => (0, u32::MAX.into()),
            DataType::Uint64 => (0, u64::MAX.into()),
            _ => return None,
        },
    })
}
