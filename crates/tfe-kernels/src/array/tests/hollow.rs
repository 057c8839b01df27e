//! Tensors without elements but with long dimensions: neither time nor memory may follow what a shape claims.

use tfe_attrs::AttrValue;
use tfe_core::{Code, DataType, Result, Shape, Tensor};

use crate::testing::run;

const LONG: i64 = 1 << 40;

fn hollow(dims: &[i64]) -> Tensor {
    Tensor::from_iter(dims, [0f32; 0]).expect("a tensor")
}

fn vector(values: &[i64]) -> Tensor {
    Tensor::vector(values).expect("a tensor")
}

/// The shape of the first result.
fn shape(op: &str, inputs: Vec<Tensor>) -> Result<Shape, Code> {
    match run(op, &[], inputs) {
        Ok(results) => Ok(results[0].shape().clone()),
        Err(e) => Err(e.code()),
    }
}

#[test]
fn what_a_shape_claims_costs_nothing() {
    let of = |dims: &[i64]| Ok(Shape::new(dims).expect("a shape"));
    let put = |dims: &[i64], strides: &[i64], dy: &[i64]| {
        let begin = vec![0; dims.len()];
        let inputs = [dims, &begin, dims, strides].map(vector);
        shape("StridedSliceGrad", [&inputs[..], &[hollow(dy)]].concat())
    };
    assert_eq!(put(&[LONG, 0], &[2, 1], &[LONG / 2, 0]), of(&[LONG, 0]));
    assert_eq!(put(&[0, LONG], &[1, -1], &[0, 0]), of(&[0, LONG]));

    let no_numbers = Tensor::from_iter(&[LONG, 0], [0i64; 0]).expect("a tensor");
    let scattered = vec![no_numbers.clone(), hollow(&[LONG, 0]), vector(&[0])];
    assert_eq!(shape("ScatterNd", scattered), of(&[0]));
    let scattered = vec![hollow(&[0]), no_numbers.clone(), hollow(&[LONG, 0])];
    assert_eq!(shape("TensorScatterAdd", scattered), of(&[0]));
    let gathered = vec![hollow(&[0]), no_numbers];
    assert_eq!(shape("GatherNd", gathered), of(&[LONG, 0]));

    let numbers = vec![hollow(&[2, LONG, 0]), vector(&[LONG, 1])];
    assert_eq!(
        shape("ReverseSequence", numbers.clone()),
        Err(Code::InvalidArgument)
    );
    let attrs = [
        ("seq_dim", AttrValue::Int(1)),
        ("batch_dim", AttrValue::Int(0)),
    ];
    let reversed = run("ReverseSequence", &attrs, numbers).expect("the same");
    assert_eq!(reversed[0].dims(), [2, LONG, 0]);

    let long = [0, LONG, 1 << 20];
    let huge = || hollow(&long);
    for (op, other) in [
        ("Pad", Tensor::from_slice(&[3, 2], &[0i64; 6])),
        ("ReverseV2", Tensor::vector(&[1i64, 2])),
        ("Tile", Tensor::vector(&[2i64, 1, 1])),
        ("Transpose", Tensor::vector(&[0i64, 1, 2])),
        ("Reshape", Tensor::vector(&long)),
    ] {
        let inputs = vec![huge(), other.expect("a tensor")];
        assert_eq!(shape(op, inputs), of(&long), "{op}");
    }
    let rolled = vec![huge(), vector(&[1, 2]), vector(&[1, -1])];
    assert_eq!(shape("Roll", rolled), of(&long));
    let part = vec![huge(), vector(&[0, 1, 1]), vector(&[0, 2, -1])];
    assert_eq!(shape("Slice", part), of(&[0, 2, long[2] - 1]));
    let folded = vec![huge(), vector(&[0, -1])];
    assert_eq!(shape("Reshape", folded), of(&[0, 1 << 60]));

    assert_eq!(
        shape("MatrixDiagPart", vec![hollow(&[LONG, 0, 3])]),
        of(&[LONG, 0])
    );
    let set = vec![hollow(&[LONG, 0, 3]), hollow(&[LONG, 0])];
    assert_eq!(shape("MatrixSetDiag", set), of(&[LONG, 0, 3]));

    let product = vec![hollow(&[LONG, 0, 0]), hollow(&[LONG, 0, 5])];
    assert_eq!(shape("BatchMatMulV2", product), of(&[LONG, 0, 5]));
}

#[test]
fn rows_of_nothing_are_dealt_and_put_together() {
    let no_numbers = || Tensor::from_iter(&[LONG, 0], [0i32; 0]).expect("a tensor");
    let dealt = run(
        "DynamicPartition",
        &[("num_partitions", 2.into())],
        vec![hollow(&[LONG, 0, 3]), no_numbers()],
    );
    let dealt = dealt.expect("parts");
    assert!(dealt.iter().all(|part| part.dims() == [0, 3]) && dealt.len() == 2);
    let put = run(
        "DynamicStitch",
        &[("N", 2.into()), ("T", DataType::Float.into())],
        vec![
            no_numbers(),
            Tensor::vector(&[1i32]).expect("a tensor"),
            hollow(&[LONG, 0, 0]),
            hollow(&[1, 0]),
        ],
    );
    assert_eq!(put.expect("rows")[0].dims(), [2, 0]);
    let many = shape("BroadcastTo", vec![hollow(&[1, 0]), vector(&[LONG, 0])]);
    assert_eq!(many, Ok(Shape::new(&[LONG, 0]).expect("a shape")));
}

#[test]
fn equal_slices_of_nothing_are_not_counted_one_by_one() {
    let many = run(
        "UniqueWithCountsV2",
        &[],
        vec![hollow(&[1 << 20, 0]), vector(&[0])],
    );
    let many = many.expect("indices of a few megabytes");
    assert_eq!(many[0].dims(), [1, 0]);
    assert!(
        many[1]
            .as_slice::<i32>()
            .expect("indices")
            .iter()
            .all(|&i| i == 0)
    );
    assert_eq!(many[2].as_slice::<i32>().expect("counts"), [1 << 20]);
    let none = shape("UniqueV2", vec![hollow(&[LONG, 0]), vector(&[1])]);
    assert_eq!(none, Ok(Shape::new(&[LONG, 0]).expect("a shape")));
    // Indices of them all have no place in memory, which must not end the process.
    let all = shape("UniqueV2", vec![hollow(&[1 << 60, 0]), vector(&[0])]);
    assert_eq!(all, Err(Code::ResourceExhausted));
}

/// The table of groups grows while they are found.
#[test]
fn many_groups_stay_apart() {
    let values = Tensor::from_iter(
        &[30_000],
        (0..30_000).map(|i: i32| i64::from(i) * i64::from(i) % 20_011),
    )
    .expect("a tensor");
    let found = run("Unique", &[], vec![values.clone()]).expect("groups");
    let (firsts, of) = (
        found[0].as_slice::<i64>().expect("firsts"),
        found[1].as_slice::<i32>().expect("groups"),
    );
    assert_eq!(firsts.len(), 10_006);
    for (value, &group) in values.as_slice::<i64>().expect("values").iter().zip(of) {
        assert_eq!(firsts[group as usize], *value);
    }
}
