//! The C side: headers checked, C tests built and run.

use std::path::PathBuf;

use anyhow::Result;
use xshell::{Shell, cmd};

mod headers;
mod programs;
mod prototypes;

use crate::dist::{self, Variant};
use crate::levels::VARIABLE;
use crate::tools::{Outcome, SAME_FEATURES, cargo, has_program, target_dir};

/// What to check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// Each header alone and all together, as C and as C++; prototypes; exported symbols.
    Headers,
    /// The C tests in both API forms, with the `ci` and the release library.
    Plain,
    /// The same under valgrind.
    Valgrind,
    /// The same with programs and library built for ASan, and UBSan in the programs.
    Asan,
    /// Threads on one context, programs and library built for TSan.
    Tsan,
    /// The golden vectors through the C API.
    Golden,
    /// Arrays of NumPy, in and out by DLPack.
    Numpy,
}

const DLPACK_NUMPY: &str = "crates/tfe-capi/tests/dlpack_numpy.py";

/// A Python that has NumPy: the first on the path, or that of the tools that `.ci/run` installs.
fn python_with_numpy(sh: &Shell) -> Option<PathBuf> {
    let tools = target_dir().join("tools/bin/python3");
    [PathBuf::from("python3"), tools]
        .into_iter()
        .find(|python| {
            let import = cmd!(sh, "{python} -c 'import numpy'")
                .quiet()
                .ignore_status();
            import.output().is_ok_and(|output| output.status.success())
        })
}

/// What a C test program, given a file, prints with the library of the `ci` profile.
pub(crate) fn printed_by(sh: &Shell, program: &str, file: &str) -> Result<String> {
    dist::build(sh, Variant::Ci)?;
    programs::printed_by(sh, program, file)
}

/// Runs one kind of check. The library is `dist::build(sh, Variant::Ci)` and its sanitizer variants.
pub(crate) fn run(sh: &Shell, what: What) -> Result<Outcome> {
    if what != What::Golden && !has_program("cc") {
        return Ok(Outcome::skipped("there is no C compiler"));
    }
    match what {
        What::Headers => return headers::run(sh),
        What::Plain => {
            for variant in [Variant::Ci, Variant::Release] {
                dist::build(sh, variant)?;
                programs::run(sh, what, variant, &[])?;
            }
            programs::run_reference(sh)?;
        }
        What::Valgrind => {
            if !has_program("valgrind") {
                return Ok(Outcome::skipped("valgrind is not installed"));
            }
            dist::build(sh, Variant::Ci)?;
            programs::run(sh, what, Variant::Ci, &[])?;
            records(sh, Variant::Ci, programs::VALGRIND)?;
        }
        What::Asan => {
            dist::build(sh, Variant::Asan)?;
            programs::run(sh, what, Variant::Asan, &[])?;
        }
        What::Tsan => {
            dist::build(sh, Variant::Tsan)?;
            programs::run(sh, what, Variant::Tsan, &[])?;
        }
        What::Numpy => {
            let Some(python) = python_with_numpy(sh) else {
                return Ok(Outcome::skipped("NumPy is not installed"));
            };
            let library = dist::build(sh, Variant::Ci)?.join("lib/libtensorflow.so.2");
            let library = std::path::absolute(library)?;
            cmd!(sh, "{python} {DLPACK_NUMPY} {library}").run()?;
        }
        What::Golden => records(sh, Variant::Ci, &[])?,
    }
    Ok(Outcome::Passed)
}

/// Runs the records and the C tests with the library of the `ci` profile at each of these SIMD levels.
pub(crate) fn run_at(sh: &Shell, levels: &[&str]) -> Result<()> {
    for level in levels {
        let _env = sh.push_env(VARIABLE, level);
        records(sh, Variant::Ci, &[])?;
    }
    if has_program("cc") {
        programs::run(sh, What::Plain, Variant::Ci, levels)?;
    }
    Ok(())
}

/// The records through the C API; under `runner` the sequences only, whose results none of them changes: denormal
/// numbers, which some vectors are about, are others under valgrind.
fn records(sh: &Shell, variant: Variant, runner: &[&str]) -> Result<()> {
    let library = std::path::absolute(dist::build(sh, variant)?)?;
    let mut command = cargo(sh)
        .args(["test", "--profile", "ci", "-p", "tfe-testkit"])
        .args(SAME_FEATURES)
        .args(["--test", "golden_c"])
        .env("TFE_LIB", library.join("lib/libtensorflow.so.2"));
    if !runner.is_empty() {
        let target = dist::host(sh)?.to_ascii_uppercase().replace('-', "_");
        // Cargo starts tests in the directory of their package.
        let suppressions = std::path::absolute(".")?.display().to_string() + "/crates";
        let runner = runner
            .join(" ")
            .replace("=crates", &format!("={suppressions}"));
        command = command
            .args(["--", "--exact", "all_sequences_pass_through_the_c_api"])
            .env(format!("CARGO_TARGET_{target}_RUNNER"), runner);
    }
    command.run()?;
    Ok(())
}
