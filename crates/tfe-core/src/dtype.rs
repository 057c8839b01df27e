//! The table of data types, sets of them, and the macros that turn a run-time dtype into a type parameter.

use std::fmt;

macro_rules! table {
    ($($(#[$doc:meta])* $variant:ident = $number:literal $name:literal $proto:literal $size:literal;)*) => {
        /// The type of a tensor's elements, numbered as in TensorFlow.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum DataType { $($(#[$doc])* $variant = $number,)* }

        impl DataType {
            /// Every data type, by number.
            pub const ALL: &'static [DataType] = &[$(DataType::$variant),*];

            /// The name that TensorFlow prints: `float`, `int32`, `complex64`.
            pub const fn name(self) -> &'static str {
                match self { $(DataType::$variant => $name),* }
            }

            /// The name in text protos: `DT_FLOAT`.
            pub const fn proto_name(self) -> &'static str {
                match self { $(DataType::$variant => $proto),* }
            }

            /// Bytes an element takes in a host tensor.
            pub const fn size(self) -> usize {
                match self { $(DataType::$variant => $size),* }
            }
        }
    };
}

table! {
    /// `f32`
    Float = 1 "float" "DT_FLOAT" 4;
    /// `f64`
    Double = 2 "double" "DT_DOUBLE" 8;
    /// `i32`
    Int32 = 3 "int32" "DT_INT32" 4;
    /// `u8`
    Uint8 = 4 "uint8" "DT_UINT8" 1;
    /// `i16`
    Int16 = 5 "int16" "DT_INT16" 2;
    /// `i8`
    Int8 = 6 "int8" "DT_INT8" 1;
    /// [`TString`](crate::TString)
    String = 7 "string" "DT_STRING" 24;
    /// Two `f32`
    Complex64 = 8 "complex64" "DT_COMPLEX64" 8;
    /// `i64`
    Int64 = 9 "int64" "DT_INT64" 8;
    /// One byte, 0 or 1
    Bool = 10 "bool" "DT_BOOL" 1;
    /// Quantised `i8`
    Qint8 = 11 "qint8" "DT_QINT8" 1;
    /// Quantised `u8`
    Quint8 = 12 "quint8" "DT_QUINT8" 1;
    /// Quantised `i32`
    Qint32 = 13 "qint32" "DT_QINT32" 4;
    /// The upper half of an `f32`
    Bfloat16 = 14 "bfloat16" "DT_BFLOAT16" 2;
    /// Quantised `i16`
    Qint16 = 15 "qint16" "DT_QINT16" 2;
    /// Quantised `u16`
    Quint16 = 16 "quint16" "DT_QUINT16" 2;
    /// `u16`
    Uint16 = 17 "uint16" "DT_UINT16" 2;
    /// Two `f64`
    Complex128 = 18 "complex128" "DT_COMPLEX128" 16;
    /// IEEE half precision
    Half = 19 "half" "DT_HALF" 2;
    /// [`ResourceHandle`](crate::ResourceHandle)
    Resource = 20 "resource" "DT_RESOURCE" 8;
    /// [`Variant`](crate::Variant)
    Variant = 21 "variant" "DT_VARIANT" 16;
    /// `u32`
    Uint32 = 22 "uint32" "DT_UINT32" 4;
    /// `u64`
    Uint64 = 23 "uint64" "DT_UINT64" 8;
    /// 8-bit float: 5 exponent bits, 2 mantissa bits
    Float8E5m2 = 24 "float8_e5m2" "DT_FLOAT8_E5M2" 1;
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, no infinities
    Float8E4m3fn = 25 "float8_e4m3fn" "DT_FLOAT8_E4M3FN" 1;
    /// 8-bit float: as `e4m3fn`, with one zero and one NaN
    Float8E4m3fnuz = 26 "float8_e4m3fnuz" "DT_FLOAT8_E4M3FNUZ" 1;
    /// 8-bit float: as `e4m3fnuz`, with an exponent bias of 11
    Float8E4m3b11fnuz = 27 "float8_e4m3b11fnuz" "DT_FLOAT8_E4M3B11FNUZ" 1;
    /// 8-bit float: 5 exponent bits, 2 mantissa bits, one zero and one NaN
    Float8E5m2fnuz = 28 "float8_e5m2fnuz" "DT_FLOAT8_E5M2FNUZ" 1;
    /// Signed 4 bits, one a byte
    Int4 = 29 "int4" "DT_INT4" 1;
    /// Unsigned 4 bits, one a byte
    Uint4 = 30 "uint4" "DT_UINT4" 1;
    /// Signed 2 bits, one a byte
    Int2 = 31 "int2" "DT_INT2" 1;
    /// Unsigned 2 bits, one a byte
    Uint2 = 32 "uint2" "DT_UINT2" 1;
    /// 4-bit float: 2 exponent bits, 1 mantissa bit, no infinities or NaN, one a byte
    Float4E2m1fn = 33 "float4_e2m1fn" "DT_FLOAT4_E2M1FN" 1;
}

