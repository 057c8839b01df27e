//! `StringJoin`.

use tfe_core::{Code, DataType, Result, Tensor};

use super::{Attrs, Samples, Suite, Want, attrs, zeros};
use crate::conformance::data::ordinary;
use crate::conformance::{Call, Sample};
use crate::values::{self, Values, values};

pub(super) const SUITE: Suite = Suite {
    op: "StringJoin",
    types: &[],
    samples,
    plain,
    without_kernel: Code::NotFound,
};

/// Shapes of the inputs, and the separator.
const CASES: &[(&str, &[&[i64]], &str)] = &[
    ("one", &[&[3]], "-"),
    ("two", &[&[3], &[3]], ""),
    ("separated", &[&[2, 2], &[2, 2], &[2, 2]], ", "),
    ("scalars", &[&[], &[]], "+"),
    ("scalar_left", &[&[], &[4]], "+"),
    ("scalar_right", &[&[4], &[]], "+"),
    ("scalar_between", &[&[4], &[], &[4]], "\0"),
    ("empty", &[&[0], &[]], "-"),
    (
        "long_separator",
        &[&[3], &[3]],
        "a separator longer than an element's own bytes",
    ),
];

fn common(n: usize) -> Attrs {
    attrs([("N", (n as i64).into())])
}

fn plain(_: &[DataType]) -> Result<Call> {
    Ok((
        common(2),
        vec![zeros(DataType::String)?, zeros(DataType::String)?],
    ))
}

fn samples(_: &[DataType]) -> Result<Vec<Sample>> {
    let mut list = Vec::new();
    for (name, shapes, separator) in CASES {
        let mut samples = Samples::new(common(shapes.len()));
        let inputs = shapes
            .iter()
            .zip(11..)
            .map(|(dims, s)| ordinary(DataType::String, dims, s));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let want = Want::exactly(reference(&inputs, separator.as_bytes())?);
        samples.add(*name, [("separator", (*separator).into())], inputs, want);
        list.extend(samples.list);
    }
    let mut samples = Samples::new(common(2));
    for (name, a, b) in [
        ("unlike", &[2i64][..], &[3i64][..]),
        ("no_broadcast", &[2, 2], &[2]),
    ] {
        let inputs = [a, b].map(|dims| ordinary(DataType::String, dims, 11));
        samples.add_invalid(name, [], inputs.into_iter().collect::<Result<_>>()?);
    }
    list.extend(samples.list);
    Ok(list)
}

fn reference(inputs: &[Tensor], separator: &[u8]) -> Result<Tensor> {
    let dims = inputs
        .iter()
        .map(Tensor::dims)
        .find(|dims| !dims.is_empty())
        .unwrap_or(&[]);
    let texts = inputs.iter().map(|t| match values(t)? {
        Values::Text(texts) => Ok(texts),
        _ => Ok(Vec::new()),
    });
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let n = dims.iter().product::<i64>() as usize;
    let joined = (0..n).map(|i| {
        let parts: Vec<&[u8]> = texts
            .iter()
            .zip(inputs)
            .map(|(t, input)| &*t[if input.rank() == 0 { 0 } else { i }])
            .collect();
        parts.join(separator)
    });
    values::tensor(DataType::String, dims, &Values::Text(joined.collect()))
}
