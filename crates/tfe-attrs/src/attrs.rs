//! `Attrs`: the attributes of a call once they are complete and checked.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use tfe_core::{DataType, PartialShape, Result, Tensor, err};
use tfe_ops::{ArgSpec, AttrBytes, AttrValue, FuncAttr, OpSpec};

use crate::{args, errors};

/// Checked attributes by name; a clone shares them.
///
/// Made by [`AttrBuilder::finish`](crate::AttrBuilder::finish). Each reader fails with `NotFound` when there is no such
/// attribute, and with `InvalidArgument` when it has another type.
///
/// ```
/// use tfe_attrs::AttrBuilder;
/// use tfe_core::DataType;
/// use tfe_ops::ops;
///
/// let mut conv = AttrBuilder::new(ops::CONV2D.spec());
/// conv.add_input(DataType::Float)?;
/// conv.add_input(DataType::Float)?;
/// conv.set("strides", [1, 2, 2, 1i64]).set("padding", "SAME");
/// let attrs = conv.finish()?;
/// assert_eq!(attrs.int_list("strides")?, [1, 2, 2, 1]);
/// assert_eq!(attrs.str("data_format")?, "NHWC");
/// assert_eq!(attrs.output_dtypes(ops::CONV2D.spec())?, [DataType::Float]);
/// # Ok::<(), tfe_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Attrs(Arc<Inner>);

struct Inner {
    op: Box<str>,
    /// First the declared ones by slot, then those that the op does not have.
    values: Box<[(Box<str>, AttrValue)]>,
}

