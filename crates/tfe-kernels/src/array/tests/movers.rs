//! What moves elements by one rule a place: big tensors on several threads, shared memory, sizes that overflow.

use tfe_attrs::AttrValue;
use tfe_core::{Code, DataType, Result, Shape, TString, Tensor};

use crate::testing::run;
use tfe_host::axes;

fn counted(dims: &[i64]) -> Tensor {
    let n = dims.iter().product::<i64>();
    Tensor::from_iter(dims, 0..n as i32).expect("a tensor")
}

/// The same numbers as text: elements that own memory go another way.
fn as_text(numbers: &Tensor) -> Tensor {
    let numbers = numbers.as_slice::<i32>().expect("numbers").iter();
    let text: Vec<_> = numbers.map(|i| TString::from(&*i.to_string())).collect();
    Tensor::vector(&text).expect("a tensor")
}

fn vector(values: &[i64]) -> Tensor {
    Tensor::vector(values).expect("a tensor")
}

/// Runs an op on counted elements, and on the same as text, and looks at every place of the result: `from` says which
/// place of the input it comes from, `None` that it is a gap.
fn check(
    op: &str,
    attrs: &[(&str, AttrValue)],
    dims: &[i64],
    others: &[Tensor],
    want: &[i64],
    from: impl Fn(&[i64]) -> Option<Vec<i64>>,
) {
    let numbers = counted(dims);
    let shape = numbers.shape().clone();
    let text = as_text(&numbers).reshaped(shape).expect("the same shape");
    let run_on = |input: &Tensor| {
        let inputs = [std::slice::from_ref(input), others].concat();
        run(op, attrs, inputs).expect(op).remove(0)
    };
    let got = run_on(&numbers);
    assert_eq!(got.dims(), want, "{op} of {dims:?}");
    let got_text = as_text(&got);
    let moved_text = run_on(&text);
    let pairs = moved_text.as_slice::<TString>().expect("text").iter();
    let pairs = pairs.zip(got_text.as_slice::<TString>().expect("text"));
    for (moved, number) in pairs {
        let gap = moved.as_bytes().is_empty() && number.as_bytes() == b"0";
        assert!(gap || moved.as_bytes() == number.as_bytes(), "{op}");
    }
    let mut index = vec![0; want.len()];
    for (i, &got) in got.as_slice::<i32>().expect("numbers").iter().enumerate() {
        axes::index_of(i, want, &mut index);
        let place = from(&index);
        let number = place.map_or(0, |place| {
            place.iter().zip(dims).fold(0, |at, (&p, &d)| at * d + p)
        });
        assert_eq!(i64::from(got), number, "{op} of {dims:?} at {index:?}");
    }
}

#[test]
fn every_place_comes_from_where_it_should() {
    let perm = |p: &[i64]| vec![vector(p)];
    let int64 = |name| (name, AttrValue::from(DataType::Int64));
    for (dims, p) in [
        (&[300, 70, 11][..], [2, 0, 1]),
        (&[5, 4, 90], [1, 0, 2]),
        (&[40, 1, 30], [2, 1, 0]),
    ] {
        let want: Vec<i64> = p.iter().map(|&i| dims[i as usize]).collect();
        check(
            "Transpose",
            &[int64("Tperm")],
            dims,
            &perm(&p),
            &want,
            |at| {
                let mut place = vec![0; 3];
                p.iter()
                    .zip(at)
                    .for_each(|(&i, &at)| place[i as usize] = at);
                Some(place)
            },
        );
    }
    for (dims, m) in [([3, 4], [2, 3]), ([200, 1], [1, 700]), ([0, 4], [3, 1])] {
        let want = [dims[0] * m[0], dims[1] * m[1]];
        check(
            "Tile",
            &[int64("Tmultiples")],
            &dims,
            &perm(&m),
            &want,
            |at| Some(vec![at[0] % dims[0], at[1] % dims[1]]),
        );
    }
    for (dims, pads) in [
        ([30, 50], [3, 0, 0, 2]),
        ([600, 200], [1, 1, 0, 0]),
        ([0, 2], [1, 0, 1, 1]),
    ] {
        let want = [dims[0] + pads[0] + pads[1], dims[1] + pads[2] + pads[3]];
        let paddings = Tensor::from_slice(&[2, 2], &pads).expect("a tensor");
        check(
            "Pad",
            &[int64("Tpaddings")],
            &dims,
            &[paddings],
            &want,
            |at| {
                let place = [at[0] - pads[0], at[1] - pads[2]];
                let inside = |i: usize| (0..dims[i]).contains(&place[i]);
                (inside(0) && inside(1)).then(|| place.to_vec())
            },
        );
    }
    for (mode, edge) in [("REFLECT", 0), ("SYMMETRIC", 1)] {
        let (dims, pads) = ([400, 90], [2, 3, 89, 1]);
        let want = [dims[0] + pads[0] + pads[1], dims[1] + pads[2] + pads[3]];
        let paddings = Tensor::from_slice(&[2, 2], &pads).expect("a tensor");
        let attrs = [int64("Tpaddings"), ("mode", mode.into())];
        check("MirrorPad", &attrs, &dims, &[paddings], &want, |at| {
            let inside = |at: i64, n: i64| match at {
                ..=-1 => -at - edge,
                at if at >= n => 2 * n - 2 - at + edge,
                at => at,
            };
            let place = [at[0] - pads[0], at[1] - pads[2]];
            Some(vec![inside(place[0], dims[0]), inside(place[1], dims[1])])
        });
    }
    let indices = Tensor::from_slice(&[2, 3], &[4i32, 0, 2, 1, 1, 3]).expect("a tensor");
    let inputs = [indices.clone(), Tensor::scalar(2i32).expect("a tensor")];
    let attrs = [("batch_dims", AttrValue::from(1))];
    check(
        "GatherV2",
        &attrs,
        &[2, 100, 5, 300],
        &inputs,
        &[2, 100, 3, 300],
        |at| {
            let row = indices.as_slice::<i32>().expect("indices")[(at[0] * 3 + at[2]) as usize];
            Some(vec![at[0], at[1], row.into(), at[3]])
        },
    );
}

