//! Values from standard input, results into NumPy's files, and what makes a shell complete words.

use std::io::Write as _;
use std::process::Stdio;

use crate::{TestFile, command, failed, printed, tfe};

/// What a run prints that is given `input`, in bytes.
#[track_caller]
fn fed(args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = command(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input).expect("it is read");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    output.stdout
}

#[test]
fn a_value_comes_on_standard_input() {
    // What one command prints the next one takes.
    let first = printed(&["exec", "MatMul", "[[1,2],[3,4]]", "[[1,0],[0,1]]"]);
    let negated = fed(&["exec", "Neg", "@-"], first.as_bytes());
    assert_eq!(
        String::from_utf8_lossy(&negated),
        "int32[2,2]:\n[[-1, -2],\n [-3, -4]]\n"
    );
    let file = fed(&["exec", "Neg", "@-", "--out", "-"], b"float64:[1.5, 2]");
    assert!(file.starts_with(b"\x93NUMPY"));
    // The second value takes the type of the first.
    let sum = fed(&["exec", "AddV2", "1", "@-"], &file);
    assert_eq!(String::from_utf8_lossy(&sum), "float64[2]: [-0.5, -1.0]\n");
    let twice = failed(&["exec", "AddV2", "@-", "@-"], 2);
    assert!(twice.contains("@- is given 2 times"), "{twice}");
    failed(&["exec", "Neg", "@-"], 2);
}

#[test]
fn results_go_into_files() {
    let file = TestFile::new("out.npy", b"old");
    let path = file.path();
    let args = ["exec", "Sqrt", "[[4, 9]]", "--out", path];
    assert_eq!(printed(&args), "");
    let read = format!("@{path}");
    assert_eq!(
        printed(&["exec", "Identity", &read]),
        "float32[1,2]:\n[[2.0, 3.0]]\n"
    );
    // One file for each of several results.
    let named = |name: &str| path.replace(".npy", &format!(".{name}.npy"));
    assert_eq!(
        printed(&["exec", "TopKV2", "[3, 1, 4]", "2", "--out", path]),
        ""
    );
    for (name, wanted) in [
        ("values", "int32[2]: [4, 3]\n"),
        ("indices", "int32[2]: [2, 0]\n"),
    ] {
        let path = named(name);
        assert_eq!(printed(&["exec", "Identity", &format!("@{path}")]), wanted);
        std::fs::remove_file(path).expect("it was written");
    }
    printed(&["exec", "Split", "0", "[1,2]", "num_split=2", "--out", path]);
    for part in ["output-0", "output-1"] {
        std::fs::remove_file(named(part)).expect(part);
    }
    let strings = ["exec", "StringUpper", r#"["a", "bcd"]"#, "--out", path];
    printed(&strings);
    assert_eq!(
        printed(&["exec", "Identity", &read]),
        "string[2]: [\"A\", \"BCD\"]\n"
    );
    let e = failed(&["exec", "Neg", "bfloat16:1", "--out", path], 1);
    assert!(e.contains("NumPy has no elements of type bfloat16"), "{e}");
    let e = failed(&["exec", "Neg", "1", "--out", "no/such/dir.npy"], 1);
    assert!(e.starts_with("error: NOT_FOUND: no/such/dir.npy"), "{e}");
    failed(&["exec", "TopKV2", "[3]", "1", "--out", "-"], 2);
    failed(&["exec", "NoOp", "--out", path], 2);
    failed(&["exec", "Neg", "1", "--out", path, "--json"], 2);
}

#[test]
fn shells_complete_words() {
    for (shell, wanted) in [
        ("bash", "complete -F _tfe"),
        ("zsh", "#compdef tfe"),
        ("fish", "complete -c tfe"),
    ] {
        let script = printed(&["completions", shell]);
        assert!(script.contains(wanted), "{shell}: {script}");
        assert!(
            script.contains("devices") && script.contains("json"),
            "{shell}"
        );
    }
    assert_eq!(tfe(&["completions", "none"]).status, Some(2));
}
