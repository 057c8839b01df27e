//! What an attribute's value adds to a cache key.

use tfe_core::{PartialShape, TString, Tensor};

use crate::fingerprint::{Fingerprint128, Fingerprinter};
use crate::{AttrKind, AttrValue, FuncAttr};

/// Keeps lists apart from single values of the same kind.
const LIST: u64 = 16;
/// Empty lists of all kinds are the same value.
const EMPTY_LIST: u64 = 32;

/// The fingerprint of `value` as the value of the attribute that `attr` stands for.
#[inline]
pub(crate) fn mix(attr: Fingerprint128, value: &AttrValue) -> Fingerprint128 {
    let (kind, word) = match value {
        AttrValue::Int(v) => (AttrKind::Int, *v as u64),
        AttrValue::Float(v) => (AttrKind::Float, v.to_bits().into()),
        AttrValue::Bool(v) => (AttrKind::Bool, (*v).into()),
        AttrValue::Type(v) => return mix_type(attr, *v),
        _ => return mix_big(attr, value),
    };
    attr.of_word(kind as u64, word)
}

/// [`mix`] of the number of a data type.
#[inline]
pub(crate) fn mix_type(attr: Fingerprint128, number: i32) -> Fingerprint128 {
    attr.of_word(AttrKind::Type as u64, number as u32 as u64)
}

fn mix_big(attr: Fingerprint128, value: &AttrValue) -> Fingerprint128 {
    let mut stream = Fingerprinter::new(attr);
    take_in(&mut stream, value);
    stream.finish()
}

fn take_in(stream: &mut Fingerprinter, value: &AttrValue) {
    let kind = value.kind() as u64;
    match value.list_len() {
        Some(0) => return stream.word(EMPTY_LIST),
        Some(len) => {
            stream.word(kind | LIST);
            stream.word(len as u64);
        }
        None => stream.word(kind),
    }
    match value {
        AttrValue::Int(v) => stream.word(*v as u64),
        AttrValue::Float(v) => stream.word(v.to_bits().into()),
        AttrValue::Bool(v) => stream.word((*v).into()),
        AttrValue::Type(v) => stream.word(*v as u32 as u64),
        AttrValue::String(v) => stream.bytes(v),
        AttrValue::Placeholder(v) => stream.bytes(v.as_bytes()),
        AttrValue::Shape(v) => shape(stream, v),
        AttrValue::Tensor(v) => tensor(stream, v),
        AttrValue::Func(v) => func(stream, v),
        AttrValue::Strings(v) => v.iter().for_each(|v| stream.bytes(v)),
        AttrValue::Ints(v) => v.iter().for_each(|&v| stream.word(v as u64)),
        AttrValue::Floats(v) => v.iter().for_each(|v| stream.word(v.to_bits().into())),
        AttrValue::Bools(v) => v.iter().for_each(|&v| stream.word(v.into())),
        AttrValue::Types(v) => v.iter().for_each(|&v| stream.word(v as u32 as u64)),
        AttrValue::Shapes(v) => v.iter().for_each(|v| shape(stream, v)),
        AttrValue::Tensors(v) => v.iter().for_each(|v| tensor(stream, v)),
        AttrValue::Funcs(v) => v.iter().for_each(|v| func(stream, v)),
    }
}

fn shape(stream: &mut Fingerprinter, shape: &PartialShape) {
    match shape.dims() {
        None => stream.word(u64::MAX),
        Some(dims) => {
            stream.word(dims.len() as u64);
            dims.iter().for_each(|&d| stream.word(d as u64));
        }
    }
}

fn tensor(stream: &mut Fingerprinter, tensor: &Tensor) {
    stream.word(tensor.dtype().number() as u64);
    shape(stream, &tensor.shape().into());
    if let Ok(bytes) = tensor.as_bytes() {
        stream.bytes(bytes);
    } else if let Ok(strings) = tensor.as_slice::<TString>() {
        strings.iter().for_each(|s| stream.bytes(s.as_bytes()));
    } else {
        // Handles and device memory: the tensor stands for itself.
        stream.word(tensor.buffer().as_ptr().addr() as u64);
        stream.word(tensor.offset() as u64);
    }
}

