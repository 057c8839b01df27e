//! The Rust crate `tensorflow`: its own unit and documentation tests, those of its `tensorflow-sys`, and
//! `clients/rust-tensorflow/tests/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use super::report::{self, Ended, Exceptions, Test};
use super::{died, is_offline, places, watch};
use crate::tools::{Outcome, cargo, copy_dir, has_program};

const CRATE: &str = "tensorflow-0.21.0";
const SYS: &str = "tensorflow-sys-0.24.0";
const FEATURES: &str = "--features=eager,experimental,ndarray,tensorflow_unstable";

/// How many tests there are: fewer would look as green.
const TESTS: usize = 150;

pub(super) fn run(sh: &Shell, dist: &Path) -> Result<Outcome> {
    if !has_program("pkg-config") {
        return Ok(Outcome::skipped("pkg-config is not installed"));
    }
    let openssl = cmd!(sh, "pkg-config --exists openssl").quiet();
    if openssl.run().is_err() {
        return Ok(Outcome::skipped("OpenSSL's headers are not installed"));
    }
    let (source, build) = places("rust-tensorflow")?;
    let Some(sources) = fetch(sh, &source)? else {
        return Ok(Outcome::skipped("cargo reaches no registry"));
    };
    let package = build.join(CRATE);
    prepare(&source, &sources, &package)?;

    let _env = [
        sh.push_env("PKG_CONFIG_PATH", dist.join("lib/pkgconfig")),
        sh.push_env("LD_LIBRARY_PATH", dist.join("lib")),
        sh.push_env("CARGO_TARGET_DIR", build.join("target")),
        sh.push_env("CARGO_PROFILE_DEV_DEBUG", "0"),
        sh.push_env("RUSTFLAGS", "-Awarnings"),
        sh.push_env("RUSTDOCFLAGS", "-Awarnings"),
        sh.push_env("RUST_BACKTRACE", "0"),
    ];
    let _dir = sh.push_dir(&package);
    let built = cargo(sh)
        .args(["test", "--no-run", "--locked", "--lib", "--tests", FEATURES])
        .read_stderr()?;
    let exceptions = report::exceptions(&source.join("exceptions.tsv"))?;
    let mut tests = Vec::new();
    for (title, program) in programs(&built) {
        tests.extend(run_program(sh, title, &program, &exceptions)?);
    }
    let docs = cargo(sh)
        .args(["test", "--doc", "--locked", FEATURES])
        .ignore_status()
        .ignore_stderr();
    tests.extend(results("doc", &docs.read()?));

    let kernels = std::fs::read_to_string("docs/ops.md")?;
    report::judge(
        "rust-tensorflow",
        &tests,
        &exceptions,
        &report::ops_with_kernels(&kernels),
    )?;
    let count = tests.len();
    ensure!(count == TESTS, "{count} tests, want {TESTS}");
    Ok(Outcome::Passed)
}

/// Where cargo keeps the sources that the lock file pins; `None` when they cannot be had.
fn fetch(sh: &Shell, source: &Path) -> Result<Option<PathBuf>> {
    let manifest = source.join("Cargo.toml");
    let fetched = cargo(sh)
        .args(["fetch", "--quiet", "--locked", "--manifest-path"])
        .arg(&manifest)
        .ignore_status()
        .output()?;
    if !fetched.status.success() {
        let said = String::from_utf8_lossy(&fetched.stderr);
        ensure!(is_offline(&said), "cargo fetch: {said}");
        return Ok(None);
    }
    let metadata = cargo(sh)
        .args([
            "metadata",
            "--format-version=1",
            "--offline",
            "--locked",
            "--manifest-path",
        ])
        .arg(&manifest)
        .quiet()
        .read()?;
    let (before, _) = metadata
        .split_once(&format!("/{CRATE}/Cargo.toml\""))
        .with_context(|| format!("cargo knows no {CRATE}"))?;
    let (_, path) = before
        .rsplit_once('"')
        .context("a path begins with a quote")?;
    Ok(Some(PathBuf::from(path)))
}

/// A copy of the crate that has our tests and those of `tensorflow-sys` among its own, so that it is built once.
fn prepare(source: &Path, sources: &Path, package: &Path) -> Result<()> {
    let copied = package.join(".copied");
    if !copied.exists() {
        copy_dir(&sources.join(CRATE), package)?;
    }
    let manifest = std::fs::read_to_string(sources.join(CRATE).join("Cargo.toml"))?;
    let off = "doctest = false";
    ensure!(
        manifest.contains(off),
        "the crate tests its documentation now"
    );
    let mut manifest = manifest.replace(off, "doctest = true");
    for (name, path) in [
        ("eager", source.join("tests/eager.rs")),
        ("sys", sources.join(SYS).join("tests/lib.rs")),
    ] {
        manifest += &format!(
            "\n[[test]]\nname = \"{name}\"\npath = \"{}\"\n",
            path.display()
        );
    }
    // It lies below our own workspace.
    manifest += "\n[workspace]\n";
    let path = package.join("Cargo.toml");
    // Written anew, it would be built anew.
    if std::fs::read_to_string(&path)? != manifest {
        std::fs::write(path, manifest)?;
    }
    std::fs::write(copied, "")?;
    Ok(())
}

