//! `cargo xtask golden`: replays what was recorded from TensorFlow, through C and through Rust.

use std::path::Path;

use anyhow::Result;
use xshell::Shell;

use crate::capi::{self, What};
use crate::tools::{Outcome, SAME_FEATURES, cargo};

const RUST_RUNNER: &str = "crates/tfe-eager/tests/golden.rs";

/// Replays the vectors through both.
pub(crate) fn run(sh: &Shell) -> Result<Outcome> {
    if !Path::new(RUST_RUNNER).exists() {
        return Ok(Outcome::skipped(format!("there is no {RUST_RUNNER}")));
    }
    cargo(sh)
        .args([
            "test",
            "--profile",
            "ci",
            "-p",
            "tfe-eager",
            "--test",
            "golden",
        ])
        .args(SAME_FEATURES)
        .run()?;
    capi::run(sh, What::Golden)
}
