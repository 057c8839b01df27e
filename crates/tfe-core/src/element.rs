//! Which Rust type stores the elements of which data type.

use crate::{Complex64, Complex128, DataType, ResourceHandle, Result, TString, Variant, bf16, f16};

/// A Rust type that stores the elements of one data type.
///
/// Sealed: tensors rely on the layout of each of these types.
pub trait Element: Clone + Default + Send + Sync + 'static + sealed::Sealed {
    /// The data type that this type stores.
    const DTYPE: DataType;

    /// A clone.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory for a string.
    #[inline]
    fn try_clone(&self) -> Result<Self> {
        Ok(self.clone())
    }

    /// Whether these bytes are elements. Only `bool` has bit patterns that are not; memory that a client owns may hold them.
    #[doc(hidden)]
    fn valid(_bytes: &[u8]) -> bool {
        true
    }
}

/// An [`Element`] made of plain bytes: copying it runs no code.
pub trait Plain: Element + Copy {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! plain {
    ($($t:ty = $dtype:ident),* $(,)?) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DataType = DataType::$dtype;
        }
        impl Plain for $t {}
    )*};
}

plain!(
    f32 = Float,
    f64 = Double,
    i8 = Int8,
    i16 = Int16,
    i32 = Int32,
    i64 = Int64,
    u8 = Uint8,
    u16 = Uint16,
    u32 = Uint32,
    u64 = Uint64,
    f16 = Half,
    bf16 = Bfloat16,
    Complex64 = Complex64,
    Complex128 = Complex128,
);

impl sealed::Sealed for bool {}
impl Element for bool {
    const DTYPE: DataType = DataType::Bool;

    fn valid(bytes: &[u8]) -> bool {
        bytes.iter().fold(0, |all, b| all | b) <= 1
    }
}
impl Plain for bool {}

macro_rules! owning {
    ($($t:ident),*) => {$(
        impl sealed::Sealed for $t {}
    )*};
}
owning!(TString, ResourceHandle, Variant);

impl Element for TString {
    const DTYPE: DataType = DataType::String;

    fn try_clone(&self) -> Result<Self> {
        Self::concat([self.as_bytes()])
    }
}
impl Element for ResourceHandle {
    const DTYPE: DataType = DataType::Resource;
}
impl Element for Variant {
    const DTYPE: DataType = DataType::Variant;
}
