//! `Cast`.

use tfe_core::{Code, Complex, DTypeSet, DataType, Result, Tensor};

use super::{Samples, Suite, Want, attrs, zeros};
use crate::conformance::data::{flushed, int_range, odd, ordinary};
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

pub(super) const SUITE: Suite = Suite {
    op: "Cast",
    types: &["SrcT", "DstT"],
    samples,
    plain,
    without_kernel: Code::NotFound,
};

const FLOAT8: DTypeSet = DTypeSet::of(&[DataType::Float8E5m2, DataType::Float8E4m3fn]);
const INT4: DTypeSet = DTypeSet::of(&[DataType::Int4, DataType::Uint4]);
const QUANTISED: DTypeSet = DTypeSet::of(&[
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint16,
    DataType::Quint16,
    DataType::Qint32,
]);
const INTEGER: DTypeSet = DTypeSet::INT.union(QUANTISED);
const NUMBER: DTypeSet = DTypeSet::NUMBER
    .union(QUANTISED)
    .union(DTypeSet::of(&[DataType::Bool]));

/// Whether TensorFlow casts between the two: found by trying all pairs.
fn castable(from: DataType, to: DataType) -> bool {
    let with = |set: DTypeSet, others: DTypeSet| set.contains(from) && others.contains(to);
    from == to
        || with(NUMBER, NUMBER)
        || with(DTypeSet::FLOAT.union(FLOAT8), FLOAT8)
        || with(FLOAT8, NUMBER)
        || with(INTEGER.union(INT4), INT4)
        || with(INT4, INTEGER)
}

fn common(types: &[DataType]) -> super::Attrs {
    attrs([("SrcT", types[0].into()), ("DstT", types[1].into())])
}

fn plain(types: &[DataType]) -> Result<Call> {
    Ok((common(types), vec![zeros(types[0])?]))
}

fn samples(types: &[DataType]) -> Result<Vec<Sample>> {
    let &[from, to] = types else {
        return Ok(Vec::new());
    };
    let mut samples = Samples::new(common(types));
    if !castable(from, to) {
        samples.add(
            "not_castable",
            [],
            vec![zeros(from)?],
            Want::Failure(Code::Unimplemented),
        );
        return Ok(samples.list);
    }
    for (name, dims) in [
        ("scalar", &[][..]),
        ("empty", &[0, 2]),
        ("matrix", &[5, 7]),
        ("long", &[1037]),
    ] {
        let input = in_range(&ordinary(from, dims, 8)?, to)?;
        for truncate in [false, true] {
            let want = reference(&input, to, truncate)?;
            let name = if truncate {
                format!("{name}_truncated")
            } else {
                name.to_owned()
            };
            samples.add(
                name,
                [("Truncate", truncate.into())],
                vec![input.clone()],
                Want::exactly(want),
            );
        }
    }
    if let Some(odd) = odd(from) {
        let input = values::tensor(from, &[odd.len() as i64], &odd)?;
        let input = in_range(&input, to)?;
        let want = reference(&input, to, false)?;
        samples.add("odd", [], vec![input], Want::exactly(want));
    }
    Ok(samples.list)
}

/// The tensor with zeros for what `to` cannot hold: casting a float to an integer out of range has no right answer.
fn in_range(input: &Tensor, to: DataType) -> Result<Tensor> {
    let Some((least, most)) = int_range(to).filter(|_| to != DataType::Bool) else {
        return Ok(input.clone());
    };
    // The greatest 64-bit integers are no floats: one that rounds up would be out of range.
    let fits = |v: &f64| v.trunc() >= least as f64 && v.trunc() < most as f64;
    let values = match values(input) {
        Ok(Values::Float(v)) => Values::Float(
            v.into_iter()
                .map(|v| if fits(&v) { v } else { 0.0 })
                .collect(),
        ),
        Ok(Values::Complex(v)) => Values::Complex(
            v.into_iter()
                .filter(|c| fits(&c.re))
                .chain([Complex::new(0.0, 1.0)])
                .collect(),
        ),
        _ => return Ok(input.clone()),
    };
    if values.len() == input.num_elements() {
        values::tensor(input.dtype(), input.dims(), &values)
    } else {
        values::tensor(input.dtype(), &[values.len() as i64], &values)
    }
}

