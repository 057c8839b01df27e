//! From a literal to a tensor, and which type a literal has that says none.

use tfe_eager::{DTypeSet, DataType, Shape, TString, Tensor, bf16, f16};

use crate::dtype;
use crate::literal::{Literal, Scalar};

/// The types that are tried for literals whose usual type does not fit, before all others.
const PREFERRED: [DataType; 6] = [
    DataType::Int32,
    DataType::Int64,
    DataType::Float,
    DataType::Double,
    DataType::Complex64,
    DataType::Complex128,
];

/// The tensor of that type that a literal says.
pub(crate) fn tensor(literal: &Literal<'_>, dtype: DataType) -> Result<Tensor, String> {
    let dims = literal.shape.as_ref().unwrap_or(&literal.dims);
    let shape = Shape::new(dims).map_err(|e| e.message().to_owned())?;
    let (wanted, given) = (shape.num_elements(), literal.scalars.len());
    let flat = literal.dims.len() == 1 && given == wanted;
    // How often each value is said: one may be for all elements.
    let times = match &literal.scalars[..] {
        [_] if literal.dims.is_empty() => wanted,
        _ if *dims == literal.dims || flat => 1,
        _ => {
            let given = Shape::new(&literal.dims).map_err(|e| e.message().to_owned())?;
            return Err(format!("values of shape {given} are none of shape {shape}"));
        }
    };
    let made = if dtype == DataType::String {
        let strings = literal.scalars.iter().map(|scalar| match scalar {
            Scalar::Text(bytes) => Ok(TString::from(&bytes[..])),
            other => Err(refused(other, dtype)),
        });
        let strings = strings.collect::<Result<Vec<_>, _>>()?;
        Tensor::from_slice(dims, &repeated(strings, times)?)
    } else {
        let mut bytes = Vec::new();
        for scalar in &literal.scalars {
            encode(scalar, dtype, &mut bytes)?;
        }
        Tensor::from_plain_bytes(dtype, shape, &repeated(bytes, times)?)
    };
    made.map_err(|e| e.message().to_owned())
}

/// The values `times` times over.
fn repeated<T: Clone>(values: Vec<T>, times: usize) -> Result<Vec<T>, String> {
    if times == 1 {
        return Ok(values);
    }
    let mut all = Vec::new();
    values
        .len()
        .checked_mul(times)
        .and_then(|n| all.try_reserve_exact(n).ok())
        .ok_or_else(|| format!("there is no memory for {times} elements"))?;
    for _ in 0..times {
        all.extend_from_slice(&values);
    }
    Ok(all)
}

fn refused(scalar: &Scalar<'_>, dtype: DataType) -> String {
    let text = match scalar {
        Scalar::Int(_, text) | Scalar::Decimal(text) => (*text).to_owned(),
        Scalar::Complex(re, im) => format!("{re}+{im}i"),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Text(bytes) => format!("\"{}\"", bytes.escape_ascii()),
    };
    format!("{text} is no {}", dtype::name(dtype))
}

