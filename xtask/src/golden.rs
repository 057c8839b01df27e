//! `cargo xtask golden` and `record`: what was recorded from TensorFlow, replayed through Rust and C; and recording it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use crate::capi::{self, What};
use crate::tools::{Outcome, SAME_FEATURES, cargo};

const RECORDS: &str = "crates/tfe-testkit/golden";
/// Names the directory of TensorFlow's own libraries: also that on which `capi` runs the C tests a second time.
pub(crate) const REFERENCE: &str = "TFE_REFERENCE";

/// Replays the records through both.
pub(crate) fn run(sh: &Shell) -> Result<Outcome> {
    through_rust(sh)?;
    capi::run(sh, What::Golden)
}

/// Replays the records through the Rust API.
pub(crate) fn through_rust(sh: &Shell) -> Result<()> {
    let test = ["test", "--profile", "ci", "-p", "tfe-eager"];
    cargo(sh)
        .args(test)
        .args(["--test", "golden"])
        .args(SAME_FEATURES)
        .run()?;
    Ok(())
}

/// Fills what TensorFlow answers into files of records: `Roll` for `golden/Roll.json`, `sequences/queues`.
pub(crate) fn record(sh: &Shell, names: &[String]) -> Result<()> {
    ensure!(
        !names.is_empty(),
        "record wants names of files in {RECORDS}, without .json"
    );
    for name in names {
        let path = Path::new(RECORDS).join(format!("{name}.json"));
        ensure!(
            path.exists(),
            "there is no {}: write it with the calls and no results, in the form of {RECORDS}/FORMAT.md",
            path.display()
        );
    }
    let library = tensorflow(sh)?.join("libtensorflow_cc.so.2");
    ensure!(library.exists(), "there is no {}", library.display());
    cargo(sh)
        .args(["test", "--quiet", "-p", "tfe-testkit", "--test", "golden_c"])
        .args(["--", "--exact", "results_are_recorded", "--nocapture"])
        .env("TFE_LIB", library)
        .env("TFE_RECORD", names.join(" "))
        .env("TF_ENABLE_ONEDNN_OPTS", "0")
        .env("TF_CPP_MIN_LOG_LEVEL", "3")
        .run()?;
    Ok(())
}

/// The directory of TensorFlow's libraries: what `TFE_REFERENCE` says, or where the first Python on the path has them.
fn tensorflow(sh: &Shell) -> Result<PathBuf> {
    if let Some(dir) = std::env::var_os(REFERENCE) {
        return Ok(PathBuf::from(dir));
    }
    let find = "import importlib.util as u; print(u.find_spec('tensorflow').submodule_search_locations[0])";
    let dir = cmd!(sh, "python3 -c {find}").quiet().ignore_stderr().read();
    let dir = dir.with_context(|| {
        format!("no TensorFlow: `pip install tensorflow`, or let {REFERENCE} name the directory of its libraries")
    })?;
    Ok(PathBuf::from(dir))
}
