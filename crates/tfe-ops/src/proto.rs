//! Attribute values and shapes, from and to their protocol buffer messages.

use std::collections::BTreeMap;

use tfe_core::{PartialShape, Result, Shape, bail, ensure, err};
use tfe_proto::tensorflow as pb;
use tfe_proto::tensorflow::attr_value::{ListValue, Value};

use crate::tensor_proto::{self, Budget};
use crate::{AttrKind, AttrValue, FuncAttr};

/// Reads a shape; a negative dimension other than -1 is kept, for [`PartialShape::validate`] to find.
pub fn shape_from_proto(proto: &pb::TensorShapeProto) -> PartialShape {
    if proto.unknown_rank {
        return PartialShape::unknown();
    }
    let dims: Vec<i64> = proto.dim.iter().map(|d| d.size).collect();
    PartialShape::of(&dims)
}

/// Writes a shape.
pub fn shape_to_proto(shape: &PartialShape) -> pb::TensorShapeProto {
    pb::TensorShapeProto {
        unknown_rank: shape.dims().is_none(),
        dim: dims_to_proto(shape.dims().unwrap_or_default()),
    }
}

pub(crate) fn full_shape_to_proto(shape: &Shape) -> pb::TensorShapeProto {
    pb::TensorShapeProto {
        unknown_rank: false,
        dim: dims_to_proto(shape.dims()),
    }
}

fn dims_to_proto(dims: &[i64]) -> Vec<pb::tensor_shape_proto::Dim> {
    let dim = |&size: &i64| pb::tensor_shape_proto::Dim {
        size,
        name: String::new(),
    };
    dims.iter().map(dim).collect()
}

/// Reads a value; an empty list comes back without a kind (as [`AttrValue::empty_list`]).
///
/// # Errors
/// `InvalidArgument` when no value is set, when a list mixes kinds, or when a tensor in it is malformed.
///
/// ```
/// use tfe_ops::{AttrValue, attr_value_from_proto, attr_value_to_proto};
///
/// let value = AttrValue::from(["NHWC", "NCHW"]);
/// assert_eq!(attr_value_from_proto(&attr_value_to_proto(&value)?)?, value);
/// assert!(attr_value_from_proto(&Default::default()).is_err());
/// # Ok::<(), tfe_core::Error>(())
/// ```
pub fn attr_value_from_proto(proto: &pb::AttrValue) -> Result<AttrValue> {
    value_from_proto(proto, &mut Budget::new())
}

/// Reads the value of an attribute that is declared with a type. A list may be left unset: it is empty then.
///
/// A value of another type is no error here: who checks attributes reports it.
///
/// # Errors
/// As [`attr_value_from_proto`].
pub fn attr_value_from_proto_as(
    proto: &pb::AttrValue,
    kind: AttrKind,
    is_list: bool,
) -> Result<AttrValue> {
    match &proto.value {
        None if is_list => Ok(AttrValue::empty_list()),
        None => bail!(
            InvalidArgument,
            "AttrValue missing value with expected type '{}'",
            kind.name()
        ),
        Some(_) => attr_value_from_proto(proto),
    }
}

fn value_from_proto(proto: &pb::AttrValue, budget: &mut Budget) -> Result<AttrValue> {
    let value = proto
        .value
        .as_ref()
        .ok_or_else(|| err!(InvalidArgument, "AttrValue missing value"))?;
    Ok(match value {
        Value::S(v) => AttrValue::from(v.as_slice()),
        Value::I(v) => AttrValue::Int(*v),
        Value::F(v) => AttrValue::Float(*v),
        Value::B(v) => AttrValue::Bool(*v),
        Value::Type(v) => AttrValue::Type(*v),
        Value::Shape(v) => AttrValue::from(shape_from_proto(v)),
        Value::Tensor(v) => AttrValue::from(tensor_proto::read(v, budget)?),
        Value::Placeholder(v) => AttrValue::Placeholder(v.as_str().into()),
        Value::Func(v) => AttrValue::from(func_from_proto(v, budget)?),
        Value::List(v) => list_from_proto(v, budget)?,
    })
}

fn func_from_proto(proto: &pb::NameAttrList, budget: &mut Budget) -> Result<FuncAttr> {
    let mut func = FuncAttr::new(&proto.name);
    for (name, value) in &proto.attr {
        func = func.with(name, value_from_proto(value, budget)?);
    }
    Ok(func)
}

fn list_from_proto(list: &ListValue, budget: &mut Budget) -> Result<AttrValue> {
    let lengths = [
        list.s.len(),
        list.i.len(),
        list.f.len(),
        list.b.len(),
        list.r#type.len(),
        list.shape.len(),
        list.tensor.len(),
        list.func.len(),
    ];
    ensure!(
        lengths.iter().filter(|&&n| n > 0).count() <= 1,
        InvalidArgument,
        "AttrValue had a list of values of several types"
    );
    Ok(if !list.s.is_empty() {
        AttrValue::Strings(list.s.iter().map(|s| s.as_slice().into()).collect())
    } else if !list.f.is_empty() {
        AttrValue::Floats(list.f.as_slice().into())
    } else if !list.b.is_empty() {
        AttrValue::Bools(list.b.as_slice().into())
    } else if !list.r#type.is_empty() {
        AttrValue::Types(list.r#type.as_slice().into())
    } else if !list.shape.is_empty() {
        AttrValue::Shapes(list.shape.iter().map(shape_from_proto).collect())
    } else if !list.tensor.is_empty() {
        let tensors = list.tensor.iter().map(|t| tensor_proto::read(t, budget));
        AttrValue::Tensors(tensors.collect::<Result<_>>()?)
    } else if !list.func.is_empty() {
        let funcs = list.func.iter().map(|f| func_from_proto(f, budget));
        AttrValue::Funcs(funcs.collect::<Result<_>>()?)
    } else {
        AttrValue::Ints(list.i.as_slice().into())
    })
}

