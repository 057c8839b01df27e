//! Reads golden vectors from JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use tfe_core::{
    Code, Complex, DataType, Error, PartialShape, Result, Shape, Tensor, bail, ensure, err,
};
use tfe_ops::{AttrValue, FuncAttr};

use super::{Case, Outcome, Vectors};
use crate::compare::Tolerance;
use crate::narrow;
use crate::values::{self, Values};

/// The JSON of a file, and the version that was recorded.
pub(super) fn file_of(json: &str) -> Result<(Value, String)> {
    let file: Value =
        serde_json::from_str(json).map_err(|e| err!(InvalidArgument, "no JSON: {e}"))?;
    let recorded_from = text(member(&file, "tf")?)?.to_owned();
    Ok((file, recorded_from))
}

pub(super) fn vectors(json: &str) -> Result<Vectors> {
    let (file, recorded_from) = file_of(json)?;
    let op = text(member(&file, "op")?)?.to_owned();
    let mut cases: Vec<Case> = Vec::new();
    for value in array(member(&file, "cases")?)? {
        let name = text(member(value, "name")?)?;
        let case = case(name, value).map_err(|e| e.with_context(format_args!("{op}/{name}")))?;
        ensure!(
            cases.iter().all(|other| other.name != name),
            InvalidArgument,
            "two cases are called {op}/{name}"
        );
        cases.push(case);
    }
    Ok(Vectors {
        op,
        recorded_from,
        cases,
    })
}

fn case(name: &str, value: &Value) -> Result<Case> {
    let inputs = array(member(value, "inputs")?)?.iter().map(tensor);
    Ok(Case {
        name: name.to_owned(),
        attrs: attrs(value)?,
        inputs: inputs.collect::<Result<_>>()?,
        outcome: outcome(value)?,
    })
}

/// The attributes of a case.
pub(super) fn attrs(value: &Value) -> Result<Vec<(String, AttrValue)>> {
    let attrs = member(value, "attrs")?
        .as_object()
        .ok_or_else(|| unlike("an object"))?;
    let attrs = attrs.iter().map(|(name, v)| Ok((name.clone(), attr(v)?)));
    attrs.collect()
}

pub(super) fn outcome(value: &Value) -> Result<Outcome> {
    if let Some(error) = value.get("error") {
        let code = text(member(error, "code")?)?;
        return Ok(Outcome::Failure {
            code: Code::from_name(code).ok_or_else(|| unlike("a status code"))?,
            message: error
                .get("message")
                .map(text)
                .transpose()?
                .map(str::to_owned),
        });
    }
    let outputs = array(member(value, "outputs")?)?.iter().map(|output| {
        if output.is_null() {
            Ok(None)
        } else {
            tensor(output).map(Some)
        }
    });
    let tolerance = match value.get("tol") {
        Some(tol) => Some(Tolerance {
            rtol: float(member(tol, "rtol")?)?,
            atol: float(member(tol, "atol")?)?,
        }),
        None => None,
    };
    Ok(Outcome::Results(outputs.collect::<Result<_>>()?, tolerance))
}

fn attr(value: &Value) -> Result<AttrValue> {
    let object = value.as_object().filter(|o| o.len() == 1);
    let Some((kind, v)) = object.and_then(|o| o.iter().next()) else {
        bail!(InvalidArgument, "an attribute has one kind and one value");
    };
    Ok(match kind.as_str() {
        // A number that is no data type has no name.
        "type" => match v.as_i64() {
            Some(number) => AttrValue::Type(number as i32),
            None => data_type(v)?.into(),
        },
        "tensor" => tensor(v)?.into(),
        "func" => FuncAttr::new(text(v)?).into(),
        "int" => int(v)?.into(),
        // The recorded text reads back to the same `f32`.
        "float" => (float(v)? as f32).into(),
        "bool" => v.as_bool().ok_or_else(|| unlike("true or false"))?.into(),
        "string" => bytes(v)?[..].into(),
        "shape" => shape(v)?.into(),
        "list(type)" => list(v, data_type)?.into(),
        "list(int)" => list(v, int)?.into(),
        "list(bool)" => list(v, |v| v.as_bool().ok_or_else(|| unlike("true or false")))?.into(),
        "list(shape)" => list(v, shape)?.into(),
        "list(float)" => list(v, |v| Ok(float(v)? as f32))?.into(),
        "list(string)" => list(v, text)?.as_slice().into(),
        other => bail!(InvalidArgument, "unknown kind of attribute '{other}'"),
    })
}

fn shape(value: &Value) -> Result<PartialShape> {
    if value.is_null() {
        return Ok(PartialShape::unknown());
    }
    Ok(PartialShape::of(&list(value, int)?))
}