fn reference(input: &Tensor, to: DataType, truncate: bool) -> Result<Tensor> {
    let from = input.dtype();
    if from == to {
        return Ok(input.clone());
    }
    let seen = |v: f64| {
        if keeps_denormals(from, to) {
            v
        } else {
            flushed(from, v)
        }
    };
    let cut = |v: f64| if truncate { truncated(from, to, v) } else { v };
    let given = |v: f64| {
        if keeps_denormals(from, to) {
            v
        } else {
            flushed(to, v)
        }
    };
    let float = |v: f64| given(cut(seen(v)));
    let to_int = int_range(to).is_some();
    let results = match values(input)? {
        Values::Int(v) if to_int => Values::Int(v),
        // Half and bfloat16 go by way of `float`.
        Values::Int(v) if to == DataType::Double || to == DataType::Complex128 => {
            Values::Float(v.into_iter().map(|v| v as f64).collect())
        }
        Values::Int(v) => Values::Float(v.into_iter().map(|v| f64::from(v as f32)).collect()),
        Values::Float(v) if to_int => {
            Values::Int(v.into_iter().map(|v| integer(seen(v), to)).collect())
        }
        Values::Float(v) => Values::Float(v.into_iter().map(float).collect()),
        Values::Complex(v) if to_int => {
            Values::Int(v.into_iter().map(|c| integer(seen(c.re), to)).collect())
        }
        Values::Complex(v) if matches!(to, DataType::Complex64 | DataType::Complex128) => {
            Values::Complex(
                v.into_iter()
                    .map(|c| Complex::new(float(c.re), float(c.im)))
                    .collect(),
            )
        }
        Values::Complex(v) => Values::Float(v.into_iter().map(|c| float(c.re)).collect()),
        other => other,
    };
    let results = match results {
        Values::Float(v) if matches!(to, DataType::Complex64 | DataType::Complex128) => {
            Values::Complex(v.into_iter().map(|re| Complex::new(re, 0.0)).collect())
        }
        other => other,
    };
    values::tensor(to, input.dims(), &results)
}

fn integer(v: f64, to: DataType) -> i128 {
    if to == DataType::Bool {
        (v != 0.0).into()
    } else {
        v as i128
    }
}

/// Casts that move bits only, and so see and give denormals.
fn keeps_denormals(from: DataType, to: DataType) -> bool {
    use DataType::{Bfloat16, Bool, Complex64, Complex128, Double, Float};
    let float = DTypeSet::of(&[Bfloat16, Float, Complex64]);
    let double = DTypeSet::of(&[Double, Complex128]);
    let both = |set: DTypeSet| set.contains(from) && set.contains(to);
    (from, to) == (Bfloat16, Bool) || both(float) || both(double)
}

/// The float with the bits cut off that the narrower type has no room for.
fn truncated(from: DataType, to: DataType, v: f64) -> f64 {
    let mantissa = |dtype| match dtype {
        DataType::Double | DataType::Complex128 => Some(52),
        DataType::Float | DataType::Complex64 => Some(23),
        DataType::Half => Some(10),
        DataType::Bfloat16 => Some(7),
        DataType::Float8E4m3fn => Some(3),
        DataType::Float8E5m2 => Some(2),
        _ => None,
    };
    // On the way to bfloat16 the others are rounded to `float` first, with nothing cut off.
    if to == DataType::Bfloat16 && from != DataType::Float {
        return v;
    }
    match (mantissa(from), mantissa(to)) {
        (Some(wide), Some(narrow)) if narrow < wide && v.is_finite() => {
            f64::from_bits(v.to_bits() & (u64::MAX << (52 - narrow)))
        }
        _ => v,
    }
}