/// Appends the bytes of an element.
fn encode(scalar: &Scalar<'_>, dtype: DataType, bytes: &mut Vec<u8>) -> Result<(), String> {
    let refused = || refused(scalar, dtype);
    let real = |text: &str, dtype, bytes: &mut Vec<u8>| -> Result<(), String> {
        let wide: f64 = text.parse().map_err(|_| refused())?;
        match dtype {
            DataType::Half => bytes.extend(f16::from_f64(wide).to_ne_bytes()),
            DataType::Bfloat16 => bytes.extend(bf16::from_f64(wide).to_ne_bytes()),
            DataType::Double => bytes.extend(wide.to_ne_bytes()),
            // From the text: by way of a double it would be rounded twice.
            _ => bytes.extend(text.parse::<f32>().map_err(|_| refused())?.to_ne_bytes()),
        }
        Ok(())
    };
    match (dtype, scalar) {
        (DataType::Bool, Scalar::Bool(value)) => bytes.push(u8::from(*value)),
        (_, Scalar::Int(value, text)) if dtype::PATTERNS.contains(dtype) => {
            let pattern = u8::try_from(*value).ok();
            let pattern = pattern.filter(|_| text.starts_with("0x"));
            bytes.push(pattern.ok_or_else(|| {
                format!(
                    "{} (its elements are bit patterns, 0x00 to 0xff)",
                    refused()
                )
            })?);
        }
        (_, Scalar::Int(value, _)) if dtype::range(dtype).is_some() => {
            let fits =
                dtype::range(dtype).is_some_and(|(least, most)| (least..=most).contains(value));
            if !fits {
                return Err(refused());
            }
            // Two's complement: the lowest bytes are the number in any width that holds it.
            match dtype.size() {
                1 => {
                    let unused = 8 - dtype::bits(dtype).unwrap_or(8);
                    bytes.push((*value as u8) << unused >> unused);
                }
                2 => bytes.extend((*value as u16).to_ne_bytes()),
                4 => bytes.extend((*value as u32).to_ne_bytes()),
                _ => bytes.extend((*value as u64).to_ne_bytes()),
            }
        }
        (
            DataType::Half | DataType::Bfloat16 | DataType::Float | DataType::Double,
            Scalar::Int(_, text) | Scalar::Decimal(text),
        ) => real(text, dtype, bytes)?,
        (DataType::Complex64 | DataType::Complex128, scalar) => {
            let (re, im) = match scalar {
                Scalar::Int(_, text) | Scalar::Decimal(text) => (*text, "0"),
                Scalar::Complex(re, im) => (*re, *im),
                _ => return Err(refused()),
            };
            let part = match dtype {
                DataType::Complex64 => DataType::Float,
                _ => DataType::Double,
            };
            real(re, part, bytes)?;
            real(im, part, bytes)?;
        }
        _ => return Err(refused()),
    }
    Ok(())
}

/// The type of literals that say none, by TensorFlow's convention: `int32` for integers, or a wider one where they
/// need it, `float32` for decimals and for nothing at all, `complex128` for complex numbers.
pub(crate) fn usual(literals: &[&Literal<'_>]) -> DataType {
    // Each needs what is at or above its rank.
    let rank = |scalar: &Scalar<'_>| match scalar {
        Scalar::Text(_) => DataType::String,
        Scalar::Bool(_) => DataType::Bool,
        Scalar::Complex(..) => DataType::Complex128,
        Scalar::Decimal(_) => DataType::Float,
        Scalar::Int(value, _) if i32::try_from(*value).is_ok() => DataType::Int32,
        Scalar::Int(value, _) if i64::try_from(*value).is_ok() => DataType::Int64,
        Scalar::Int(..) => DataType::Uint64,
    };
    const RANKS: [DataType; 7] = [
        DataType::String,
        DataType::Bool,
        DataType::Complex128,
        DataType::Float,
        DataType::Uint64,
        DataType::Int64,
        DataType::Int32,
    ];
    let found: DTypeSet = literals.iter().flat_map(|l| &l.scalars).map(rank).collect();
    let highest = RANKS.into_iter().find(|&dtype| found.contains(dtype));
    highest.unwrap_or(DataType::Float)
}

