//! Ops that give what they were given: `Identity`, `Const`, `NoOp`.

use tfe_core::{Code, DataType, Result, Tensor};

use super::{Samples, Suite, Want, attrs, zeros};
use crate::conformance::data::{odd_vector, ordinary};
use crate::conformance::{Call, Sample};

pub(super) const SUITES: &[Suite] = &[
    Suite {
        op: "Identity",
        types: &["T"],
        samples: |types| {
            let mut samples = Samples::new(attrs([("T", types[0].into())]));
            for (name, tensor) in tensors(types[0])? {
                samples.add(name, [], vec![tensor.clone()], Want::exactly(tensor));
            }
            Ok(samples.list)
        },
        plain: |types| Ok((attrs([("T", types[0].into())]), vec![zeros(types[0])?])),
        without_kernel: Code::NotFound,
    },
    Suite {
        op: "Const",
        types: &["dtype"],
        samples: constants,
        plain: |types| {
            Ok((
                attrs([
                    ("dtype", types[0].into()),
                    ("value", zeros(types[0])?.into()),
                ]),
                vec![],
            ))
        },
        without_kernel: Code::NotFound,
    },
    Suite {
        op: "NoOp",
        types: &[],
        samples: |_| {
            let mut samples = Samples::new(Vec::new());
            samples.add("nothing", [], vec![], Want::Results(vec![], None));
            Ok(samples.list)
        },
        plain: |_| -> Result<Call> { Ok((Vec::new(), Vec::new())) },
        without_kernel: Code::NotFound,
    },
];

fn constants(types: &[DataType]) -> Result<Vec<Sample>> {
    let mut samples = Samples::new(attrs([("dtype", types[0].into())]));
    for (name, tensor) in tensors(types[0])? {
        // Handles cannot be written down, and no attribute holds any.
        let holds_handles =
            matches!(types[0], DataType::Resource | DataType::Variant) && tensor.num_elements() > 0;
        if holds_handles {
            samples.add_invalid(name, [("value", tensor.into())], vec![]);
        } else {
            samples.add(
                name,
                [("value", tensor.clone().into())],
                vec![],
                Want::exactly(tensor),
            );
        }
    }
    let other = if types[0] == DataType::Float {
        DataType::Double
    } else {
        DataType::Float
    };
    samples.add_invalid("another_type", [("value", zeros(other)?.into())], vec![]);
    Ok(samples.list)
}

fn tensors(dtype: DataType) -> Result<Vec<(&'static str, Tensor)>> {
    let mut tensors = Vec::new();
    for (name, dims) in [
        ("scalar", &[][..]),
        ("vector", &[7]),
        ("empty", &[0, 3]),
        ("rank_5", &[2, 1, 3, 1, 2]),
        ("large", &[3, 500]),
    ] {
        tensors.push((name, ordinary(dtype, dims, 4)?));
    }
    tensors.extend(odd_vector(dtype)?.map(|odd| ("odd", odd)));
    Ok(tensors)
}