pub(super) fn tensor(value: &Value) -> Result<Tensor> {
    let dtype = data_type(member(value, "dtype")?)?;
    let dims = list(member(value, "shape")?, int)?;
    if let Some(bytes) = value.get("b64") {
        return Tensor::from_plain_bytes(dtype, Shape::new(&dims)?, &base64(bytes)?);
    }
    let values = if let Some(strings) = value.get("s") {
        Values::Text(list(strings, bytes)?)
    } else {
        let v = member(value, "v")?;
        match dtype {
            DataType::Half | DataType::Bfloat16 | DataType::Float | DataType::Double => {
                Values::Float(list(v, float)?)
            }
            _ if narrow::is_float(dtype) => Values::Float(list(v, float)?),
            DataType::Complex64 | DataType::Complex128 => {
                let parts = list(v, float)?;
                ensure!(
                    parts.len() % 2 == 0,
                    InvalidArgument,
                    "half a complex number"
                );
                let pairs = parts.chunks_exact(2).map(|p| Complex::new(p[0], p[1]));
                Values::Complex(pairs.collect())
            }
            _ => Values::Int(list(v, wide_int)?),
        }
    };
    values::tensor(dtype, &dims, &values)
}

fn data_type(value: &Value) -> Result<DataType> {
    let name = text(value)?;
    DataType::from_name(name).ok_or_else(|| err!(InvalidArgument, "no data type '{name}'"))
}

fn float(value: &Value) -> Result<f64> {
    match value {
        Value::String(s) if s == "nan" => Ok(f64::NAN),
        Value::String(s) if s == "inf" => Ok(f64::INFINITY),
        Value::String(s) if s == "-inf" => Ok(f64::NEG_INFINITY),
        other => other.as_f64().ok_or_else(|| unlike("a float")),
    }
}

pub(super) fn int(value: &Value) -> Result<i64> {
    value.as_i64().ok_or_else(|| unlike("an integer"))
}

fn wide_int(value: &Value) -> Result<i128> {
    let wide = value
        .as_i64()
        .map(i128::from)
        .or_else(|| value.as_u64().map(i128::from));
    wide.ok_or_else(|| unlike("an integer"))
}

fn bytes(value: &Value) -> Result<Vec<u8>> {
    match value.get("b64") {
        Some(bytes) => base64(bytes),
        None => Ok(text(value)?.as_bytes().to_vec()),
    }
}

fn base64(value: &Value) -> Result<Vec<u8>> {
    BASE64_STANDARD
        .decode(text(value)?)
        .map_err(|e| err!(InvalidArgument, "no base64: {e}"))
}

pub(super) fn list<'a, T>(
    value: &'a Value,
    item: impl Fn(&'a Value) -> Result<T>,
) -> Result<Vec<T>> {
    array(value)?.iter().map(item).collect()
}

pub(super) fn array(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().ok_or_else(|| unlike("a list"))
}

pub(super) fn text(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| unlike("a string"))
}

pub(super) fn member<'a>(value: &'a Value, name: &str) -> Result<&'a Value> {
    value
        .get(name)
        .ok_or_else(|| err!(InvalidArgument, "'{name}' is missing"))
}

fn unlike(wanted: &str) -> Error {
    err!(InvalidArgument, "expected {wanted}")
}

#[cfg(test)]
mod tests {
    use tfe_core::{TString, bf16};

    use super::*;

    fn read(json: &str) -> Result<Tensor> {
        tensor(&serde_json::from_str(json).expect("JSON"))
    }

    #[test]
    fn every_form_of_tensor_is_read() {
        let t = read(r#"{"dtype":"uint64","shape":[2],"v":[18446744073709551615,0]}"#);
        assert_eq!(
            t.expect("valid").as_slice::<u64>().expect("uint64"),
            [u64::MAX, 0]
        );
        let t = read(r#"{"dtype":"double","shape":[],"v":[-9.118225799784837e-309]}"#);
        assert_eq!(
            t.expect("valid").scalar_value::<f64>().expect("double"),
            "-9.118225799784837e-309".parse::<f64>().expect("a number")
        );
        let t = read(r#"{"dtype":"bfloat16","shape":[3],"v":["-inf",-0.0,0.1]}"#).expect("valid");
        let bits: Vec<u16> = t
            .as_slice::<bf16>()
            .expect("bf16")
            .iter()
            .map(|v| v.to_bits())
            .collect();
        assert_eq!(bits, [0xff80, 0x8000, 0x3dcd]);
        let t = read(r#"{"dtype":"string","shape":[2],"s":["a",{"b64":"/w=="}]}"#).expect("valid");
        assert_eq!(
            t.as_slice::<TString>().expect("strings")[1].as_bytes(),
            [0xff]
        );
        let t = read(r#"{"dtype":"int32","shape":[1],"b64":"AQAAAA=="}"#).expect("valid");
        assert_eq!(t.as_slice::<i32>().expect("int32"), [1]);
    }

    #[test]
    fn what_is_no_tensor_is_refused() {
        for json in [
            r#"{"dtype":"float","shape":[2],"v":[1.0]}"#,
            r#"{"dtype":"float","shape":[1],"v":["1"]}"#,
            r#"{"dtype":"int3","shape":[1],"v":[1]}"#,
            r#"{"dtype":"int32","shape":[1],"b64":"AQAA"}"#,
            r#"{"dtype":"int32","shape":[1]}"#,
            r#"{"dtype":"int32","shape":[1],"v":[1.5]}"#,
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
