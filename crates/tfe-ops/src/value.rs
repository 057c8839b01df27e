//! Attribute values and their kinds.

use tfe_core::{DataType, PartialShape, Tensor};

use crate::bytes::AttrBytes;

/// What kind of value an attribute takes, numbered as `TF_AttrType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum AttrKind {
    /// Bytes.
    String = 0,
    /// A 64-bit integer.
    Int = 1,
    /// An `f32`.
    Float = 2,
    /// A truth value.
    Bool = 3,
    /// A data type.
    Type = 4,
    /// A shape, known in part perhaps.
    Shape = 5,
    /// A tensor.
    Tensor = 6,
    /// The name of an attribute of the enclosing function.
    ///
    /// As the kind of a declared attribute: the signature names a type that TensorFlow does not have; any value fits.
    Placeholder = 7,
    /// A function, with attributes.
    Func = 8,
}

impl AttrKind {
    /// The name in op definitions: `int`.
    pub const fn name(self) -> &'static str {
        match self {
            AttrKind::String => "string",
            AttrKind::Int => "int",
            AttrKind::Float => "float",
            AttrKind::Bool => "bool",
            AttrKind::Type => "type",
            AttrKind::Shape => "shape",
            AttrKind::Tensor => "tensor",
            AttrKind::Placeholder => "placeholder",
            AttrKind::Func => "func",
        }
    }

    /// The name of a list of these: `list(int)`.
    pub const fn list_name(self) -> &'static str {
        match self {
            AttrKind::String => "list(string)",
            AttrKind::Int => "list(int)",
            AttrKind::Float => "list(float)",
            AttrKind::Bool => "list(bool)",
            AttrKind::Type => "list(type)",
            AttrKind::Shape => "list(shape)",
            AttrKind::Tensor => "list(tensor)",
            AttrKind::Placeholder => "list(placeholder)",
            AttrKind::Func => "list(func)",
        }
    }

    /// Reads the type of an attribute as op definitions spell it: kind, and whether it is a list.
    pub fn parse(text: &str) -> Option<(AttrKind, bool)> {
        const KINDS: [AttrKind; 8] = [
            AttrKind::String,
            AttrKind::Int,
            AttrKind::Float,
            AttrKind::Bool,
            AttrKind::Type,
            AttrKind::Shape,
            AttrKind::Tensor,
            AttrKind::Func,
        ];
        KINDS
            .into_iter()
            .flat_map(|kind| [(kind, false), (kind, true)])
            .find(|&(kind, is_list)| text == kind.name_as(is_list))
    }

    /// [`name`](Self::name) or [`list_name`](Self::list_name).
    pub const fn name_as(self, is_list: bool) -> &'static str {
        if is_list {
            self.list_name()
        } else {
            self.name()
        }
    }
}

/// The value of an attribute: 24 bytes, without memory of its own for scalars and strings up to
/// [`AttrBytes::INLINE`] bytes.
///
/// Equality is of bits: NaN equals itself, 0.0 and -0.0 differ. Empty lists of all kinds are equal, as protos cannot
/// tell them apart.
///
/// ```
/// use tfe_core::DataType;
/// use tfe_ops::{AttrKind, AttrValue};
///
/// assert_eq!(AttrValue::from(DataType::Float).to_string(), "DT_FLOAT");
/// assert_eq!(AttrValue::from("SAME").to_string(), "\"SAME\"");
/// let strides = AttrValue::from([1, 2, 2, 1i64]);
/// assert_eq!((strides.kind(), strides.is_list()), (AttrKind::Int, true));
/// assert_ne!(AttrValue::from(0.0f32), AttrValue::from(-0.0f32));
/// ```
#[derive(Clone, Debug)]
pub enum AttrValue {
    /// Bytes.
    String(AttrBytes),
    /// A 64-bit integer.
    Int(i64),
    /// An `f32`.
    Float(f32),
    /// A truth value.
    Bool(bool),
    /// The number of a data type: whatever a client said, valid or not.
    Type(i32),
    /// A shape.
    Shape(Box<PartialShape>),
    /// A tensor.
    Tensor(Box<Tensor>),
    /// The name of an attribute of the enclosing function, whose value belongs here.
    Placeholder(Box<str>),
    /// A function.
    Func(Box<FuncAttr>),
    /// Byte strings.
    Strings(Box<[AttrBytes]>),
    /// Integers.
    Ints(Box<[i64]>),
    /// Floats.
    Floats(Box<[f32]>),
    /// Truth values.
    Bools(Box<[bool]>),
    /// Numbers of data types.
    Types(Box<[i32]>),
    /// Shapes.
    Shapes(Box<[PartialShape]>),
    /// Tensors.
    Tensors(Box<[Tensor]>),
    /// Functions.
    Funcs(Box<[FuncAttr]>),
}

const _: () = assert!(size_of::<AttrValue>() == 24);