#[test]
fn what_changes_no_place_shares_the_memory() {
    let x = counted(&[2, 1, 3]);
    let vector = |v: &[i32]| Tensor::vector(v).expect("a tensor");
    for (op, other) in [
        ("Reshape", vector(&[3, 2])),
        ("Transpose", vector(&[1, 0, 2])),
        ("Tile", vector(&[1, 1, 1])),
        ("BroadcastTo", vector(&[1, 2, 1, 3])),
        ("ReverseV2", vector(&[1])),
        ("ExpandDims", vector(&[-1])),
    ] {
        let out = run(op, &[], vec![x.clone(), other]).expect(op).remove(0);
        assert_eq!(out.data_ptr(), x.data_ptr(), "{op}");
    }
}

#[test]
fn moved_strings_have_memory_of_their_own() {
    let text = Tensor::vector(&[TString::from("text")]).expect("a tensor");
    let scalar = text.reshaped(Shape::scalar()).expect("one element");
    for (op, inputs) in [
        ("Fill", vec![vector(&[1, 1]), scalar]),
        ("ReverseV2", vec![text.clone(), vector(&[0])]),
        ("BroadcastTo", vec![text.clone(), vector(&[1, 1])]),
    ] {
        let moved = run(op, &[], inputs).expect(op);
        assert_ne!(moved[0].data_ptr(), text.data_ptr(), "{op}");
        let moved = moved[0].as_slice::<TString>().expect("text");
        assert_eq!(moved[0].as_bytes(), b"text", "{op}");
    }
}

#[test]
fn sizes_that_overflow_are_errors() {
    let refused = |op: &str, attrs: &[(&str, AttrValue)], inputs: Vec<Tensor>| {
        let got: Result<_> = run(op, attrs, inputs);
        got.expect_err(op).code()
    };
    let (huge, x) = (1i64 << 62, || counted(&[4]));
    let pads = |v: &[i64]| Tensor::from_slice(&[1, 2], v).expect("a tensor");
    let invalid = Code::InvalidArgument;
    assert_eq!(refused("Tile", &[], vec![x(), vector(&[huge])]), invalid);
    assert_eq!(
        refused("Pad", &[], vec![x(), pads(&[i64::MAX, 0])]),
        invalid
    );
    assert_eq!(refused("Pad", &[], vec![x(), pads(&[0, -1])]), invalid);
    let narrow = |values: &[i32]| Tensor::vector(values).expect("a tensor");
    // What the type of the results could not count.
    let unravelled = vec![narrow(&[5]), narrow(&[65_536, 32_768])];
    assert_eq!(refused("UnravelIndex", &[], unravelled), invalid);
    let rows = Tensor::from_iter(&[1, 0], [0f32; 0]).expect("a tensor");
    let stitched = vec![narrow(&[i32::MAX]), rows];
    assert_eq!(
        refused(
            "DynamicStitch",
            &[("N", 1i64.into()), ("T", DataType::Float.into())],
            stitched
        ),
        invalid
    );
    assert_eq!(
        refused(
            "Fill",
            &[],
            vec![vector(&[huge, 4]), Tensor::scalar(1).expect("a tensor")]
        ),
        invalid
    );
    assert_eq!(
        refused("Reshape", &[], vec![x(), vector(&[huge, huge])]),
        invalid
    );
    assert_eq!(
        refused(
            "BroadcastTo",
            &[],
            vec![counted(&[1, 1]), vector(&[huge, huge])]
        ),
        invalid
    );
    assert_eq!(
        refused("Slice", &[], vec![x(), vector(&[1]), vector(&[i64::MAX])]),
        invalid
    );
    let range = |a: i64, b: i64, c: i64| [a, b, c].map(|v| Tensor::scalar(v).expect("a tensor"));
    let all = range(i64::MIN, i64::MAX, 1).to_vec();
    assert_eq!(refused("Range", &[], all), invalid);
    let far = range(i64::MIN, i64::MAX, i64::MAX).to_vec();
    let out = run("Range", &[], far).expect("three numbers").remove(0);
    assert_eq!(
        out.as_slice::<i64>().expect("numbers"),
        [i64::MIN, -1, i64::MAX - 1]
    );
    let sizes = vec![
        x(),
        vector(&[i64::MAX, i64::MAX]),
        Tensor::scalar(0).expect("a tensor"),
    ];
    let two = [("num_split", AttrValue::from(2))];
    assert_eq!(refused("SplitV", &two, sizes), invalid);
}