/// The type for literals that are to have one type: the default of the attribute that says it, if they can have it;
/// else their usual type, if it is allowed; else one that is.
pub(crate) fn choose(
    literals: &[&Literal<'_>],
    default: Option<DataType>,
    allowed: DTypeSet,
) -> DataType {
    let usual = usual(literals);
    let fits = |dtype: &DataType| {
        allowed.contains(*dtype)
            && literals
                .iter()
                .all(|literal| tensor(literal, *dtype).is_ok())
    };
    let others = PREFERRED.into_iter().chain(allowed.iter());
    let mut candidates = default.into_iter().chain([usual]).chain(others);
    candidates
        .find(fits)
        .unwrap_or_else(|| default.unwrap_or(usual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::parse;

    fn made(text: &str, dtype: DataType) -> Result<String, String> {
        tensor(&parse(text)?, dtype).map(|t| format!("{t:?}"))
    }

    #[test]
    fn shapes_are_filled_and_kept() {
        let of = |text| made(text, DataType::Int32).expect(text);
        assert_eq!(of("7"), "Tensor(int32[] [7])");
        assert_eq!(of("[[1,2],[3,4]]"), "Tensor(int32[2,2] [1, 2, 3, 4])");
        assert_eq!(of("int32[2,2]: 7"), "Tensor(int32[2,2] [7, 7, 7, 7])");
        assert_eq!(of("int32[2,1]: [7, 8]"), "Tensor(int32[2,1] [7, 8])");
        assert_eq!(of("int32[0,2]:"), "Tensor(int32[0,2] [])");
        assert_eq!(of("[[],[]]"), "Tensor(int32[2,0] [])");
        let e = made("int64[1000000000000000]: 1", DataType::Int64).expect_err("too many");
        assert_eq!(e, "there is no memory for 1000000000000000 elements");
        for text in [
            "int32[3]: [1, 2]",
            "int32[2]:",
            "int32[4]: [[1, 2], [3, 4]]",
        ] {
            let e = made(text, DataType::Int32).expect_err(text);
            assert!(e.starts_with("values of shape"), "{text}: {e}");
        }
    }

    #[test]
    fn numbers_must_fit() {
        for (text, dtype) in [
            ("1.5", DataType::Int32),
            ("2.0", DataType::Int32),
            ("128", DataType::Int8),
            ("-1", DataType::Uint64),
            ("18446744073709551616", DataType::Uint64),
            ("8", DataType::Int4),
            ("1", DataType::Bool),
            ("true", DataType::Int32),
            ("1+2i", DataType::Float),
            ("\"1\"", DataType::Float),
            ("1", DataType::String),
            ("1", DataType::Resource),
            ("1", DataType::Float8E5m2),
            ("0x100", DataType::Float8E5m2),
        ] {
            let e = made(text, dtype).expect_err(text);
            assert!(e.contains(" is no "), "{text}: {e}");
        }
        let kept = [
            ("-128", DataType::Int8, "Tensor(int8[] [-128])"),
            (
                "18446744073709551615",
                DataType::Uint64,
                "Tensor(uint64[] [18446744073709551615])",
            ),
            ("0xff", DataType::Uint8, "Tensor(uint8[] [255])"),
            ("3", DataType::Float, "Tensor(float[] [3.0])"),
            ("-inf", DataType::Half, "Tensor(half[] [-inf])"),
            (
                "2",
                DataType::Complex64,
                "Tensor(complex64[] [Complex { re: 2.0, im: 0.0 }])",
            ),
        ];
        for (text, dtype, shown) in kept {
            assert_eq!(made(text, dtype).expect(text), shown);
        }
    }

    #[test]
    fn decimals_are_rounded_once() {
        // Just above the middle of two floats; as a double it is the middle, which rounds to even.
        let text = "1.00000005960464477540";
        assert_eq!(text.parse::<f64>().map(|d| d as f32), Ok(1.0));
        let t = tensor(&parse(text).expect("a number"), DataType::Float).expect("a float");
        assert_eq!(t.scalar_value::<f32>().expect("one"), 1.0 + f32::EPSILON);
    }

    #[test]
    fn types_are_chosen_as_tensorflow_does() {
        #[track_caller]
        fn check(text: &str, allowed: DTypeSet, default: Option<DataType>, wanted: DataType) {
            let literal = parse(text).expect(text);
            assert_eq!(choose(&[&literal], default, allowed), wanted, "{text}");
        }
        use DataType as D;
        check("1", DTypeSet::ANY, None, D::Int32);
        check("3000000000", DTypeSet::ANY, None, D::Int64);
        check("[1, 2.5]", DTypeSet::ANY, None, D::Float);
        check("[]", DTypeSet::ANY, None, D::Float);
        check("1i", DTypeSet::ANY, None, D::Complex128);
        check("true", DTypeSet::ANY, None, D::Bool);
        check("\"a\"", DTypeSet::ANY, None, D::String);
        check("1", DTypeSet::FLOAT, None, D::Float);
        check("1.5", DTypeSet::of(&[D::Double, D::Half]), None, D::Double);
        check("1", DTypeSet::INDEX, Some(D::Int64), D::Int64);
        check("1.5", DTypeSet::ANY, Some(D::Int32), D::Float);
        // No type fits: that is said of the default, or by the runtime.
        check("1.5", DTypeSet::INDEX, Some(D::Int32), D::Int32);
        check("true", DTypeSet::FLOAT, None, D::Bool);
    }
}