macro_rules! readers {
    ($($(#[$doc:meta])* $name:ident -> $t:ty, $wanted:literal: $pattern:pat => $value:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// `NotFound`, or `InvalidArgument` for another type.
        pub fn $name(&self, name: &str) -> Result<$t> {
            match self.value(name)? {
                $pattern => Ok($value),
                other => Err(errors::wrong_type(name, other, $wanted)),
            }
        }
    )*};
}

macro_rules! list_readers {
    ($($(#[$doc:meta])* $name:ident -> $t:ty, $wanted:literal: $variant:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// `NotFound`, or `InvalidArgument` for another type.
        pub fn $name(&self, name: &str) -> Result<&[$t]> {
            match self.value(name)? {
                AttrValue::$variant(list) => Ok(list),
                // An empty list has no kind.
                other if other.list_len() == Some(0) => Ok(&[]),
                other => Err(errors::wrong_type(name, other, $wanted)),
            }
        }
    )*};
}

impl Attrs {
    pub(crate) fn new<'v>(
        op: &str,
        values: impl Iterator<Item = (&'v str, &'v AttrValue)>,
    ) -> Self {
        Self(Arc::new(Inner {
            op: op.into(),
            values: values.map(|(n, v)| (n.into(), v.clone())).collect(),
        }))
    }

    /// The value of that name.
    ///
    /// # Errors
    /// `NotFound` when there is none.
    pub fn value(&self, name: &str) -> Result<&AttrValue> {
        self.find(name)
            .ok_or_else(|| errors::missing(name, &self.0.op))
    }

    /// The value of that name, if there is one.
    pub fn find(&self, name: &str) -> Option<&AttrValue> {
        let (_, value) = self.0.values.iter().find(|(n, _)| **n == *name)?;
        Some(value)
    }

    /// All values: first those that the op declares, in its order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &AttrValue)> {
        self.0.values.iter().map(|(name, value)| (&**name, value))
    }

    readers! {
        /// A data type.
        dtype -> DataType, "type": AttrValue::Type(number) => args::dtype(*number)?;
        /// An integer.
        int -> i64, "int": AttrValue::Int(v) => *v;
        /// A float.
        float -> f32, "float": AttrValue::Float(v) => *v;
        /// A truth value.
        bool -> bool, "bool": AttrValue::Bool(v) => *v;
        /// A byte string.
        bytes -> &[u8], "string": AttrValue::String(v) => v;
        /// A shape, known in part perhaps.
        shape -> &PartialShape, "shape": AttrValue::Shape(v) => v;
        /// A tensor.
        tensor -> &Tensor, "tensor": AttrValue::Tensor(v) => v;
        /// A function.
        func -> &FuncAttr, "func": AttrValue::Func(v) => v;
    }

    list_readers! {
        /// Byte strings.
        bytes_list -> AttrBytes, "list(string)": Strings;
        /// Integers.
        int_list -> i64, "list(int)": Ints;
        /// Floats.
        float_list -> f32, "list(float)": Floats;
        /// Truth values.
        bool_list -> bool, "list(bool)": Bools;
        /// Shapes.
        shape_list -> PartialShape, "list(shape)": Shapes;
        /// Tensors.
        tensor_list -> Tensor, "list(tensor)": Tensors;
        /// Functions.
        func_list -> FuncAttr, "list(func)": Funcs;
        /// Numbers of data types, as they were given.
        type_numbers -> i32, "list(type)": Types;
    }

    /// A string that is text.
    ///
    /// # Errors
    /// `NotFound`; `InvalidArgument` for another type, or when it is not UTF-8.
    pub fn str(&self, name: &str) -> Result<&str> {
        utf8(name, self.bytes(name)?)
    }

    /// A string that names something, and may be any bytes: those that are no UTF-8 are escaped, as `\xff`.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` for another type.
    pub fn label(&self, name: &str) -> Result<Cow<'_, str>> {
        let bytes = self.bytes(name)?;
        Ok(std::str::from_utf8(bytes)
            .map_or_else(|_| bytes.escape_ascii().to_string().into(), Cow::Borrowed))
    }

    /// Strings that are text.
    ///
    /// # Errors
    /// `NotFound`; `InvalidArgument` for another type, or when one is not UTF-8.
    pub fn str_list(&self, name: &str) -> Result<Vec<&str>> {
        let list = self.bytes_list(name)?.iter();
        list.map(|bytes| utf8(name, bytes)).collect()
    }

    /// Data types.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` for another type.
    pub fn type_list(&self, name: &str) -> Result<Vec<DataType>> {
        self.type_numbers(name)?
            .iter()
            .map(|&n| args::dtype(n))
            .collect()
    }

    /// The types of all inputs of a call of `spec` with these attributes.
    ///
    /// # Errors
    /// `NotFound` when an attribute is missing: these are the attributes of another op.
    pub fn input_dtypes(&self, spec: &OpSpec) -> Result<Vec<DataType>> {
        self.dtypes(spec, &spec.inputs)
    }

    /// The types of all outputs.
    ///
    /// # Errors
    /// As [`input_dtypes`](Self::input_dtypes).
    pub fn output_dtypes(&self, spec: &OpSpec) -> Result<Vec<DataType>> {
        self.dtypes(spec, &spec.outputs)
    }

    fn dtypes(&self, spec: &OpSpec, args: &[ArgSpec]) -> Result<Vec<DataType>> {
        let flat = self.flat(spec, args)?;
        Ok(flat.into_iter().map(|(_, dtype)| dtype).collect())
    }

    /// The argument that each input belongs to, and its type.
    ///
    /// # Errors
    /// As [`input_dtypes`](Self::input_dtypes).
    pub fn flat_inputs<'s>(&self, spec: &'s OpSpec) -> Result<Vec<(&'s str, DataType)>> {
        self.flat(spec, &spec.inputs)
    }

    /// The argument that each output belongs to, and its type.
    ///
    /// # Errors
    /// As [`input_dtypes`](Self::input_dtypes).
    pub fn flat_outputs<'s>(&self, spec: &'s OpSpec) -> Result<Vec<(&'s str, DataType)>> {
        self.flat(spec, &spec.outputs)
    }

    fn flat<'s>(&self, spec: &OpSpec, args: &'s [ArgSpec]) -> Result<Vec<(&'s str, DataType)>> {
        args::flat(spec, args, &|slot| self.find(&spec.attrs[slot].name))
    }

    /// Which of the flat inputs each input argument has.
    ///
    /// # Errors
    /// As [`input_dtypes`](Self::input_dtypes).
    pub fn input_ranges(&self, spec: &OpSpec) -> Result<Vec<Range<usize>>> {
        args::ranges(spec, &spec.inputs, &|slot| {
            self.find(&spec.attrs[slot].name)
        })
    }

    /// Which of the flat outputs each output argument has.
    ///
    /// # Errors
    /// As [`input_dtypes`](Self::input_dtypes).
    pub fn output_ranges(&self, spec: &OpSpec) -> Result<Vec<Range<usize>>> {
        args::ranges(spec, &spec.outputs, &|slot| {
            self.find(&spec.attrs[slot].name)
        })
    }

    /// Which of the flat inputs the input argument of that name has.
    ///
    /// # Errors
    /// `InvalidArgument` when there is no such argument, and as [`input_dtypes`](Self::input_dtypes).
    pub fn input_range(&self, spec: &OpSpec, name: &str) -> Result<Range<usize>> {
        let index = spec
            .input_index(name)
            .ok_or_else(|| err!(InvalidArgument, "Input '{name}' not found"))?;
        Ok(self.input_ranges(spec)?.swap_remove(index))
    }
}

fn utf8<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str> {
    std::str::from_utf8(bytes).map_err(|_| {
        err!(
            InvalidArgument,
            "attr '{name}' is no text: \"{}\"",
            bytes.escape_ascii()
        )
    })
}

/// As in TensorFlow's messages, by name: `T=DT_FLOAT, transpose_a=false`.
impl fmt::Display for Attrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        errors::list(f, self.iter())
    }
}

impl fmt::Debug for Attrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{self}]", self.0.op)
    }
}
