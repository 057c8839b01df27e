//! Attributes: `name=value`, read by the kind that the op gives the attribute, and shown the same way.

use tfe_eager::{
    Allowed, AttrKind, AttrSpec, AttrValue, DTypeSet, DataType, FuncAttr, PartialShape,
};

use crate::literal::Literal;
use crate::print::{self, string};
use crate::{convert, dtype, literal};

/// `name=value`, when an argument is that and no value: nothing else that may come begins with a word and `=`.
pub(crate) fn split(arg: &str) -> Option<(&str, &str)> {
    let (name, value) = arg.split_once('=')?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && name.chars().all(word)).then_some((name, value))
}

/// Reads the value of an attribute.
pub(crate) fn parse(attr: &AttrSpec, text: &str) -> Result<AttrValue, String> {
    let value = match attr.is_list {
        false => one(attr.kind, text),
        true => items(text.trim()).and_then(|items| list(attr.kind, &items)),
    };
    value.map_err(|e| format!("{}={text}: {e}", attr.name))
}

fn one(kind: AttrKind, text: &str) -> Result<AttrValue, String> {
    if kind == AttrKind::String {
        return Ok(AttrValue::from(&bytes(text)?[..]));
    }
    let text = text.trim();
    Ok(match kind {
        AttrKind::Int => int(text)?.into(),
        AttrKind::Float => float(text)?.into(),
        AttrKind::Bool => bool(text)?.into(),
        AttrKind::Type => dtype::parse(text)?.into(),
        AttrKind::Shape => shape(text)?.into(),
        AttrKind::Tensor => tensor(text)?.into(),
        AttrKind::Func => FuncAttr::new(text).into(),
        AttrKind::String | AttrKind::Placeholder => {
            return Err("no value can be written for this kind".to_owned());
        }
    })
}

fn list(kind: AttrKind, items: &[&str]) -> Result<AttrValue, String> {
    fn each<T>(items: &[&str], read: fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
        items.iter().map(|item| read(item)).collect()
    }
    if items.is_empty() {
        return Ok(AttrValue::empty_list());
    }
    Ok(match kind {
        AttrKind::String => {
            let strings = each(items, bytes)?;
            let strings: Vec<&[u8]> = strings.iter().map(|s| &s[..]).collect();
            AttrValue::from(&strings[..])
        }
        AttrKind::Int => each(items, int)?.into(),
        AttrKind::Float => each(items, float)?.into(),
        AttrKind::Bool => each(items, bool)?.into(),
        AttrKind::Type => each(items, dtype::parse)?.into(),
        AttrKind::Shape => each(items, shape)?.into(),
        AttrKind::Tensor => each(items, tensor)?.into(),
        AttrKind::Func => each(items, |name| Ok(FuncAttr::new(name)))?.into(),
        AttrKind::Placeholder => return Err("no value can be written for this kind".to_owned()),
    })
}

/// The items of `[a, b]`: commas in brackets of their own and in quotes separate nothing.
fn items(text: &str) -> Result<Vec<&str>, String> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let inner = inner.ok_or("a list in brackets is wanted")?;
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (mut depth, mut quoted, mut escaped, mut start) = (0i32, false, false, 0);
    let mut items = Vec::new();
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                items.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(inner[start..].trim());
    Ok(items)
}

/// A string in quotes, with escapes, or as it is.
fn bytes(text: &str) -> Result<Vec<u8>, String> {
    match text.starts_with('"') {
        true => literal::parse_string(text),
        false => Ok(text.as_bytes().to_vec()),
    }
}

fn int(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("'{text}' is no integer"))
}

fn float(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

fn bool(text: &str) -> Result<bool, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is neither true nor false"))
}

/// `[2,?]`, with `?` or -1 for what is not known; `?` alone when not even the rank is.
fn shape(text: &str) -> Result<PartialShape, String> {
    if text == "?" {
        return Ok(PartialShape::unknown());
    }
    let dim = |item: &&str| match *item {
        "?" => Ok(-1),
        item => int(item),
    };
    let dims = items(text)?
        .iter()
        .map(dim)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(PartialShape::of(&dims))
}

fn tensor(text: &str) -> Result<tfe_eager::Tensor, String> {
    let literal: Literal<'_> = literal::parse(text)?;
    let dtype = literal.dtype.unwrap_or_else(|| convert::usual(&[&literal]));
    convert::tensor(&literal, dtype)
}

