//! `StringToNumber`: the numbers that strings spell, with white space around them.

use tfe_core::{DTypeSet, DataType, Plain, Result, TString, dispatch, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_host::rules;
use tfe_ops::ops;

use super::utf8::trimmed;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("out_type", TYPES)],
    ..KernelDef::host(ops::STRING_TO_NUMBER, rules::like::<0>, build)
}];

const TYPES: DTypeSet = DTypeSet::of(&[
    DataType::Float,
    DataType::Double,
    DataType::Int32,
    DataType::Int64,
    DataType::Uint32,
    DataType::Uint64,
]);

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(
        init.attrs.dtype("out_type")?,
        [Float, Double, Int32, Int64, Uint32, Uint64],
        |T| Ok(Box::new(convert::<T>))
    )
}

fn convert<T: Spelled>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let strings = ctx.input(0);
    let numbers = strings.as_slice::<TString>()?.iter().map(|string| {
        std::str::from_utf8(trimmed(string.as_bytes()))
            .ok()
            .and_then(T::parse)
            .ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "StringToNumberOp could not correctly convert string: {}",
                    string.to_string_lossy()
                )
            })
    });
    let out = ctx.output(0)?.try_fill_from(numbers)?;
    ctx.set_output(0, out);
    Ok(())
}

/// A number as strings spell it.
trait Spelled: Plain {
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Spelled for $t {
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}
integers!(i32, i64, u32, u64);

macro_rules! floats {
    ($($t:ty: |$x:ident| $narrow:expr;)*) => {$(
        impl Spelled for $t {
            fn parse(text: &str) -> Option<Self> {
                let (is_negative, text) = match text.as_bytes().first()? {
                    b'-' => (true, &text[1..]),
                    b'+' => (false, &text[1..]),
                    _ => (false, text),
                };
                if text.starts_with(['+', '-']) {
                    return None;
                }
                let text = text.to_ascii_lowercase();
                let magnitude = if let Some(digits) = text.strip_prefix("0x") {
                    let (significand, exponent) = hexadecimal(digits)?;
                    // Rounded to the digits of the type first: scaling changes none of them.
                    let significand = f64::from(significand as $t);
                    let half = 2f64.powi(exponent / 2);
                    let $x = significand * half * 2f64.powi(exponent - exponent / 2);
                    $narrow
                } else if is_nan_with_payload(&text) {
                    <$t>::NAN
                } else {
                    text.parse().ok()?
                };
                Some(if is_negative { -magnitude } else { magnitude })
            }
        }
    )*};
}
floats! {
    f32: |x| x as f32;
    f64: |x| x;
}

/// `nan(...)`, with letters and digits within.
fn is_nan_with_payload(text: &str) -> bool {
    let payload = text
        .strip_prefix("nan(")
        .and_then(|rest| rest.strip_suffix(')'));
    payload.is_some_and(|p| p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// The significand and binary exponent of `1.8p-3`. The lowest bit of a long significand stands for all that follow.
fn hexadecimal(text: &str) -> Option<(u64, i32)> {
    let (digits, exponent) = match text.split_once('p') {
        Some((digits, exponent)) => (digits, power(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut significand = 0u64;
    let mut exponent = i64::from(exponent);
    for (i, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(16)?);
        let is_fraction = i >= whole.len();
        if significand >> 60 == 0 {
            significand = significand << 4 | digit;
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            significand |= u64::from(digit != 0);
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    let exponent = exponent.clamp(i64::from(-LARGE), i64::from(LARGE)) as i32;
    (whole.len() + fraction.len() > 0).then_some((significand, exponent))
}

/// Beyond this exponent every number is zero or infinite.
const LARGE: i32 = 4000;

/// A decimal exponent, as far as it matters.
fn power(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse().map_or(LARGE, |n: i32| n.min(LARGE));
    Some(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}
