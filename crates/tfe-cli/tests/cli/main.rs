//! The program as a shell runs it: what it prints, says and exits with.

mod calls;
mod errors;
mod files;
mod functions;
mod json;
mod listings;
mod readme;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tfe"));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    command
}

/// How a run ended.
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

fn tfe(args: &[&str]) -> Ran {
    let output = command(args).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        status: output.status.code(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// What a run that goes well prints.
#[track_caller]
fn printed(args: &[&str]) -> String {
    let ran = tfe(args);
    assert_eq!((ran.status, &*ran.err), (Some(0), ""), "{args:?}");
    ran.out
}

/// What a run that goes wrong says, having printed nothing.
#[track_caller]
fn failed(args: &[&str], status: i32) -> String {
    let ran = tfe(args);
    assert_eq!(
        (ran.status, &*ran.out),
        (Some(status), ""),
        "{args:?}: {}",
        ran.err
    );
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    ran.err
}

/// A file of a test, which is gone when the test ends.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("tfe-cli-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a file can be written");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