/// The value as it may be written.
pub(crate) fn show(value: &AttrValue) -> String {
    fn listed<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
        let items: Vec<String> = items.iter().map(show).collect();
        format!("[{}]", items.join(", "))
    }
    let dtype = |number: &i32| match DataType::from_number(*number) {
        Some(dtype) => dtype::name(dtype).to_owned(),
        None => number.to_string(),
    };
    let shape = |shape: &PartialShape| match shape.dims() {
        Some(_) => shape.to_string(),
        None => "?".to_owned(),
    };
    match value {
        AttrValue::String(v) => string(v),
        AttrValue::Float(v) => print::single(*v),
        AttrValue::Type(v) => dtype(v),
        AttrValue::Shape(v) => shape(v),
        AttrValue::Func(v) => v.name.to_string(),
        AttrValue::Strings(v) => listed(v, |v| string(v)),
        AttrValue::Floats(v) => listed(v, |v| print::single(*v)),
        AttrValue::Types(v) => listed(v, dtype),
        AttrValue::Shapes(v) => listed(v, shape),
        AttrValue::Funcs(v) => listed(v, |v| v.name.to_string()),
        other => other.to_string(),
    }
}

/// The values that an attribute may have, where they are few: `float32, float64`.
pub(crate) fn allowed(attr: &AttrSpec) -> Option<Vec<String>> {
    match &attr.allowed {
        Allowed::Any => None,
        Allowed::Types(set) => Some(set.iter().map(|d| dtype::name(d).to_owned()).collect()),
        Allowed::Strings(strings) => Some(strings.iter().map(|s| string(s)).collect()),
    }
}

/// The types that a type attribute may have.
pub(crate) fn allowed_types(attr: &AttrSpec) -> DTypeSet {
    match attr.allowed {
        Allowed::Types(set) => set,
        _ => DTypeSet::ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_told_from_values() {
        assert_eq!(split("T=float"), Some(("T", "float")));
        assert_eq!(split("a_1=x=y"), Some(("a_1", "x=y")));
        for value in ["\"a=b\"", "string:\"a=b\"", "@a=b.npy", "=1", "1=2", "3"] {
            assert_eq!(split(value), None, "{value}");
        }
    }

    #[test]
    fn values_are_read_by_kind_and_shown_the_same() {
        #[track_caller]
        fn check(kind: AttrKind, is_list: bool, text: &str, shown: &str) {
            let read = |text: &str| match is_list {
                false => one(kind, text),
                true => items(text).and_then(|items| list(kind, &items)),
            };
            let value = read(text).expect(text);
            assert!(value.fits(kind, is_list), "{value}");
            assert_eq!(show(&value), shown);
            if kind != AttrKind::Tensor {
                assert_eq!(read(shown), Ok(value));
            }
        }
        use AttrKind as K;
        check(K::String, false, "SAME", "\"SAME\"");
        check(K::String, false, "", "\"\"");
        check(K::String, false, " ", "\" \"");
        check(K::String, false, r#""a,\"b\xff""#, r#""a,\"b\xff""#);
        check(K::Int, false, "-3", "-3");
        check(K::Float, false, "1", "1.0");
        check(K::Float, false, "-inf", "-inf");
        check(K::Bool, false, "true", "true");
        check(K::Type, false, "DT_HALF", "float16");
        check(K::Shape, false, "[2,?, -1]", "[2,?,?]");
        check(K::Shape, false, "[]", "[]");
        check(K::Shape, false, "?", "?");
        check(K::Func, false, "F", "F");
        check(
            K::Tensor,
            false,
            "int64:[1,2]",
            "Tensor<type: int64 shape: [2] values: 1 2 >",
        );
        check(K::Int, true, "[1, 2,2,1]", "[1, 2, 2, 1]");
        check(K::Int, true, "[ ]", "[]");
        check(
            K::String,
            true,
            r#"[a, "b,]", "\""]"#,
            r#"["a", "b,]", "\""]"#,
        );
        check(K::Type, true, "[float,int32]", "[float32, int32]");
        check(K::Shape, true, "[[1,2],?,[]]", "[[1,2], ?, []]");
        check(K::Bool, true, "[true,false]", "[true, false]");
        check(K::Float, true, "[0.5]", "[0.5]");
        check(K::Func, true, "[F,G]", "[F, G]");
    }

    #[test]
    fn values_of_another_kind_are_refused() {
        for (kind, text) in [
            (AttrKind::Int, "1.5"),
            (AttrKind::Float, "x"),
            (AttrKind::Bool, "1"),
            (AttrKind::Type, "floaty"),
            (AttrKind::Shape, "2"),
            (AttrKind::Tensor, "[1"),
            (AttrKind::String, "\"a"),
        ] {
            assert!(one(kind, text).is_err(), "{text}");
        }
        assert!(items("1,2").is_err());
    }
}
