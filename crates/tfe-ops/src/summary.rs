//! Definitions and values as text, as TensorFlow shows them in its messages.

use std::fmt::{self, Write as _};

use tfe_core::{DataType, PartialShape, TString, Tensor};
use tfe_proto::tensorflow as pb;

use crate::proto::attr_value_from_proto;
use crate::{AttrValue, FuncAttr, OpSpec};

/// Lists longer than this are shown by their ends.
const SHOWN_ITEMS: usize = 50;
/// How many elements of a tensor are shown.
const SHOWN_ELEMENTS: usize = 10;

impl fmt::Display for AttrValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttrValue::String(v) => quoted(f, v),
            AttrValue::Int(v) => write!(f, "{v}"),
            AttrValue::Float(v) => float(f, *v),
            AttrValue::Bool(v) => write!(f, "{v}"),
            AttrValue::Type(v) => dtype(f, *v),
            AttrValue::Shape(v) => write!(f, "{v}"),
            AttrValue::Tensor(v) => tensor(f, v),
            AttrValue::Placeholder(v) => write!(f, "${v}"),
            AttrValue::Func(v) => write!(f, "{v}"),
            AttrValue::Strings(v) => list(f, v, |f, v| quoted(f, v)),
            AttrValue::Ints(v) => list(f, v, |f, v| write!(f, "{v}")),
            AttrValue::Floats(v) => list(f, v, |f, &v| float(f, v)),
            AttrValue::Bools(v) => list(f, v, |f, v| write!(f, "{v}")),
            AttrValue::Types(v) => list(f, v, |f, &v| dtype(f, v)),
            AttrValue::Shapes(v) => list(f, v, |f, v: &PartialShape| write!(f, "{v}")),
            AttrValue::Tensors(v) => list(f, v, tensor),
            AttrValue::Funcs(v) => list(f, v, |f, v| write!(f, "{v}")),
        }
    }
}

impl fmt::Display for FuncAttr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.name)?;
        for (i, (name, value)) in self.attrs().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{name}={value}")?;
        }
        f.write_str("]")
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    write!(f, "\"{}\"", bytes.escape_ascii())
}

fn dtype(f: &mut fmt::Formatter<'_>, number: i32) -> fmt::Result {
    match DataType::from_number(number) {
        Some(dtype) => f.write_str(dtype.proto_name()),
        None => write!(f, "{number}"),
    }
}

/// As C's `%g`: six significant digits, without trailing zeros.
fn float(f: &mut fmt::Formatter<'_>, value: f32) -> fmt::Result {
    if !value.is_finite() {
        let text = format!("{value}").to_lowercase();
        return f.write_str(&text);
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        return f.write_str(&trim(&format!("{value:.decimals$}")));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(f, "{}e{sign}{:02}", trim(digits), exponent.unsigned_abs())
}

fn tensor(f: &mut fmt::Formatter<'_>, tensor: &Tensor) -> fmt::Result {
    write!(
        f,
        "Tensor<type: {} shape: {} values: ",
        tensor.dtype(),
        tensor.shape()
    )?;
    let shown = tensor.num_elements().min(SHOWN_ELEMENTS);
    if let Ok(strings) = tensor.as_slice::<TString>() {
        for string in &strings[..shown] {
            write!(f, "{} ", string.as_bytes().escape_ascii())?;
        }
    } else {
        let text = tfe_core::dispatch!(
            tensor.dtype(),
            [
                Float, Double, Half, Bfloat16, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32,
                Uint64, Bool, Complex64, Complex128
            ],
            |T| tensor.as_slice::<T>().map(|values| {
                values[..shown]
                    .iter()
                    .fold(String::new(), |mut text, value| {
                        let _ = write!(text, "{value} ");
                        text
                    })
            })
        );
        f.write_str(&text.unwrap_or_else(|_| "? ".to_owned()))?;
    }
    if shown < tensor.num_elements() {
        f.write_str("...")?;
    }
    f.write_str(">")
}

fn list<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    show: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    f.write_str("[")?;
    for (i, item) in items.iter().enumerate() {
        let hidden = items.len() >= SHOWN_ITEMS && (5..items.len() - 5).contains(&i);
        if hidden && i > 5 {
            continue;
        }
        if i > 0 {
            f.write_str(", ")?;
        }
        if hidden {
            f.write_str("...")?;
        } else {
            show(f, item)?;
        }
    }
    f.write_str("]")
}

impl OpSpec {
    /// The whole definition on one line: `Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[...]>`.
    pub fn summary(&self) -> String {
        match self.op_def() {
            Ok(def) => summary(&def),
            Err(_) => format!("Op<name={}>", self.name),
        }
    }
}

