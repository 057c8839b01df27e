//! Recording: fills the results into a file of records.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use tfe_core::{DataType, Error, Result, Tensor, ensure, err};

use super::read::{file_of, member};
use super::sequence::{Replay, Session, step};
use crate::values::{Values, values};

/// Tensors of more elements are written as base64.
const LONGEST_LIST: usize = 48;

/// The text of a file of records, with what comes of its calls when the sessions that `open` makes execute them.
///
/// What is there of results is replaced; a tolerance stays, a result that is unspecified stays so, and an error that
/// says no message gets none. A case that has neither results nor an error is new: that is how one is added.
///
/// # Errors
/// `InvalidArgument` when the file is not as `FORMAT.md` has it, apart from results that are not there yet.
pub fn record<S: Session>(json: &str, open: &dyn Fn() -> S) -> Result<String> {
    let (mut file, _) = file_of(json)?;
    let op = file.get("op").cloned();
    let mut replay = Replay::new(open);
    let mut lines = Vec::new();
    let cases = file.get_mut("cases").and_then(Value::as_array_mut);
    for case in cases.into_iter().flatten() {
        let case = case
            .as_object_mut()
            .ok_or_else(|| err!(InvalidArgument, "a case is an object"))?;
        fill(case, op.as_ref(), &mut replay)?;
        lines.push(line(&Value::Object(case.clone()))?);
    }
    ensure!(!lines.is_empty(), InvalidArgument, "no case to record");
    let (kind, name) = match &op {
        Some(op) => ("op", op),
        None => ("sequence", member(&file, "sequence")?),
    };
    Ok(format!(
        "{{\"{kind}\":{name},\"tf\":{},\"cases\":[\n{}\n]}}\n",
        json!(replay.version()),
        lines.join(",\n")
    ))
}

fn line(value: &Value) -> Result<String> {
    serde_json::to_string(value).map_err(|e| err!(Internal, "{e}"))
}

fn fill<S: Session>(
    case: &mut Map<String, Value>,
    op: Option<&Value>,
    replay: &mut Replay<'_, S>,
) -> Result<()> {
    let wordless = case
        .get("error")
        .is_some_and(|error| error.get("message").is_none());
    let tolerance = case.shift_remove("tol");
    let unspecified = |old: &Value, i: usize| old.get(i).is_some_and(Value::is_null);
    let old = case.shift_remove("outputs").unwrap_or_default();
    case.shift_remove("error");
    case.shift_remove("on");
    let mut call = case.clone();
    if let Some(op) = op {
        call.insert("op".to_owned(), op.clone());
    }
    // The call of a vector is a step that has room and keeps nothing.
    let (got, on) = replay.step(&step(&Value::Object(call))?);
    let shown = ["op", "copy", "show"]
        .iter()
        .any(|kind| case.contains_key(*kind))
        || op.is_some();
    match got {
        Ok(results) if shown => {
            let results = results.iter().enumerate().map(|(i, t)| match t {
                Some(t) if !unspecified(&old, i) => tensor(t),
                _ => Ok(Value::Null),
            });
            case.insert("outputs".to_owned(), results.collect::<Result<_>>()?);
            if let Some(tolerance) = tolerance {
                case.insert("tol".to_owned(), tolerance);
            }
            if let Some(on) = on.filter(|_| !case.contains_key("op") && op.is_none()) {
                case.insert("on".to_owned(), on.into());
            }
        }
        Ok(_) => {}
        Err(e) => {
            case.insert("error".to_owned(), error(&e, wordless));
        }
    }
    Ok(())
}

fn error(e: &Error, wordless: bool) -> Value {
    let mut error = json!({"code": e.code().name()});
    if !wordless {
        error["message"] = e.message().into();
    }
    error
}

fn tensor(tensor: &Tensor) -> Result<Value> {
    let (key, elements) = match values(tensor)? {
        Values::Text(v) => ("s", v.iter().map(|s| string(s)).collect()),
        _ if tensor.num_elements() > LONGEST_LIST => {
            ("b64", BASE64_STANDARD.encode(tensor.as_bytes()?).into())
        }
        Values::Int(v) => ("v", v.iter().map(|&v| int(v)).collect::<Result<_>>()?),
        Values::Float(v) => ("v", v.iter().map(|&v| float(v, tensor.dtype())).collect()),
        Values::Complex(v) => {
            let parts = v.iter().flat_map(|c| [c.re, c.im]);
            ("v", parts.map(|v| float(v, tensor.dtype())).collect())
        }
    };
    let mut object = json!({"dtype": tensor.dtype().name(), "shape": tensor.dims()});
    object[key] = elements;
    Ok(object)
}

fn string(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(|b| b.is_ascii_graphic() || *b == b' ') => text.into(),
        _ => json!({"b64": BASE64_STANDARD.encode(bytes)}),
    }
}

fn int(value: i128) -> Result<Value> {
    let narrow = i64::try_from(value).map(Value::from);
    let wide = |_| u64::try_from(value).map(Value::from);
    narrow
        .or_else(wide)
        .map_err(|e| err!(Internal, "{value}: {e}"))
}

/// The shortest text that reads back to the same element.
fn float(value: f64, dtype: DataType) -> Value {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.into();
    }
    match dtype {
        DataType::Double | DataType::Complex128 => value.into(),
        // The digits that tell it from other `f32`s, read as an `f64`.
        _ => (value as f32)
            .to_string()
            .parse::<f64>()
            .map_or(Value::Null, Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::read;

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            r#"{"dtype":"float","shape":[4],"v":[0.1,-0.0,"nan","-inf"]}"#,
            r#"{"dtype":"half","shape":[],"v":[0.099975586]}"#,
            r#"{"dtype":"double","shape":[1],"v":[0.1]}"#,
            r#"{"dtype":"uint64","shape":[1],"v":[18446744073709551615]}"#,
            r#"{"dtype":"bool","shape":[2],"v":[1,0]}"#,
            r#"{"dtype":"float8_e5m2","shape":[2],"v":[1.0,"nan"]}"#,
            r#"{"dtype":"int4","shape":[2],"v":[-8,7]}"#,
            r#"{"dtype":"complex64","shape":[],"v":[0.1,-2.0]}"#,
            r#"{"dtype":"string","shape":[2],"s":["a b",{"b64":"/w=="}]}"#,
        ] {
            let value = serde_json::from_str(text).expect("JSON");
            let written = tensor(&read::tensor(&value).expect("a tensor")).expect("known");
            assert_eq!(written.to_string(), text);
        }
    }
}
