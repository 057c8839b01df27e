//! What rules say of data movers where dimensions or values are not known.

use tfe_attrs::AttrValue;
use tfe_core::{DataType, PartialShape, Shape, Tensor};
use tfe_device::{Fact, OutputShape};

use crate::testing::infer;

fn part(dims: &[i64]) -> Fact {
    Fact::of(DataType::Float, PartialShape::of(dims))
}

/// Integers that are known.
fn known(values: &[i64]) -> Fact {
    Fact::from(&Tensor::vector(values).expect("a tensor"))
}

/// As many integers of which nothing else is known.
fn unknown(n: i64) -> Fact {
    Fact::of(DataType::Int64, PartialShape::of(&[n]))
}

/// Checks what is said of output 0: -1 for a dimension that is unknown.
fn check(op: &str, attrs: &[(&str, AttrValue)], inputs: &[Fact], want: &[i64]) {
    let want = match Shape::new(want) {
        Ok(shape) => OutputShape::Known(shape),
        Err(_) => OutputShape::Partial(PartialShape::of(want)),
    };
    let said = infer(op, attrs, inputs).expect(op);
    assert_eq!(said[0], want, "{op}");
}

#[test]
fn what_does_not_depend_on_the_unknown_is_said() {
    let any = || Fact::of(DataType::Float, PartialShape::unknown());
    check("Reshape", &[], &[part(&[-1, 4]), known(&[2, -1])], &[2, -1]);
    check("Reshape", &[], &[any(), known(&[2, 6])], &[2, 6]);
    check("Reshape", &[], &[any(), unknown(2)], &[-1, -1]);
    check(
        "Transpose",
        &[],
        &[part(&[-1, 4]), known(&[1, 0])],
        &[4, -1],
    );
    check("Transpose", &[], &[any(), known(&[1, 0])], &[-1, -1]);
    check("Tile", &[], &[part(&[-1, 4]), known(&[1, 2])], &[-1, 8]);
    check(
        "Slice",
        &[],
        &[part(&[-1, 4]), known(&[1, 1]), known(&[-1, -1])],
        &[-1, 3],
    );
    check(
        "Slice",
        &[],
        &[any(), unknown(2), known(&[2, -1])],
        &[2, -1],
    );
    let padded = Fact::from(&Tensor::from_slice(&[2, 2], &[1i64, 0, 0, 2]).expect("a tensor"));
    check("Pad", &[], &[part(&[-1, 4]), padded.clone()], &[-1, 6]);
    check("Pad", &[], &[any(), padded], &[-1, -1]);

    let axis = Fact::from(&Tensor::scalar(-1i32).expect("a tensor"));
    let two = [("num_split", AttrValue::Int(2))];
    check("Split", &two, &[axis, part(&[-1, 4])], &[-1, 2]);
    let squeezed = [("squeeze_dims", [0i64].into())];
    check("Squeeze", &squeezed, &[part(&[-1, 4])], &[4]);
    check(
        "ScatterNd",
        &[],
        &[unknown(-1), part(&[-1]), unknown(2)],
        &[-1, -1],
    );
}

#[test]
fn a_slice_of_unknown_indices_has_a_rank() {
    let shrink = [
        ("shrink_axis_mask", AttrValue::Int(1)),
        ("new_axis_mask", AttrValue::Int(2)),
    ];
    let slice = |at: [Fact; 3], want: &[i64]| {
        let [begin, end, strides] = at;
        let inputs = [part(&[-1, 4]), begin, end, strides];
        check("StridedSlice", &shrink, &inputs, want);
    };
    slice(
        [known(&[5, 0, 1]), known(&[6, 0, 3]), known(&[1, 1, 1])],
        &[1, 2],
    );
    slice([unknown(3), known(&[6, 0, 3]), unknown(-1)], &[1, -1]);
}