/// The test programs that cargo says it built, each with a title.
fn programs(said: &str) -> Vec<(&str, PathBuf)> {
    let lines = said.lines().filter_map(|line| {
        let (source, program) = line.trim().strip_prefix("Executable ")?.split_once(" (")?;
        let title = match source {
            "unittests src/lib.rs" => "unit",
            path if path.ends_with("/eager.rs") => "eager",
            _ => "sys",
        };
        Some((title, PathBuf::from(program.trim_end_matches(')'))))
    });
    lines.collect()
}

/// Runs the tests of a program in one process, and each exception in one of its own, as it may do anything.
fn run_program(
    sh: &Shell,
    title: &str,
    program: &Path,
    exceptions: &Exceptions,
) -> Result<Vec<Test>> {
    let listed = cmd!(sh, "{program} --list --format=terse").quiet().read()?;
    let names = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    let (alone, together): (Vec<_>, Vec<_>) =
        names.partition(|name| exceptions.contains_key(&format!("{title} {name}")));
    let runs = alone.into_iter().map(|name| vec![name]);
    // Without a name, a program runs all that it has.
    let runs = runs.chain((!together.is_empty()).then_some(together));
    let mut tests = Vec::new();
    for names in runs {
        let output = program.with_extension("txt");
        let mut command = Command::from(cmd!(sh, "{program} --exact").args(&names));
        let status = watch(&mut command, &output, &output)?;
        let said = std::fs::read(&output)?;
        let found = results(title, &String::from_utf8_lossy(&said));
        let told = |name: &str| found.iter().any(|test| test.name == name);
        let untold = names.iter().map(|name| format!("{title} {name}"));
        let untold = untold.filter(|name| !told(name)).map(|name| Test {
            name,
            ended: Ended::Failed(format!("no result; the program {}", died(status))),
            ops: Vec::new(),
        });
        let untold: Vec<_> = untold.collect();
        tests.extend(found);
        tests.extend(untold);
    }
    Ok(tests)
}

/// The tests that a test program tells of.
fn results(title: &str, said: &str) -> Vec<Test> {
    let mut reasons = BTreeMap::new();
    let sections = said.split("\n---- ").skip(1);
    for section in sections {
        if let Some((name, text)) = section.split_once(" stdout ----\n") {
            let text = text.split("\nfailures:\n").next().unwrap_or(text);
            reasons.insert(name, text.trim());
        }
    }
    let lines = said.lines().filter_map(|line| {
        let (name, ended) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
        // A test that must panic, or must not compile, says so behind its name.
        let name = name.split(" - compile fail").next().unwrap_or(name);
        let reason = reasons.get(name).copied().unwrap_or_default();
        let ended = match ended.split(',').next()? {
            "ok" => Ended::Passed,
            "FAILED" => Ended::Failed(reason.to_owned()),
            "ignored" => Ended::Skipped,
            _ => return None,
        };
        Some(Test {
            name: format!("{title} {name}"),
            ended,
            ops: lacking(reason).into_iter().collect(),
        })
    });
    lines.collect()
}

/// The op whose kernel a message says is missing.
fn lacking(message: &str) -> Option<String> {
    let (before, _) = message.split_once(":\n  <no registered kernels>")?;
    let (_, op) = before.rsplit_once("registered for op ")?;
    Some(op.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found() {
        let said = "   Compiling x\n  Executable unittests src/lib.rs (/t/tensorflow-12)\n  \
                    Executable /s/tests/lib.rs (/t/sys-34)\n";
        let want = [("unit", "/t/tensorflow-12"), ("sys", "/t/sys-34")];
        assert_eq!(
            programs(said),
            want.map(|(title, path)| (title, path.into()))
        );
    }

    #[test]
    fn results_have_their_reasons() {
        let said = "test a::b ... ok\ntest c ... FAILED\ntest d ... FAILED\ntest e ... ignored, slow\n\
                    test src/x.rs - x (line 4) - compile fail ... ok\n\nfailures:\n\n---- c stdout ----\n\
                    All kernels registered for op Conv2D:\n  <no registered kernels>\n\n\
                    ---- d stdout ----\nbad\n\n\nfailures:\n    c\n    d\n";
        let tests = results("t", said);
        let names: Vec<_> = tests.iter().map(|test| &test.name[..]).collect();
        assert_eq!(
            names,
            ["t a::b", "t c", "t d", "t e", "t src/x.rs - x (line 4)"]
        );
        assert_eq!(tests[0].ended, Ended::Passed);
        assert_eq!(tests[1].ops, ["Conv2D"]);
        assert_eq!(tests[2].ended, Ended::Failed("bad".to_owned()));
        assert!(tests[2].ops.is_empty());
        assert_eq!(tests[3].ended, Ended::Skipped);
        assert_eq!(tests[4].ended, Ended::Passed);
    }
}
