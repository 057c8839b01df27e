//! `cargo xtask bench`: the criterion benchmarks.

use anyhow::{Result, bail};
use xshell::Shell;

use crate::tools::cargo;

/// Runs the benchmarks; with `vs`, the C benchmark side by side with that library.
pub(crate) fn run(sh: &Shell, vs: Option<&str>) -> Result<()> {
    if let Some(library) = vs {
        bail!("there is no C benchmark to run {library} with");
    }
    cargo(sh).args(["bench", "-p", "tfe-benches"]).run()?;
    Ok(())
}

/// Runs the body of each benchmark once, to see that it still works.
pub(crate) fn smoke(sh: &Shell) -> Result<()> {
    // Not the bench profile: its LTO would take minutes for nothing.
    cargo(sh)
        .args([
            "bench",
            "--profile",
            "ci",
            "-p",
            "tfe-benches",
            "--",
            "--test",
        ])
        .run()?;
    Ok(())
}
