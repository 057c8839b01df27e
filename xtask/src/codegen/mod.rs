//! `cargo xtask codegen`: writes the generated files, which are committed so that everyone can read them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use xshell::{Shell, cmd};

mod capi;
mod kernels;
mod ops;
mod proto;

pub(crate) use kernels::families as kernel_families;

/// A generated file: its path from the root, and what it holds. Rust is formatted before it is written.
pub(crate) type Output = (PathBuf, Vec<u8>);

/// Writes every generated file; with `check`, fails instead when one is not as it would be written.
pub(crate) fn run(sh: &Shell, check: bool) -> Result<()> {
    let generators = [
        proto::outputs,
        ops::outputs,
        kernels::outputs,
        capi::outputs,
    ];
    let mut stale = Vec::new();
    for outputs in generators {
        for (path, mut contents) in outputs()? {
            if path.extension().is_some_and(|extension| extension == "rs") {
                contents = rustfmt(sh, &path, contents)?;
            }
            if !ensure(&path, &contents, check)? {
                stale.push(path.display().to_string());
            }
        }
    }
    if check && !stale.is_empty() {
        bail!(
            "out of date: {}; run `cargo xtask codegen` and commit the result",
            stale.join(", ")
        );
    }
    for path in &stale {
        println!("wrote {path}");
    }
    Ok(())
}

/// Whether the file already holds `contents`; if not, and this is no check, it is written.
fn ensure(path: &Path, contents: &[u8], check: bool) -> Result<bool> {
    if std::fs::read(path).is_ok_and(|old| old == contents) {
        return Ok(true);
    }
    if !check {
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        std::fs::write(path, contents).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(false)
}

fn rustfmt(sh: &Shell, path: &Path, source: Vec<u8>) -> Result<Vec<u8>> {
    // Explicit, because rustfmt looks for rustfmt.toml beside the file and here there is none yet.
    let output = cmd!(
        sh,
        "rustfmt --edition 2024 --config-path rustfmt.toml --emit stdout"
    )
    .stdin(source)
    .quiet()
    .output()
    .with_context(|| format!("formatting {}", path.display()))?;
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_finds_what_codegen_would_change_and_leaves_it() {
        let dir = std::env::temp_dir().join(format!("xtask-codegen-{}", std::process::id()));
        let path = dir.join("sub/file.txt");
        assert!(!ensure(&path, b"one", true).unwrap(), "missing");
        assert!(!path.exists());
        assert!(!ensure(&path, b"one", false).unwrap(), "written");
        assert!(ensure(&path, b"one", true).unwrap(), "up to date");
        assert!(!ensure(&path, b"two", true).unwrap(), "stale");
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        std::fs::remove_dir_all(dir).unwrap();
    }
}
