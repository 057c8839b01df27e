//! What several commands need: the target directory, the crates, which programs are there.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use xshell::{Cmd, Shell, cmd};

/// How a step ended when it did not fail.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// Could not run here, and why.
    Skipped(String),
}

impl Outcome {
    pub(crate) fn skipped(why: impl Into<String>) -> Outcome {
        Outcome::Skipped(why.into())
    }
}

/// Where cargo builds.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// Whether a program of this name is on the path.
pub(crate) fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

/// Whether `cargo NAME` works; the command itself may be missing behind rustup's proxy of that name.
pub(crate) fn has_cargo_command(sh: &Shell, toolchain: Option<&str>, name: &str) -> bool {
    let toolchain = toolchain.map(|toolchain| format!("+{toolchain}"));
    let cmd = cmd!(sh, "cargo {toolchain...} {name} --version");
    cmd.quiet()
        .ignore_status()
        .output()
        .is_ok_and(|output| output.status.success())
}

/// `cargo`, free of what the `cargo xtask` around us set for itself.
pub(crate) fn cargo(sh: &Shell) -> Cmd<'_> {
    cmd!(sh, "cargo")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO_MANIFEST_DIR")
}

/// To select along with whatever is built in the `ci` profile. Cargo gives a dependency the features that the selected
/// packages ask for: without these, stages would build the slowest ones anew for each other.
pub(crate) const SAME_FEATURES: [&str; 2] = ["-p", "tfe-benches"];

/// A crate of the workspace.
pub(crate) struct Crate {
    pub(crate) name: String,
    /// Whether it is a library; else it is a program.
    pub(crate) is_library: bool,
    /// Its Cargo features other than `default`.
    pub(crate) features: Vec<String>,
}

/// The crates of `crates/`, by name.
pub(crate) fn crates() -> Result<Vec<Crate>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("crates")? {
        let dir = entry?.path();
        let path = dir.join("Cargo.toml");
        if path.exists() {
            let name = path
                .parent()
                .and_then(Path::file_name)
                .and_then(|name| name.to_str());
            let name = name
                .with_context(|| format!("{} has no name", path.display()))?
                .to_owned();
            let manifest = std::fs::read_to_string(&path)?;
            found.push(Crate {
                name,
                is_library: dir.join("src/lib.rs").exists(),
                features: features(&manifest),
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn features(manifest: &str) -> Vec<String> {
    let table = manifest
        .lines()
        .skip_while(|line| line.trim() != "[features]")
        .skip(1);
    let mut features: Vec<String> = table
        .take_while(|line| !line.starts_with('['))
        // A list may go on over several lines, which are indented or close it.
        .filter(|line| line.starts_with(|c: char| c.is_ascii_alphanumeric()))
        .filter_map(|line| Some(line.split_once('=')?.0.trim().to_owned()))
        .collect();
    features.retain(|feature| feature != "default");
    features
}

/// Copies a directory with all that is in it.
pub(crate) fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_dir(&path, &target)?;
        } else {
            std::fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_from_a_manifest() {
        let manifest = "[package]\nname = \"a\"\n\n[features]\ndefault = [\n    \"math\",\n]\nmath = []\n\
                        nn = [\"math\"]\n\n[dependencies]\nb = \"1\"\n";
        assert_eq!(features(manifest), ["math", "nn"]);
        assert_eq!(features("[dependencies]\nb = \"1\"\n"), [""; 0]);
    }

    #[test]
    fn programs_are_found() {
        assert!(has_program("cargo"));
        assert!(!has_program("no-program-has-this-name"));
    }
}
