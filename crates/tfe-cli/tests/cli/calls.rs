//! `tfe exec`: literals, types that follow, lists, attributes, devices, what is printed.

use std::io::Read as _;
use std::process::Stdio;

use crate::{TestFile, command, printed};

#[track_caller]
fn check(args: &[&str], wanted: &str) {
    let args: Vec<&str> = ["exec"].iter().chain(args).copied().collect();
    assert_eq!(printed(&args).trim_end(), wanted, "{args:?}");
}

#[test]
fn literals_take_the_type_that_is_wanted() {
    check(&["AddV2", "[1, 2]", "3"], "int32[2]: [4, 5]");
    check(&["AddV2", "[1, 2]", "3.5"], "float32[2]: [4.5, 5.5]");
    check(
        &["AddV2", "[1, 2]", "3000000000"],
        "int64[2]: [3000000001, 3000000002]",
    );
    // Only floats are allowed.
    check(&["Sqrt", "4"], "float32: 2.0");
    // Another argument says it, or the attribute.
    check(&["AddV2", "float64:[1,2]", "3"], "float64[2]: [4.0, 5.0]");
    check(&["AddV2", "1", "uint8: 255"], "uint8: 0");
    check(&["AddV2", "1", "2", "T=float16"], "float16: 3.0");
    check(&["Cast", "3", "DstT=double"], "float64: 3.0");
    // The argument has but one type, or a default that fits.
    check(
        &["Reshape", "[1,2,3,4]", "[2,2]"],
        "int32[2,2]:\n[[1, 2],\n [3, 4]]",
    );
    check(
        &["LogicalAnd", "[true, false]", "true"],
        "bool[2]: [true, false]",
    );
    check(&["Sum", "[1.5, 2.5]", "[]"], "float32[2]: [1.5, 2.5]");
}

#[test]
fn every_form_of_a_literal_is_a_value() {
    check(&["Identity", "-1"], "int32: -1");
    check(&["Identity", "-inf"], "float32: -inf");
    check(&["Identity", "nan"], "float32: nan");
    check(&["Identity", "0x10"], "int32: 16");
    check(&["Identity", "true"], "bool: true");
    check(&["Identity", "\"a\\n\\xffé\""], "string: \"a\\n\\xffé\"");
    check(
        &["Identity", "string:[\"a=b\", \"@c\"]"],
        "string[2]: [\"a=b\", \"@c\"]",
    );
    check(
        &["Mul", "1+2i", "[1-2i, 2]"],
        "complex128[2]: [5.0+0.0i, 2.0+4.0i]",
    );
    check(&["Identity", "complex64: 1"], "complex64: 1.0+0.0i");
    check(
        &["Identity", "float32[2,3]: 7"],
        "float32[2,3]:\n[[7.0, 7.0, 7.0],\n [7.0, 7.0, 7.0]]",
    );
    check(&["Shape", "float32[0,2]:"], "int32[2]: [0, 2]");
    check(&["Shape", "[[], []]"], "int32[2]: [2, 0]");
    check(&["Identity", "int32[0,2]:"], "int32[0,2]:");
    check(&["Identity", "qint8: [-1, 2]"], "qint8[2]: [-1, 2]");
    check(&["Identity", "int4: [-8, 7]"], "int4[2]: [-8, 7]");
    check(&["Identity", "float8_e5m2: 0x3c"], "float8_e5m2: 0x3c");
}

#[test]
fn files_of_numpy_are_values() {
    let header = b"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header);
    bytes.extend([1.0f64, 3.0, 2.0, 4.0].iter().flat_map(|v| v.to_le_bytes()));
    let file = TestFile::new("matrix.npy", &bytes);
    let arg = format!("@{}", file.path());
    check(
        &["AddV2", &arg, "1"],
        "float64[2,2]:\n[[2.0, 3.0],\n [4.0, 5.0]]",
    );
}