impl DataType {
    /// The data type of that number, `None` where TensorFlow has none (reference types included).
    pub fn from_number(number: i32) -> Option<Self> {
        usize::try_from(number.checked_sub(1)?)
            .ok()
            .and_then(|i| Self::ALL.get(i))
            .copied()
    }

    /// The number, as in `TF_DataType`.
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The data type of that short name (`float`) or proto name (`DT_FLOAT`).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|d| d.name() == name || d.proto_name() == name)
    }

    /// Whether elements are plain bytes that may be copied without running any code.
    pub const fn is_plain(self) -> bool {
        !DTypeSet::of(&[DataType::String, DataType::Resource, DataType::Variant]).contains(self)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of data types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DTypeSet(u64);

use DataType as D;

impl DTypeSet {
    /// No data type.
    pub const NONE: DTypeSet = DTypeSet(0);
    /// The binary floating-point types.
    pub const FLOAT: DTypeSet = DTypeSet::of(&[D::Half, D::Bfloat16, D::Float, D::Double]);
    /// The eight integer types.
    pub const INT: DTypeSet = DTypeSet::of(&[
        D::Int8,
        D::Int16,
        D::Int32,
        D::Int64,
        D::Uint8,
        D::Uint16,
        D::Uint32,
        D::Uint64,
    ]);
    /// The two complex types.
    pub const COMPLEX: DTypeSet = DTypeSet::of(&[D::Complex64, D::Complex128]);
    /// Integers and floats.
    pub const REAL: DTypeSet = DTypeSet::INT.union(DTypeSet::FLOAT);
    /// Integers, floats and complex numbers.
    pub const NUMBER: DTypeSet = DTypeSet::REAL.union(DTypeSet::COMPLEX);
    /// The types that index: `int32` and `int64`.
    pub const INDEX: DTypeSet = DTypeSet::of(&[D::Int32, D::Int64]);
    /// Every data type.
    pub const ANY: DTypeSet = DTypeSet::of(DataType::ALL);
    /// Every type whose elements are plain bytes.
    pub const PLAIN: DTypeSet =
        DTypeSet(DTypeSet::ANY.0 & !DTypeSet::of(&[D::String, D::Resource, D::Variant]).0);

    /// The set of these.
    pub const fn of(types: &[DataType]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < types.len() {
            bits |= 1 << types[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// What is in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether `dtype` is in the set.
    pub const fn contains(self, dtype: DataType) -> bool {
        self.0 >> dtype as u8 & 1 == 1
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, by number.
    pub fn iter(self) -> impl Iterator<Item = DataType> {
        DataType::ALL
            .iter()
            .copied()
            .filter(move |&d| self.contains(d))
    }
}

impl fmt::Debug for DTypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(DataType::name))
            .finish()
    }
}

impl FromIterator<DataType> for DTypeSet {
    fn from_iter<I: IntoIterator<Item = DataType>>(types: I) -> Self {
        types
            .into_iter()
            .fold(Self::NONE, |set, d| set.union(Self::of(&[d])))
    }
}

/// The Rust type that stores elements of a data type: `native!(Float)` is `f32`.
#[macro_export]
macro_rules! native {
    (Float) => {
        f32
    };
    (Double) => {
        f64
    };
    (Int8) => {
        i8
    };
    (Int16) => {
        i16
    };
    (Int32) => {
        i32
    };
    (Int64) => {
        i64
    };
    (Uint8) => {
        u8
    };
    (Uint16) => {
        u16
    };
    (Uint32) => {
        u32
    };
    (Uint64) => {
        u64
    };
    (Bool) => {
        bool
    };
    (Half) => {
        $crate::f16
    };
    (Bfloat16) => {
        $crate::bf16
    };
    (Complex64) => {
        $crate::Complex64
    };
    (Complex128) => {
        $crate::Complex128
    };
    (String) => {
        $crate::TString
    };
    (Resource) => {
        $crate::ResourceHandle
    };
    (Variant) => {
        $crate::Variant
    };
}

/// Runs `body` with a type alias for the Rust type of a run-time dtype.
///
/// The class is one of `Float Int Real Complex Number Index`, named as the sets of [`DTypeSet`] and with the same
/// members, or a list: `[Float, Double]`. `body` is a `Result`; a dtype outside the class gives `Unimplemented`.
///
/// ```
/// use tfe_core::{dispatch, DataType, Element, Result};
/// fn width(dtype: DataType) -> Result<usize> {
///     dispatch!(dtype, Number, |T| Ok(size_of::<T>()))
/// }
/// assert_eq!(width(DataType::Half).unwrap(), 2);
/// assert!(width(DataType::String).is_err());
/// ```
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, Float, |$T:ident| $body:expr) => {
        $crate::dispatch!($dtype, [Half, Bfloat16, Float, Double], |$T| $body)
    };
    ($dtype:expr, Int, |$T:ident| $body:expr) => {
        $crate::dispatch!(
            $dtype, [Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64], |$T| $body)
    };
    ($dtype:expr, Real, |$T:ident| $body:expr) => {
        $crate::dispatch!(
            $dtype,
            [Half, Bfloat16, Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64],
            |$T| $body)
    };
    ($dtype:expr, Complex, |$T:ident| $body:expr) => {
        $crate::dispatch!($dtype, [Complex64, Complex128], |$T| $body)
    };
    ($dtype:expr, Number, |$T:ident| $body:expr) => {
        $crate::dispatch!(
            $dtype,
            [Half, Bfloat16, Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64,
             Complex64, Complex128],
            |$T| $body)
    };
    ($dtype:expr, Index, |$T:ident| $body:expr) => {
        $crate::dispatch!($dtype, [Int32, Int64], |$T| $body)
    };
    ($dtype:expr, [$($variant:ident),* $(,)?], |$T:ident| $body:expr) => {
        match $dtype {
            $($crate::DataType::$variant => {
                type $T = $crate::native!($variant);
                $body
            })*
            other => ::std::result::Result::Err(
                $crate::err!(Unimplemented, "data type {other} is not supported here")),
        }
    };
}

