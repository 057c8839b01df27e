//! Tests of reading literals, and that what is printed reads back the same.

use proptest::prelude::*;
use tfe_eager::{DTypeSet, Tensor, bf16, f16};
use tfe_testkit::strategies;

use super::*;
use crate::convert::tensor;
use crate::print::{self, Length};

fn scalars(text: &str) -> Vec<Scalar<'_>> {
    parse(text).unwrap_or_else(|e| panic!("{e}")).scalars
}

#[test]
fn scalars_are_told_apart() {
    let all =
        scalars("[1, -2, +3, 0xFf, 1.5, .5, 2., -1e-3, inf, -Inf, nan, 2i, 1-2.5j, inf-nani]");
    assert_eq!(
        all,
        [
            Scalar::Int(1, "1"),
            Scalar::Int(-2, "-2"),
            Scalar::Int(3, "+3"),
            Scalar::Int(255, "0xFf"),
            Scalar::Decimal("1.5"),
            Scalar::Decimal(".5"),
            Scalar::Decimal("2."),
            Scalar::Decimal("-1e-3"),
            Scalar::Decimal("inf"),
            Scalar::Decimal("-Inf"),
            Scalar::Decimal("nan"),
            Scalar::Complex("0", "2"),
            Scalar::Complex("1", "-2.5"),
            Scalar::Complex("inf", "-nan"),
        ]
    );
    assert_eq!(scalars("true"), [Scalar::Bool(true)]);
    assert_eq!(
        scalars(r#" "aé\n\t\0\"\\\xff" "#),
        [Scalar::Text(b"a\xc3\xa9\n\t\0\"\\\xff".to_vec())]
    );
}

#[test]
fn types_and_shapes_come_first() {
    let of = |text| {
        let literal = parse(text).unwrap_or_else(|e| panic!("{e}"));
        (literal.dtype, literal.shape, literal.dims)
    };
    assert_eq!(of("[[1,2],[3,4],[5,6]]"), (None, None, vec![3, 2]));
    assert_eq!(of("[]"), (None, None, vec![0]));
    assert_eq!(of("[[],[]]"), (None, None, vec![2, 0]));
    assert_eq!(of("float64: 1"), (Some(DataType::Double), None, vec![]));
    assert_eq!(of("DT_HALF:[1]"), (Some(DataType::Half), None, vec![1]));
    assert_eq!(
        of("int32[0, 2] :"),
        (Some(DataType::Int32), Some(vec![0, 2]), vec![0])
    );
    assert_eq!(
        of("bool[]: true"),
        (Some(DataType::Bool), Some(vec![]), vec![])
    );
}

#[test]
fn mistakes_are_pointed_at() {
    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let e = parse(text).expect_err(text);
        assert!(e.contains(wanted), "{text}: {e}");
    }
    check("", "column 1: a number");
    check("[1,2", "column 5: ',' or ']' is wanted");
    check("[1 2]", "column 4: ',' or ']' is wanted instead of '2'");
    check("[1,]", "column 4: a number");
    check(
        "[[1],[2,3]]",
        "column 6: a row of shape [2] among rows of shape [1]",
    );
    check("[[1],2]", "column 6: a row of shape []");
    check("[1,true]", "column 4: truth values among numbers");
    check("[1] 2", "column 5: the end is wanted");
    check("hello", "column 1: a number, a string in quotes");
    check("flot32:1", "no data type 'flot32'; did you mean 'float32'?");
    check("float32[2", "column 10: ',' or ']'");
    check("float32[x]:1", "a dimension is wanted instead of 'x'");
    check("float32[2]1", "':' is wanted instead of '1'");
    check("int32:", "column 7: a number");
    check("1e", "an exponent");
    check("1+2", "'i' is wanted");
    check("é1", "column 1");
    check("\"é", "the string has no end");
    check("\"é\\y\"", "column 3: there are the escapes");
    check("\"\\x4\"", "two hexadecimal digits");
    check(&"9".repeat(40), "out of the range");
    check(&"[".repeat(100_000), "more than 254 dimensions");
}

/// Prints, reads and makes a tensor again.
fn again(t: &Tensor) -> Tensor {
    let mut text = Vec::new();
    print::tensor(&mut text, None, t, Length::Full).expect("memory");
    let text = String::from_utf8(text).expect("UTF-8");
    let literal = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let made = tensor(&literal, literal.dtype.expect("a type"));
    made.unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The elements, such that all NaN are one.
fn canonical(t: &Tensor) -> Vec<String> {
    let show = print::elements(t).expect("readable");
    (0..t.num_elements()).map(show).collect()
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(
        t in strategies::tensor_of(DTypeSet::PLAIN.union(DTypeSet::of(&[DataType::String])), 4, 4),
    ) {
        let made = again(&t);
        prop_assert_eq!(made.dtype(), t.dtype());
        prop_assert_eq!(made.dims(), t.dims());
        prop_assert_eq!(canonical(&made), canonical(&t));
        if DTypeSet::INT.contains(t.dtype()) || dtype::PATTERNS.contains(t.dtype()) {
            prop_assert_eq!(made.as_bytes().expect("bytes"), t.as_bytes().expect("bytes"));
        }
        if t.dtype() == DataType::String {
            let strings = |t: &Tensor| t.as_slice::<tfe_eager::TString>().map(<[_]>::to_vec).expect("strings");
            prop_assert_eq!(strings(&made), strings(&t));
        }
    }

    #[test]
    fn every_float_reads_back(bits in any::<u64>()) {
        let (single, double) = (f32::from_bits(bits as u32), f64::from_bits(bits));
        let t = again(&Tensor::vector(&[single]).expect("memory"));
        let read = t.as_slice::<f32>().expect("floats")[0];
        prop_assert!(read.to_bits() == single.to_bits() || (read.is_nan() && single.is_nan()));
        let t = again(&Tensor::vector(&[double]).expect("memory"));
        let read = t.as_slice::<f64>().expect("doubles")[0];
        prop_assert!(read.to_bits() == double.to_bits() || (read.is_nan() && double.is_nan()));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\[\\],:\"\\\\0-9a-z.+\\-é ]{0,30}") {
        let _ = parse(&text);
    }
}

#[test]
fn every_short_float_reads_back() {
    let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let made = again(&Tensor::vector(&halves).expect("memory"));
    for (a, b) in made.as_slice::<f16>().expect("halves").iter().zip(&halves) {
        assert!(
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            "{a} {b}"
        );
    }
    let halves: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
    let made = again(&Tensor::vector(&halves).expect("memory"));
    for (a, b) in made.as_slice::<bf16>().expect("halves").iter().zip(&halves) {
        assert!(
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            "{a} {b}"
        );
    }
}