#[test]
fn lists_take_arguments_one_by_one() {
    check(&["ConcatV2", "[1, 2]", "[3]", "0"], "int32[3]: [1, 2, 3]");
    check(
        &["ConcatV2", "[1]", "[2]", "int64:[3]", "0"],
        "int64[3]: [1, 2, 3]",
    );
    check(&["Pack", "1", "2.5", "3"], "float32[3]: [1.0, 2.5, 3.0]");
    check(&["Pack", "1", "2", "N=2"], "int32[2]: [1, 2]");
    check(
        &["IdentityN", "1", "[1.5]", "\"a\""],
        "output:0 = int32: 1\noutput:1 = float32[1]: [1.5]\noutput:2 = string: \"a\"",
    );
    check(
        &["IdentityN", "1", "2", "T=[float32,int64]"],
        "output:0 = float32: 1.0\noutput:1 = int64: 2",
    );
}

#[test]
fn attributes_are_read_by_their_kind() {
    check(
        &["MatMul", "[[1,2]]", "[[3,4]]", "transpose_b=true"],
        "int32[1,1]:\n[[11]]",
    );
    check(&["LeakyRelu", "-2", "alpha=0.25"], "float32: -0.5");
    check(
        &["Squeeze", "[[[7]]]", "squeeze_dims=[0, -1]"],
        "int32[1]: [7]",
    );
    check(
        &["StringJoin", "\"a\"", "\"b\"", "separator=, "],
        "string: \"a, b\"",
    );
    check(
        &["StringJoin", "\"a\"", "\"b\"", r#"separator="\t""#],
        "string: \"a\\tb\"",
    );
    check(
        &["Const", "value=int64:[1,2]", "dtype=int64"],
        "int64[2]: [1, 2]",
    );
    check(
        &["Cast", "1.75", "DstT=DT_INT32", "Truncate=true"],
        "int32: 1",
    );
    let handle = printed(&[
        "exec",
        "VarHandleOp",
        "dtype=float",
        "shape=[2,?]",
        "shared_name=v",
    ]);
    assert!(handle.starts_with("resource: "), "{handle}");
}

#[test]
fn devices_are_asked_for_in_any_spelling() {
    for device in [
        "CPU:0",
        "/cpu:0",
        "/job:localhost/replica:0/task:0/device:CPU:0",
    ] {
        check(&["Neg", "1", "--device", device], "int32: -1");
        check(&["--device", device, "Neg", "1"], "int32: -1");
    }
}

#[test]
fn several_results_have_names() {
    check(
        &["TopKV2", "[3, 9, 5]", "2"],
        "values = int32[2]: [9, 5]\nindices = int32[2]: [1, 2]",
    );
    check(&["NoOp"], "");
}

#[test]
fn a_result_is_a_value_for_the_next() {
    let product = printed(&["exec", "MatMul", "[[1,2],[3,4]]", "[[1,0.5],[0,1]]"]);
    check(
        &["Neg", &product],
        "float32[2,2]:\n[[-1.0, -2.5],\n [-3.0, -5.5]]",
    );
}

#[test]
fn long_tensors_are_whole_on_demand() {
    let short = printed(&["exec", "Range", "0", "2000", "1"]);
    assert_eq!(short, "int32[2000]: [0, 1, 2, ..., 1997, 1998, 1999]\n");
    let full = printed(&["exec", "Range", "0", "2000", "1", "--full"]);
    assert_eq!(full.matches(',').count(), 1999);
    check(&["Sum", &full, "0"], "int32: 1999000");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = command(&["exec", "Range", "0", "3000000", "1", "--full"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = [0; 5];
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut first).expect("it prints");
    drop(out);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    assert!(ended.status.success(), "{}", ended.status);
    assert_eq!(&first, b"int32");
}

#[test]
fn a_simd_level_that_is_none_is_reported_once_and_ignored() {
    let product = |level: &str| {
        let ten = "[[1,2,3,4,5,6,7,8,9,10]]";
        let output = command(&["exec", "MatMul", ten, ten, "transpose_a=true"])
            .env("TFE_SIMD", level)
            .output()
            .expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(output.stdout), text(output.stderr))
    };
    let (ignored, said) = product("avx9");
    assert_eq!(
        said,
        "TFE_SIMD=avx9 is ignored: the levels are baseline and avx2\n"
    );
    assert_eq!(product("baseline"), (ignored, String::new()));
}
