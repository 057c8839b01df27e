//! One function file through C, Rust and the shell: what the three print is the same, byte by byte.

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::capi;
use crate::tools::{Outcome, SAME_FEATURES, cargo, has_program, target_dir};

/// The file that all three read.
pub(crate) const FILE: &str = "examples/functions/scores.pb";
/// The program in C, and the example of `tfe-eager`.
pub(crate) const PROGRAM: &str = "function_file";
/// What those two pass to the function, as the shell has it.
const CALL: [&str; 4] = [
    "--function=Scores",
    "[[1, -2], [0.5, 4]]",
    "[[1, 0.25, -3], [2, -1, 0.3]]",
    "slope=0.1",
];

/// Runs the three and compares.
pub(crate) fn run(sh: &Shell) -> Result<Outcome> {
    if !has_program("cc") {
        return Ok(Outcome::skipped("there is no C compiler"));
    }
    let c = capi::printed_by(sh, PROGRAM, FILE)?;
    cargo(sh)
        .args(["build", "--quiet", "--profile", "ci"])
        .args(["-p", "tfe-cli", "-p", "tfe-eager"])
        .args(SAME_FEATURES)
        .args(["--bin", "tfe", "--example", PROGRAM])
        .run()?;
    let built = target_dir().join("ci");
    let (example, tfe) = (built.join("examples").join(PROGRAM), built.join("tfe"));
    let rust = cmd!(sh, "{example} {FILE}").read()?;
    let shell = cmd!(sh, "{tfe} run {FILE} {CALL...}").read()?;
    same(&[("C", &c), ("Rust", &rust), ("the shell", &shell)])?;
    println!("C, Rust and the shell print:\n{c}");
    Ok(Outcome::Passed)
}

/// All have printed the same, and something.
fn same(printed: &[(&str, &str)]) -> Result<()> {
    let (first, of_first) = printed[0];
    ensure!(!of_first.is_empty(), "{first} prints nothing");
    for (other, of_other) in printed {
        ensure!(
            of_first == *of_other,
            "{first} prints\n{of_first}\nbut {other} prints\n{of_other}"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        let check = |a, b, c| same(&[("C", a), ("Rust", b), ("the shell", c)]).is_ok();
        assert!(check("x = 1.0", "x = 1.0", "x = 1.0"));
        assert!(!check("x = 1.0", "x = 1.0", "x = 1"));
        assert!(!check("x = 1.0", "x = 1.00", "x = 1.0"));
        assert!(!check("", "", ""));
    }
}
