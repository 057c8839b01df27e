//! Results for programs: one line of JSON, from which every value can be had back exactly.
//!
//! ```text
//! {"outputs":[{"name":"z","dtype":"float32","shape":[2],"device":"/job:…/device:CPU:0","values":[1.5,"NaN"]}]}
//! ```
//!
//! The values are flat, row-major. Numbers are numbers with as many digits as they need; what a number of JSON, which
//! many programs read as a double, cannot hold is a string: `"NaN"`, `"Infinity"`, `"-Infinity"`, and integers beyond
//! ±2^53. A complex number is a pair. A string is a string where it is UTF-8, else `{"b64":"…"}`. Types without numbers
//! are bit patterns; resources and variants are `null`.

use std::io::{self, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use tfe_eager::{
    Complex64, Complex128, DataType, ResourceHandle, Result, TString, Tensor, Variant, bf16,
    dispatch, f16,
};

use crate::call::Output;
use crate::dtype;
use crate::print::{self, each};

/// The greatest integer up to which a double holds all.
const EXACT: i128 = 1 << 53;

/// Writes the results of a call.
pub(crate) fn outputs(out: &mut dyn Write, outputs: &[Output]) -> io::Result<()> {
    out.write_all(b"{\"outputs\":[")?;
    for (
        i,
        Output {
            name,
            tensor,
            device,
        },
    ) in outputs.iter().enumerate()
    {
        let comma = if i > 0 { "," } else { "" };
        write!(
            out,
            "{comma}{{\"name\":{},\"dtype\":{},\"shape\":{},\"device\":{},\"values\":[",
            json!(name),
            json!(dtype::name(tensor.dtype())),
            json!(tensor.dims()),
            json!(device),
        )?;
        values(out, tensor)?;
        out.write_all(b"]}")?;
    }
    out.write_all(b"]}\n")
}

fn values(out: &mut dyn Write, tensor: &Tensor) -> io::Result<()> {
    let texts = texts(tensor).map_err(io::Error::other)?;
    for i in 0..tensor.num_elements() {
        if i > 0 {
            out.write_all(b",")?;
        }
        out.write_all(texts(i).as_bytes())?;
    }
    Ok(())
}

/// Each element as JSON.
fn texts(tensor: &Tensor) -> Result<print::Elements> {
    if dtype::bits(tensor.dtype()).is_some() {
        return print::elements(tensor);
    }
    let stored = print::stored(tensor)?;
    match stored.dtype() {
        // Who reads this computes in more digits than 16 bits have: all that the values have.
        DataType::Half => each(stored, |v: &f16| real(print::single(v.to_f32()))),
        DataType::Bfloat16 => each(stored, |v: &bf16| real(print::single(v.to_f32()))),
        DataType::Float => each(stored, |v: &f32| real(print::single(*v))),
        DataType::Double => each(stored, |v: &f64| real(print::double(*v))),
        DataType::Complex64 => each(stored, |v: &Complex64| {
            pair(print::single(v.re), print::single(v.im))
        }),
        DataType::Complex128 => each(stored, |v: &Complex128| {
            pair(print::double(v.re), print::double(v.im))
        }),
        DataType::Bool => each(stored, bool::to_string),
        DataType::String => each(stored, |v: &TString| string(v.as_bytes())),
        DataType::Resource => each(stored, |_: &ResourceHandle| "null".to_owned()),
        DataType::Variant => each(stored, |_: &Variant| "null".to_owned()),
        other => dispatch!(other, Int, |T| each(stored, |v: &T| integer(i128::from(
            *v
        )))),
    }
}

fn real(text: String) -> String {
    match &*text {
        "nan" => "\"NaN\"".to_owned(),
        "inf" => "\"Infinity\"".to_owned(),
        "-inf" => "\"-Infinity\"".to_owned(),
        _ => text,
    }
}

fn pair(re: String, im: String) -> String {
    format!("[{},{}]", real(re), real(im))
}

fn integer(value: i128) -> String {
    match value.abs() <= EXACT {
        true => value.to_string(),
        false => format!("\"{value}\""),
    }
}

fn string(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text).to_string(),
        Err(_) => json!({ "b64": BASE64_STANDARD.encode(bytes) }).to_string(),
    }
}