/// Writes a value.
///
/// # Errors
/// As [`tensor_to_proto`](crate::tensor_to_proto), for the tensors in it.
pub fn attr_value_to_proto(value: &AttrValue) -> Result<pb::AttrValue> {
    let list = |list: ListValue| Value::List(list);
    let empty = ListValue::default();
    let value = match value {
        AttrValue::String(v) => Value::S(v.to_vec()),
        AttrValue::Int(v) => Value::I(*v),
        AttrValue::Float(v) => Value::F(*v),
        AttrValue::Bool(v) => Value::B(*v),
        AttrValue::Type(v) => Value::Type(*v),
        AttrValue::Shape(v) => Value::Shape(shape_to_proto(v)),
        AttrValue::Tensor(v) => Value::Tensor(Box::new(tensor_proto::tensor_to_proto(v)?)),
        AttrValue::Placeholder(v) => Value::Placeholder(v.to_string()),
        AttrValue::Func(v) => Value::Func(func_to_proto(v)?),
        AttrValue::Strings(v) => list(ListValue {
            s: v.iter().map(|s| s.to_vec()).collect(),
            ..empty
        }),
        AttrValue::Ints(v) => list(ListValue {
            i: v.to_vec(),
            ..empty
        }),
        AttrValue::Floats(v) => list(ListValue {
            f: v.to_vec(),
            ..empty
        }),
        AttrValue::Bools(v) => list(ListValue {
            b: v.to_vec(),
            ..empty
        }),
        AttrValue::Types(v) => list(ListValue {
            r#type: v.to_vec(),
            ..empty
        }),
        AttrValue::Shapes(v) => list(ListValue {
            shape: v.iter().map(shape_to_proto).collect(),
            ..empty
        }),
        AttrValue::Tensors(v) => list(ListValue {
            tensor: v
                .iter()
                .map(tensor_proto::tensor_to_proto)
                .collect::<Result<_>>()?,
            ..empty
        }),
        AttrValue::Funcs(v) => list(ListValue {
            func: v.iter().map(func_to_proto).collect::<Result<_>>()?,
            ..empty
        }),
    };
    Ok(pb::AttrValue { value: Some(value) })
}

fn func_to_proto(func: &FuncAttr) -> Result<pb::NameAttrList> {
    let attrs = func
        .attrs()
        .map(|(name, value)| Ok((name.to_owned(), attr_value_to_proto(value)?)));
    Ok(pb::NameAttrList {
        name: func.name.to_string(),
        attr: attrs.collect::<Result<BTreeMap<_, _>>>()?,
    })
}

#[cfg(test)]
mod tests {
    use tfe_core::{DataType, Tensor};

    use super::*;

    #[test]
    fn every_kind_round_trips() {
        let shapes = || {
            vec![
                PartialShape::unknown(),
                PartialShape::of(&[]),
                PartialShape::of(&[2, -1, -7]),
            ]
        };
        let tensor = Tensor::from_slice(&[2], &[1.5f32, f32::NAN]).expect("valid");
        let func = FuncAttr::new("f")
            .with("T", DataType::Float)
            .with("g", FuncAttr::new("g").with("n", [1i64, 2]));
        let mut values: Vec<AttrValue> = vec![
            AttrValue::from(b"\xff\0".as_slice()),
            AttrValue::from(i64::MIN),
            AttrValue::from(f32::from_bits(0x7fa0_0001)),
            AttrValue::from(true),
            AttrValue::Type(77),
            AttrValue::from(tensor.clone()),
            AttrValue::Placeholder("T".into()),
            AttrValue::from(func.clone()),
            AttrValue::from(["a", ""]),
            AttrValue::from([0i64, -1]),
            AttrValue::from([-0.0f32]),
            AttrValue::from([false, true]),
            AttrValue::from([DataType::Int8, DataType::Variant]),
            AttrValue::from(shapes()),
            AttrValue::from(vec![tensor]),
            AttrValue::from(vec![func, FuncAttr::new("h")]),
            AttrValue::empty_list(),
        ];
        values.extend(shapes().into_iter().map(AttrValue::from));
        for value in values {
            let proto = attr_value_to_proto(&value).expect("writes");
            assert_eq!(attr_value_from_proto(&proto).expect("reads"), value);
        }
    }

    #[test]
    fn lists_of_several_kinds_are_refused() {
        let list = ListValue {
            i: vec![1],
            b: vec![true],
            ..ListValue::default()
        };
        let proto = pb::AttrValue {
            value: Some(Value::List(list)),
        };
        assert!(attr_value_from_proto(&proto).is_err());
    }
}