/// Runs `body` with an unsigned integer type of a run-time width in bytes: 1, 2, 4, 8 or 16.
///
/// For code that moves elements and never looks at them: five copies of it rather than one a dtype.
#[macro_export]
macro_rules! dispatch_width {
    ($bytes:expr, |$W:ident| $body:expr) => {
        match $bytes {
            1 => {
                type $W = u8;
                $body
            }
            2 => {
                type $W = u16;
                $body
            }
            4 => {
                type $W = u32;
                $body
            }
            8 => {
                type $W = u64;
                $body
            }
            16 => {
                type $W = u128;
                $body
            }
            other => ::std::result::Result::Err($crate::err!(
                Unimplemented,
                "elements of {other} bytes are not supported here"
            )),
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Result};

    #[test]
    fn numbers_and_names_map_both_ways() {
        for &d in DataType::ALL {
            assert_eq!(DataType::from_number(d.number()), Some(d));
            assert_eq!(DataType::from_name(d.name()), Some(d));
            assert_eq!(DataType::from_name(d.proto_name()), Some(d));
        }
        for number in [i32::MIN, -1, 0, 34, 77, 101] {
            assert_eq!(DataType::from_number(number), None);
        }
    }

    #[test]
    fn dispatch_agrees_with_the_sets() {
        fn check(set: DTypeSet, run: impl Fn(DataType) -> Result<DataType>) {
            for &d in DataType::ALL {
                match run(d) {
                    Ok(got) => assert!(set.contains(d) && got == d, "{d}"),
                    Err(_) => assert!(!set.contains(d), "{d}"),
                }
            }
        }
        check(DTypeSet::FLOAT, |d| dispatch!(d, Float, |T| Ok(T::DTYPE)));
        check(DTypeSet::INT, |d| dispatch!(d, Int, |T| Ok(T::DTYPE)));
        check(DTypeSet::REAL, |d| dispatch!(d, Real, |T| Ok(T::DTYPE)));
        check(DTypeSet::COMPLEX, |d| {
            dispatch!(d, Complex, |T| Ok(T::DTYPE))
        });
        check(DTypeSet::NUMBER, |d| dispatch!(d, Number, |T| Ok(T::DTYPE)));
        check(DTypeSet::INDEX, |d| dispatch!(d, Index, |T| Ok(T::DTYPE)));
    }
}