impl AttrValue {
    /// About how many bytes of memory the value holds beyond its own size.
    pub fn held_bytes(&self) -> usize {
        let tensors = |tensors: &[Tensor]| tensors.iter().map(Tensor::byte_size).sum();
        match self {
            Self::String(text) => text.len(),
            Self::Tensor(tensor) => tensor.byte_size(),
            Self::Strings(list) => list.iter().map(|text| text.len()).sum(),
            Self::Ints(list) => size_of_val(&**list),
            Self::Floats(list) => size_of_val(&**list),
            Self::Tensors(list) => tensors(list),
            // Few and small, or shared with the library of functions.
            _ => 0,
        }
    }
}

/// A function as an attribute: its name, and the attributes to instantiate it by, in order of their names.
#[derive(Clone, Debug, PartialEq)]
pub struct FuncAttr {
    /// The function's name.
    pub name: Box<str>,
    attrs: Vec<(Box<str>, AttrValue)>,
}

impl FuncAttr {
    /// The function of that name, without attributes.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            attrs: Vec::new(),
        }
    }

    /// The same with an attribute more; the last value given for a name holds.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<AttrValue>) -> Self {
        let value = value.into();
        match self.attrs.binary_search_by(|(n, _)| (**n).cmp(name)) {
            Ok(i) => self.attrs[i].1 = value,
            Err(i) => self.attrs.insert(i, (name.into(), value)),
        }
        self
    }

    /// The attributes, in order of their names.
    pub fn attrs(&self) -> impl ExactSizeIterator<Item = (&str, &AttrValue)> {
        self.attrs.iter().map(|(name, value)| (&**name, value))
    }
}

impl AttrValue {
    /// The kind of the value, or of the elements of a list.
    pub fn kind(&self) -> AttrKind {
        match self {
            AttrValue::String(_) | AttrValue::Strings(_) => AttrKind::String,
            AttrValue::Int(_) | AttrValue::Ints(_) => AttrKind::Int,
            AttrValue::Float(_) | AttrValue::Floats(_) => AttrKind::Float,
            AttrValue::Bool(_) | AttrValue::Bools(_) => AttrKind::Bool,
            AttrValue::Type(_) | AttrValue::Types(_) => AttrKind::Type,
            AttrValue::Shape(_) | AttrValue::Shapes(_) => AttrKind::Shape,
            AttrValue::Tensor(_) | AttrValue::Tensors(_) => AttrKind::Tensor,
            AttrValue::Placeholder(_) => AttrKind::Placeholder,
            AttrValue::Func(_) | AttrValue::Funcs(_) => AttrKind::Func,
        }
    }

    /// The length of a list, `None` for a single value.
    pub fn list_len(&self) -> Option<usize> {
        Some(match self {
            AttrValue::Strings(v) => v.len(),
            AttrValue::Ints(v) => v.len(),
            AttrValue::Floats(v) => v.len(),
            AttrValue::Bools(v) => v.len(),
            AttrValue::Types(v) => v.len(),
            AttrValue::Shapes(v) => v.len(),
            AttrValue::Tensors(v) => v.len(),
            AttrValue::Funcs(v) => v.len(),
            _ => return None,
        })
    }

    /// Whether the value is a number, a truth value or a type: one that has nothing to drop.
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(
            self,
            AttrValue::Int(_) | AttrValue::Float(_) | AttrValue::Bool(_) | AttrValue::Type(_)
        )
    }

    /// Whether the value is a list.
    pub fn is_list(&self) -> bool {
        self.list_len().is_some()
    }

    /// The name of the value's type: `int`, `list(int)`.
    pub fn type_name(&self) -> &'static str {
        self.kind().name_as(self.is_list())
    }

    /// Whether an attribute of that type can take the value: an empty list fits every list.
    pub fn fits(&self, kind: AttrKind, is_list: bool) -> bool {
        match self.list_len() {
            Some(0) => is_list || kind == AttrKind::Placeholder,
            len => {
                kind == AttrKind::Placeholder || (self.kind() == kind && len.is_some() == is_list)
            }
        }
    }

    /// An empty list.
    pub fn empty_list() -> Self {
        AttrValue::Ints(Box::default())
    }
}

impl PartialEq for AttrValue {
    fn eq(&self, other: &Self) -> bool {
        let bits = |v: &f32| v.to_bits();
        match (self, other) {
            (AttrValue::String(a), AttrValue::String(b)) => a == b,
            (AttrValue::Int(a), AttrValue::Int(b)) => a == b,
            (AttrValue::Float(a), AttrValue::Float(b)) => bits(a) == bits(b),
            (AttrValue::Bool(a), AttrValue::Bool(b)) => a == b,
            (AttrValue::Type(a), AttrValue::Type(b)) => a == b,
            (AttrValue::Shape(a), AttrValue::Shape(b)) => a == b,
            (AttrValue::Tensor(a), AttrValue::Tensor(b)) => same_tensor(a, b),
            (AttrValue::Placeholder(a), AttrValue::Placeholder(b)) => a == b,
            (AttrValue::Func(a), AttrValue::Func(b)) => a == b,
            (AttrValue::Strings(a), AttrValue::Strings(b)) => a == b,
            (AttrValue::Ints(a), AttrValue::Ints(b)) => a == b,
            (AttrValue::Floats(a), AttrValue::Floats(b)) => {
                a.iter().map(bits).eq(b.iter().map(bits))
            }
            (AttrValue::Bools(a), AttrValue::Bools(b)) => a == b,
            (AttrValue::Types(a), AttrValue::Types(b)) => a == b,
            (AttrValue::Shapes(a), AttrValue::Shapes(b)) => a == b,
            (AttrValue::Tensors(a), AttrValue::Tensors(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_tensor(a, b))
            }
            (AttrValue::Funcs(a), AttrValue::Funcs(b)) => a == b,
            _ => self.list_len() == Some(0) && other.list_len() == Some(0),
        }
    }
}

