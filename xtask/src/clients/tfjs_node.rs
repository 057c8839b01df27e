//! `@tensorflow/tfjs-node`, TensorFlow.js on the C API: its native addon, its own tests and those of
//! `@tensorflow/tfjs-core`, some 4,400 specs.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use super::report::{self, Ended, Test};
use super::{died, is_offline, places, tail, watch};
use crate::tools::{Outcome, copy_dir, has_program};

/// How many specs there are: fewer would look as green.
const SPECS: usize = 4390;

/// Left out: they want a graph and a session from a `SavedModel`, and models that the package does not ship.
const WITHOUT: &str = "^(?!SavedModel )";

pub(super) fn run(sh: &Shell, dist: &Path) -> Result<Outcome> {
    for program in ["node", "npm", "c++"] {
        if !has_program(program) {
            return Ok(Outcome::skipped(format!("{program} is not installed")));
        }
    }
    let version = cmd!(sh, "node --version").quiet().read()?;
    if major(&version).is_none_or(|major| major < 18) {
        return Ok(Outcome::skipped(format!("node {version} is older than 18")));
    }
    let (source, build) = places("tfjs-node")?;
    if let Some(why) = install(sh, &source, &build)? {
        return Ok(Outcome::Skipped(why));
    }
    let package = build.join("node_modules/@tensorflow/tfjs-node");
    copy_dir(&source.join("images"), &package.join("test_objects/images"))?;
    build_addon(sh, dist, &build, &package)?;

    let (log, output) = (build.join("specs.tsv"), build.join("output.txt"));
    sh.remove_path(&log)?;
    let mut node = Command::new("node");
    node.arg(source.join("run.js")).arg(&log);
    node.args(["--grep", WITHOUT]).current_dir(&package);
    let status = watch(&mut node, &output, &log)?;
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let Some(tests) = read(&text)? else {
        let last = text.lines().last().unwrap_or("loading").replace('\t', " ");
        let (how, said) = (died(status), tail(&output));
        anyhow::bail!("the specs: node {how}; last: {last}\n{said}");
    };
    let kernels = std::fs::read_to_string("docs/ops.md")?;
    report::judge(
        "tfjs-node",
        &tests,
        &report::exceptions(&source.join("exceptions.tsv"))?,
        &report::ops_with_kernels(&kernels),
    )?;
    let count = tests.len();
    ensure!(count == SPECS, "{count} specs, want {SPECS}");
    Ok(Outcome::Passed)
}

fn major(version: &str) -> Option<u32> {
    version
        .trim_start_matches('v')
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// Installs the packages that the lock file pins, once for each lock file; says why it could not.
fn install(sh: &Shell, source: &Path, build: &Path) -> Result<Option<String>> {
    for file in ["package.json", "package-lock.json"] {
        sh.copy_file(source.join(file), build)?;
    }
    let lock = sh.read_file(build.join("package-lock.json"))?;
    let installed = build.join("node_modules/.installed");
    if std::fs::read_to_string(&installed).is_ok_and(|text| text == lock) {
        return Ok(None);
    }
    let npm = cmd!(
        sh,
        "npm ci --ignore-scripts --no-audit --no-fund --prefix {build}"
    );
    let output = npm.ignore_status().output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(is_offline(&said), "npm ci: {said}");
        return Ok(Some("npm reaches no registry".to_owned()));
    }
    sh.write_file(installed, lock)?;
    Ok(None)
}

/// Compiles the addon with the headers of `dist` and links it with the library there.
fn build_addon(sh: &Shell, dist: &Path, build: &Path, package: &Path) -> Result<()> {
    // Where the package looks for it, by the version of node's interface.
    let addon = package.join("lib/napi-v8/tfjs_binding.node");
    sh.create_dir(addon.parent().context("no directory")?)?;
    let binding = package.join("binding");
    let sources = ["tfjs_backend.cc", "tfjs_binding.cc"].map(|name| binding.join(name));
    let node = build.join("node_modules/node-api-headers/include");
    let (include, lib) = (dist.join("include"), dist.join("lib"));
    cmd!(
        sh,
        "c++ -std=c++17 -O1 -w -shared -fPIC -DNAPI_VERSION=8 -I{include} -I{node} -I{binding} {sources...}
         -L{lib} -ltensorflow -Wl,-rpath,{lib} -Wl,-z,now -o {addon}"
    )
    .run()
    .context("building the addon")
}

/// The specs in what `run.js` wrote; `None` where it did not come to its end.
fn read(log: &str) -> Result<Option<Vec<Test>>> {
    let mut tests = Vec::new();
    let mut finished = false;
    for line in log.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let (name, ops, said) = match fields[..] {
            ["finished"] => {
                finished = true;
                continue;
            }
            ["loading" | "started", _] => continue,
            [_, name, ops, said] => (name, ops, said),
            _ => anyhow::bail!("not understood: {line}"),
        };
        let ended = match fields[0] {
            "passed" => Ended::Passed,
            "failed" => Ended::Failed(said.to_owned()),
            "excluded" | "pending" => Ended::Skipped,
            other => anyhow::bail!("not a way to end: {other}"),
        };
        let ops = ops.split(',').filter(|op| !op.is_empty());
        tests.push(Test {
            name: name.to_owned(),
            ended,
            ops: ops.map(str::to_owned).collect(),
        });
    }
    Ok(finished.then_some(tests))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_to_its_end() {
        let log =
            "loading\tx.js\nstarted\ta b\npassed\ta b\tAdd,Mul\t\nstarted\tc\nfailed\tc\t\tbad\n";
        assert!(read(log).unwrap().is_none());
        let tests = read(&format!("{log}finished\n")).unwrap().unwrap();
        assert_eq!(tests.len(), 2);
        assert_eq!(tests[0].ops, ["Add", "Mul"]);
        assert_eq!(tests[1].ended, Ended::Failed("bad".to_owned()));
        assert!(tests[1].ops.is_empty());
        assert!(read("what\ta\t\t\n").is_err());
    }

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("node"), None);
    }
}
