//! `cargo xtask clients [NAME…]`: programs that others wrote, on the library in `target/dist` and nothing else.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use xshell::Shell;

mod report;
mod rust_tensorflow;
mod tfjs_node;

use crate::dist::{self, Variant};
use crate::tools::{Outcome, target_dir};

/// A program, or its tests, as its authors ship it.
struct Client {
    name: &'static str,
    /// Builds it against the library in a directory such as `target/dist`, and runs it.
    run: fn(&Shell, &Path) -> Result<Outcome>,
}

const CLIENTS: &[Client] = &[
    Client {
        name: "tfjs-node",
        run: tfjs_node::run,
    },
    Client {
        name: "rust-tensorflow",
        run: rust_tensorflow::run,
    },
];

/// Runs the clients named, or all.
pub(crate) fn run(sh: &Shell, names: &[String]) -> Result<Outcome> {
    let known = |name: &String| CLIENTS.iter().any(|client| client.name == name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let all: Vec<_> = CLIENTS.iter().map(|client| client.name).collect();
        bail!("no client '{name}'; the clients are {}", all.join(", "));
    }
    let dist = std::path::absolute(dist::build(sh, Variant::Release)?)?;
    let (mut failed, mut skipped) = (Vec::new(), Vec::new());
    for Client { name, run } in CLIENTS {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        match run(sh, &dist) {
            Ok(Outcome::Passed) => {}
            Ok(Outcome::Skipped(why)) => {
                println!("{name}: skipped: {why}");
                skipped.push(format!("{name}: {why}"));
            }
            Err(error) => failed.push(format!("{name}: {error:#}")),
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    if skipped.is_empty() {
        Ok(Outcome::Passed)
    } else {
        Ok(Outcome::Skipped(skipped.join("; ")))
    }
}

/// Where what is pinned and kept of a client lies, and where it is built.
fn places(name: &str) -> Result<(PathBuf, PathBuf)> {
    let source = std::path::absolute(Path::new("clients").join(name))?;
    let build = std::path::absolute(target_dir().join("clients").join(name))?;
    std::fs::create_dir_all(&build)?;
    Ok((source, build))
}

/// Whether a package manager failed because it reached no registry, by what it said.
fn is_offline(said: &str) -> bool {
    const SIGNS: &[&str] = &[
        "ENOTFOUND",
        "EAI_AGAIN",
        "ECONNREFUSED",
        "ETIMEDOUT",
        "ENETUNREACH",
        // A proxy that lets nothing through.
        "E403",
        "failed to download",
        "Could not resolve",
        "Could not connect",
    ];
    SIGNS.iter().any(|sign| said.contains(sign))
}

/// Runs a command whose output goes to `output`, and ends it when `log`, which it writes as it goes on, has not
/// grown for two minutes. `None` says that it was ended.
fn watch(command: &mut Command, output: &Path, log: &Path) -> Result<Option<ExitStatus>> {
    const PATIENCE: Duration = Duration::from_secs(120);
    let file = File::create(output).with_context(|| output.display().to_string())?;
    command.stdin(std::process::Stdio::null());
    command.stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let (mut size, mut since) = (0, Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let now = std::fs::metadata(log).map_or(0, |file| file.len());
        if now != size {
            (size, since) = (now, Instant::now());
        }
        if since.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How a program ended that did not come to its end, in words.
fn died(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => format!("died ({status})"),
        None => "hangs".to_owned(),
    }
}

/// The last lines of a file.
fn tail(path: &Path) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::is_offline;

    #[test]
    fn a_fault_of_a_lock_file_is_no_lack_of_a_network() {
        assert!(is_offline("npm error code ECONNREFUSED"));
        assert!(is_offline("  [6] Could not resolve host: index.crates.io"));
        assert!(!is_offline("npm error code EINTEGRITY"));
        assert!(!is_offline(
            "cannot update the lock file because --locked was passed"
        ));
    }
}