fn same_tensor(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    match (a.as_bytes(), b.as_bytes()) {
        (Ok(a), Ok(b)) => a == b,
        // Strings compare by text; what else is there (handles, device memory) only by place.
        _ => match (a.as_slice::<tfe_core::TString>(), b.as_slice()) {
            (Ok(a), Ok(b)) => a == b,
            _ => a.buffer().same(b.buffer()) && a.offset() == b.offset(),
        },
    }
}

macro_rules! from {
    ($($t:ty: |$v:ident| $value:expr;)*) => {$(
        impl From<$t> for AttrValue {
            #[inline]
            fn from($v: $t) -> Self {
                $value
            }
        }
    )*};
}

from! {
    i64: |v| AttrValue::Int(v);
    i32: |v| AttrValue::Int(v.into());
    f32: |v| AttrValue::Float(v);
    bool: |v| AttrValue::Bool(v);
    DataType: |v| AttrValue::Type(v.number());
    &str: |v| AttrValue::String(v.as_bytes().into());
    &[u8]: |v| AttrValue::String(v.into());
    String: |v| AttrValue::String(v.as_bytes().into());
    PartialShape: |v| AttrValue::Shape(Box::new(v));
    Tensor: |v| AttrValue::Tensor(Box::new(v));
    FuncAttr: |v| AttrValue::Func(Box::new(v));
    &[i64]: |v| AttrValue::Ints(v.into());
    Vec<i64>: |v| AttrValue::Ints(v.into());
    &[f32]: |v| AttrValue::Floats(v.into());
    Vec<f32>: |v| AttrValue::Floats(v.into());
    &[bool]: |v| AttrValue::Bools(v.into());
    Vec<bool>: |v| AttrValue::Bools(v.into());
    &[DataType]: |v| AttrValue::Types(v.iter().map(|d| d.number()).collect());
    Vec<DataType>: |v| v.as_slice().into();
    &[&str]: |v| AttrValue::Strings(v.iter().map(|s| s.as_bytes().into()).collect());
    &[&[u8]]: |v| AttrValue::Strings(v.iter().map(|&s| s.into()).collect());
    Vec<PartialShape>: |v| AttrValue::Shapes(v.into());
    Vec<Tensor>: |v| AttrValue::Tensors(v.into());
    Vec<FuncAttr>: |v| AttrValue::Funcs(v.into());
}

impl<T, const N: usize> From<[T; N]> for AttrValue
where
    for<'a> &'a [T]: Into<AttrValue>,
{
    fn from(list: [T; N]) -> Self {
        list.as_slice().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_parse_as_op_definitions_spell_them() {
        assert_eq!(AttrKind::parse("int"), Some((AttrKind::Int, false)));
        assert_eq!(AttrKind::parse("list(func)"), Some((AttrKind::Func, true)));
        for text in ["", "placeholder", "list(list(int))", "list(int", "Int"] {
            assert_eq!(AttrKind::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_empty_list_fits_every_list() {
        let empty = AttrValue::from(Vec::<f32>::new());
        assert!(empty.fits(AttrKind::Int, true) && !empty.fits(AttrKind::Float, false));
        assert_eq!(empty, AttrValue::empty_list());
        assert_ne!(AttrValue::from([1i64]), empty);
        assert!(AttrValue::from(1i64).fits(AttrKind::Placeholder, false));
        assert!(!AttrValue::from(1i64).fits(AttrKind::Int, true));
    }

    #[test]
    fn equality_is_of_bits() {
        let nan = |bits| AttrValue::from(f32::from_bits(bits));
        assert_eq!(nan(0x7fc0_0001), nan(0x7fc0_0001));
        assert_ne!(nan(0x7fc0_0001), nan(0x7fc0_0002));
        assert_ne!(AttrValue::from([0.0f32]), AttrValue::from([-0.0f32]));
        let tensor = |v: f32| AttrValue::from(Tensor::vector(&[v]).expect("memory"));
        assert_eq!(tensor(1.0), tensor(1.0));
        assert_ne!(tensor(0.0), tensor(-0.0));
        assert_ne!(AttrValue::from(1i64), AttrValue::from(true));
    }
}
