//! What goes wrong: 1 where the runtime refuses or fails, with the name of the code; 2 for a command line that says
//! nothing that can be done.

use crate::{TestFile, failed, tfe};

#[track_caller]
fn status(args: &[&str], wanted: &str) {
    let err = failed(args, 1);
    assert!(err.contains(wanted), "{args:?}: {err}");
}

#[track_caller]
fn usage(args: &[&str], wanted: &str) {
    let err = failed(args, 2);
    assert!(err.contains(wanted), "{args:?}: {err}");
}

#[test]
fn the_code_of_a_status_is_named() {
    status(
        &["exec", "MatMul", "[[1,2]]", "[[1,2]]"],
        "error: INVALID_ARGUMENT: Matrix size-incompatible",
    );
    status(
        &["exec", "Neg", "1", "--device", "GPU:7"],
        "error: INVALID_ARGUMENT: ",
    );
    status(
        &["exec", "AddV2", "int32:1", "int64:1"],
        "error: INVALID_ARGUMENT: ",
    );
    status(
        &["exec", "Matmul", "1"],
        "error: NOT_FOUND: there is no op or function 'Matmul'; did you mean 'MatMul'?",
    );
    status(&["ops", "Sqrtt"], "did you mean 'Sqrt'");
    status(&["ops", "Sqrtt*"], "no op that has kernels matches");
    status(
        &["exec", "Neg", "@no/such.npy"],
        "error: NOT_FOUND: no/such.npy: ",
    );
    status(&["run", "no/such.pb"], "error: NOT_FOUND: no/such.pb: ");
    status(
        &["exec", "LeakyRelu", "1", "T=int32"],
        "error: INVALID_ARGUMENT: ",
    );
    // An attribute without default that nothing says.
    status(&["exec", "Cast", "1"], "DstT");
    let file = TestFile::new("no.npy", b"hello");
    status(
        &["exec", "Neg", &format!("@{}", file.path())],
        "this is no .npy file",
    );
}

#[test]
fn mistakes_of_the_command_line_are_told_apart() {
    usage(&["exec", "Neg", "[1,"], "column 4");
    usage(&["exec", "Neg", "hello"], "'hello' is no value");
    usage(&["exec", "Neg", "int8:300"], "300 is no int8");
    usage(
        &["exec", "Neg", "1", "2"],
        "2 arguments do not fit Neg(x: T) -> y: T",
    );
    usage(
        &["exec", "AddV2", "1"],
        "1 argument does not fit AddV2(x: T, y: T)",
    );
    usage(
        &["exec", "ConcatV2", "1"],
        "ConcatV2(values: N*T, axis: Tidx)",
    );
    usage(
        &["exec", "Reshape", "1", "1.5"],
        "Reshape wants int32 for 'shape': 1.5 is no int32",
    );
    usage(
        &["exec", "AddV2", "int32:1", "2.5"],
        "AddV2 wants int32 for 'y': 2.5 is no int32",
    );
    usage(
        &["exec", "MatMul", "1", "1", "transposed_a=true"],
        "MatMul has no attribute 'transposed_a'; did you mean 'transpose_a'",
    );
    usage(
        &["exec", "MatMul", "1", "1", "transpose_a=3"],
        "'3' is neither true nor false",
    );
    usage(
        &["exec", "MatMul", "1", "1", "T=int32", "T=int64"],
        "T is given twice",
    );
    usage(&["exec", "Neg", "1", "--jsno"], "--jsno");
    usage(&["exec"], "OP");
    usage(&["frobnicate"], "frobnicate");
    usage(&["exec", "Neg", "1", "--json", "--full"], "--full");
}

#[test]
fn help_and_version_are_results() {
    let version = tfe(&["--version"]);
    assert_eq!(version.status, Some(0));
    assert_eq!(version.out, format!("tfe {}\n", env!("CARGO_PKG_VERSION")));
    let help = tfe(&["--help"]);
    assert_eq!(help.status, Some(0));
    for command in ["exec", "run", "ops", "devices", "completions"] {
        assert!(help.out.contains(&format!("\n  {command}")), "{}", help.out);
    }
    let help = tfe(&["exec", "--help"]);
    assert!(help.out.contains("float32[2,3]: 0") && help.out.contains("--device"));
    // Nothing asked is a mistake, and the help tells what can be.
    let nothing = tfe(&[]);
    assert_eq!((nothing.status, &*nothing.out), (Some(2), ""));
    assert!(nothing.err.contains("Usage: tfe"), "{}", nothing.err);
}