pub(crate) fn summary(def: &pb::OpDef) -> String {
    let mut out = format!(
        "Op<name={}; signature={} -> {}",
        def.name,
        arguments(&def.input_arg),
        arguments(&def.output_arg)
    );
    for attr in &def.attr {
        let _ = write!(out, "; attr={}:{}", attr.name, attr.r#type);
        let value = |value: &pb::AttrValue| {
            attr_value_from_proto(value).map_or_else(|_| "[]".to_owned(), |v| v.to_string())
        };
        if let Some(default) = &attr.default_value {
            let _ = write!(out, ",default={}", value(default));
        }
        if attr.has_minimum {
            let _ = write!(out, ",min={}", attr.minimum);
        }
        if let Some(allowed) = &attr.allowed_values {
            let _ = write!(out, ",allowed={}", value(allowed));
        }
    }
    let flags = [
        ("is_commutative", def.is_commutative),
        ("is_aggregate", def.is_aggregate),
        ("is_stateful", def.is_stateful),
        ("allows_uninitialized_input", def.allows_uninitialized_input),
    ];
    for (flag, _) in flags.iter().filter(|(_, set)| *set) {
        let _ = write!(out, "; {flag}=true");
    }
    out.push('>');
    out
}

/// The arguments with their types. TensorFlow leaves the types of a mixed list out, and so do we.
fn arguments(args: &[pb::op_def::ArgDef]) -> String {
    let argument = |arg: &pb::op_def::ArgDef| {
        let dtype = match DataType::from_number(arg.r#type) {
            Some(dtype) => dtype.name(),
            None => &arg.type_attr,
        };
        let times = if arg.number_attr.is_empty() { "" } else { "*" };
        let list = format!("{}{times}{dtype}", arg.number_attr);
        match arg.is_ref {
            true => format!("{}:Ref({list})", arg.name),
            false => format!("{}:{list}", arg.name),
        }
    };
    args.iter().map(argument).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    #[test]
    fn definitions_read_as_tensorflow_prints_them() {
        assert_eq!(
            ops::ADD_N.spec().summary(),
            "Op<name=AddN; signature=inputs:N*T -> sum:T; attr=N:int,min=1; attr=T:type,allowed=[DT_FLOAT, \
             DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_COMPLEX64, DT_INT64, DT_QINT8, DT_QUINT8, \
             DT_QINT32, DT_BFLOAT16, DT_QINT16, DT_QUINT16, DT_UINT16, DT_COMPLEX128, DT_HALF, DT_UINT32, \
             DT_UINT64, DT_VARIANT]; is_commutative=true; is_aggregate=true>"
        );
        assert_eq!(
            ops::SQUEEZE.spec().summary(),
            "Op<name=Squeeze; signature=input:T -> output:T; attr=T:type; \
             attr=squeeze_dims:list(int),default=[],min=0>"
        );
        assert_eq!(
            ops::IDENTITY_N.spec().summary(),
            "Op<name=IdentityN; signature=input: -> output:; attr=T:list(type),min=1>"
        );
        assert_eq!(
            ops::ASSIGN.spec().summary(),
            "Op<name=Assign; signature=ref:Ref(T), value:T -> output_ref:Ref(T); attr=T:type; \
             attr=validate_shape:bool,default=true; attr=use_locking:bool,default=true; \
             allows_uninitialized_input=true>"
        );
    }

    #[test]
    fn values_read_as_tensorflow_prints_them() {
        #[track_caller]
        fn check(value: impl Into<AttrValue>, text: &str) {
            assert_eq!(value.into().to_string(), text);
        }
        check(0.5f32, "0.5");
        check(1e-4f32, "0.0001");
        check(1e-5f32, "1e-05");
        check(1234567.0f32, "1.23457e+06");
        check(100000.0f32, "100000");
        check(-0.0f32, "-0");
        check(f32::INFINITY, "inf");
        check(f32::NAN, "nan");
        check("a\"b", "\"a\\\"b\"");
        check(
            vec![PartialShape::of(&[2, -1]), PartialShape::unknown()],
            "[[2,?], <unknown>]",
        );
        check(AttrValue::Type(77), "77");
        check(
            Tensor::vector(&[1i32, 2]).expect("memory"),
            "Tensor<type: int32 shape: [2] values: 1 2 >",
        );
        check(
            FuncAttr::new("f").with("b", true).with("a", 1i64),
            "f[a=1, b=true]",
        );
        check(
            (0..60).collect::<Vec<i64>>(),
            "[0, 1, 2, 3, 4, ..., 55, 56, 57, 58, 59]",
        );
    }
}
