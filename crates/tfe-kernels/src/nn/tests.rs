//! Images without elements whose dimensions claim much: neither memory nor time follows them.

use tfe_attrs::AttrValue;
use tfe_core::{Code, Result, Shape, Tensor};

use crate::testing::run;

const LONG: i64 = 1 << 40;

fn hollow(dims: &[i64]) -> Tensor {
    Tensor::from_iter(dims, [0f32; 0]).expect("a tensor")
}

fn sizes(values: &[i32]) -> Tensor {
    Tensor::vector(values).expect("a tensor")
}

/// The shape of the first result.
fn shape(op: &str, attrs: &[(&str, AttrValue)], inputs: Vec<Tensor>) -> Result<Shape, Code> {
    match run(op, attrs, inputs) {
        Ok(results) => Ok(results[0].shape().clone()),
        Err(e) => Err(e.code()),
    }
}

fn of(dims: &[i64]) -> Result<Shape, Code> {
    Ok(Shape::new(dims).expect("a shape"))
}

#[test]
fn pooling_of_no_images_takes_no_memory() {
    let windows = [
        ("ksize", [1i64, 1, 1, 1].into()),
        ("strides", [1i64, 1, 1, 1].into()),
        ("padding", "VALID".into()),
    ];
    let none = || hollow(&[0, 1, 1, LONG]);
    let max = shape("MaxPoolGrad", &windows, vec![none(), none(), none()]);
    assert_eq!(max, of(&[0, 1, 1, LONG]));
    let many = hollow(&[0, 2, 2, i64::from(i32::MAX)]);
    let average = shape(
        "AvgPoolGrad",
        &windows,
        vec![sizes(&[0, 2, 2, i32::MAX]), many],
    );
    assert_eq!(average, of(&[0, 2, 2, i64::from(i32::MAX)]));
}

#[test]
fn resizing_of_no_images_takes_no_memory() {
    let most = i32::MAX;
    for op in ["ResizeBilinear", "ResizeNearestNeighbor"] {
        let to = |images: Tensor| shape(op, &[], vec![images, sizes(&[most, most])]);
        assert_eq!(
            to(hollow(&[0, 1, 1, 1])),
            of(&[0, i64::from(most), i64::from(most), 1])
        );
        let one = Tensor::from_slice(&[1, 1, 1, 1], &[1f32]).expect("a tensor");
        assert_eq!(to(one), Err(Code::ResourceExhausted));
    }
    let nearest = vec![hollow(&[0, LONG, 1, 1]), sizes(&[2, 2])];
    assert_eq!(
        shape("ResizeNearestNeighborGrad", &[], nearest),
        of(&[0, 2, 2, 1])
    );
    let bilinear = vec![hollow(&[0, LONG, 1, 1]), hollow(&[0, 1, LONG, 1])];
    assert_eq!(
        shape("ResizeBilinearGrad", &[], bilinear),
        of(&[0, 1, LONG, 1])
    );
}