fn func(stream: &mut Fingerprinter, func: &FuncAttr) {
    stream.bytes(func.name.as_bytes());
    stream.word(func.attrs().len() as u64);
    for (name, value) in func.attrs() {
        stream.bytes(name.as_bytes());
        take_in(stream, value);
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::DataType;

    use super::*;

    #[test]
    fn unlike_values_differ_in_both_halves() {
        let of = |dims: &[i64]| PartialShape::of(dims);
        let tensor = |dims: &[i64]| Tensor::from_slice(dims, &[1i32, 2, 3, 4]).expect("valid");
        let strings = |s: &[&str]| {
            let s: Vec<TString> = s.iter().map(|&s| s.into()).collect();
            Tensor::vector(&s).expect("valid")
        };
        let values: Vec<AttrValue> = vec![
            AttrValue::from(1i64),
            AttrValue::from(true),
            AttrValue::Type(1),
            AttrValue::Type(-1),
            AttrValue::from(f32::from_bits(1)),
            AttrValue::from(0.0f32),
            AttrValue::from(-0.0f32),
            AttrValue::from(f32::NAN),
            AttrValue::from(f32::from_bits(f32::NAN.to_bits() | 1)),
            AttrValue::from(""),
            AttrValue::from("\0"),
            AttrValue::Placeholder("".into()),
            AttrValue::from([1i64]),
            AttrValue::from([1i64, 0]),
            AttrValue::from([true]),
            AttrValue::from([f32::from_bits(1)]),
            AttrValue::from([DataType::Float]),
            AttrValue::empty_list(),
            AttrValue::from(PartialShape::unknown()),
            AttrValue::from(of(&[])),
            AttrValue::from(of(&[-1])),
            AttrValue::from(of(&[0])),
            AttrValue::from(vec![of(&[1, 2]), of(&[])]),
            AttrValue::from(vec![of(&[1]), of(&[2])]),
            AttrValue::from(["ab", "c"]),
            AttrValue::from(["a", "bc"]),
            AttrValue::from(tensor(&[4])),
            AttrValue::from(tensor(&[2, 2])),
            AttrValue::from(vec![tensor(&[4])]),
            AttrValue::from(strings(&["ab", "c"])),
            AttrValue::from(strings(&["a", "bc"])),
            AttrValue::from(FuncAttr::new("f")),
            AttrValue::from(FuncAttr::new("f").with("T", 1i64)),
            AttrValue::from(FuncAttr::new("f").with("T", true)),
            AttrValue::from(FuncAttr::new("f").with("U", 1i64)),
            AttrValue::from(vec![FuncAttr::new("f")]),
        ];
        let attr = Fingerprint128::of(b"attr");
        for (i, a) in values.iter().enumerate() {
            for b in &values[..i] {
                let (x, y) = (mix(attr, a), mix(attr, b));
                assert!(x.lo != y.lo && x.hi != y.hi, "{a} and {b}");
                assert_ne!(a, b);
            }
            let (x, y) = (mix(attr, a), mix(Fingerprint128::of(b"other"), a));
            assert!(x.lo != y.lo && x.hi != y.hi, "{a} for two attributes");
        }
    }

    #[test]
    fn equal_values_mix_equally() {
        let attr = Fingerprint128::of(b"attr");
        let func = |names: [&str; 2]| {
            let f = names
                .iter()
                .fold(FuncAttr::new("f"), |f, n| f.with(n, n.len() as i64));
            mix(attr, &f.into())
        };
        assert_eq!(func(["a", "bb"]), func(["bb", "a"]));
        assert_eq!(
            mix(attr, &AttrValue::from(Vec::<f32>::new())),
            mix(attr, &AttrValue::empty_list())
        );
    }
}
