//! The C test programs: how each is built, with what it is run, and the faults that must be found.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Cmd, Shell, cmd};

use super::What;
use crate::alike;
use crate::dist::{self, Variant};
use crate::golden::REFERENCE;
use crate::levels::VARIABLE;
use crate::tools::target_dir;

const SOURCES: &str = "crates/tfe-capi/tests/c";

/// A source and the forms of the API that it is built for.
struct Program {
    name: String,
    source: PathBuf,
    forms: Vec<String>,
    /// Whether it is about threads: what is run under TSan.
    threads: bool,
    /// Whether it forks: what threads had allocated that the child lacks looks like a leak there.
    forks: bool,
    /// Whether it has faults to be found, rather than tests.
    faults: bool,
}

/// All programs, by name. The comment that opens a source may say `build: 2.21 2017`, `threads`, `forks`
/// or `faults` on a line of its own; the form is 2.21 where nothing is said.
fn programs() -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(SOURCES).context(SOURCES)? {
        let source = entry?.path();
        if source.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let text = std::fs::read_to_string(&source)?;
        let notes: Vec<&str> = text
            .lines()
            .map_while(|line| line.strip_prefix("// "))
            .collect();
        let forms = notes.iter().find_map(|note| note.strip_prefix("build: "));
        let forms = forms
            .unwrap_or("2.21")
            .split(' ')
            .map(str::to_owned)
            .collect();
        let name = source.file_stem().context("a source without a name")?;
        programs.push(Program {
            name: name.to_string_lossy().into_owned(),
            forms,
            threads: notes.contains(&"threads"),
            forks: notes.contains(&"forks"),
            faults: notes.contains(&"faults"),
            source,
        });
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    ensure!(!programs.is_empty(), "there is no program in {SOURCES}");
    Ok(programs)
}

/// Builds the programs that `what` is about and runs them, at each of the SIMD levels where some are given.
pub(super) fn run(sh: &Shell, what: What, variant: Variant, levels: &[&str]) -> Result<()> {
    let dir = variant.dir().join("tests");
    sh.create_dir(&dir)?;
    let mut failed = Vec::new();
    let mut count = 0;
    for program in programs()? {
        if what == What::Tsan && !program.threads && !program.faults {
            continue;
        }
        if what != What::Plain && program.forks {
            continue;
        }
        for form in &program.forms {
            let binary = dir.join(format!("{}-{form}", program.name));
            compile(
                sh,
                &program.source,
                form,
                &binary,
                &dist::program_args(variant),
            )?;
            if program.faults {
                find_faults(sh, what, &binary)?;
                continue;
            }
            let run = || {
                under(sh, what, &binary)
                    .args(args(&program.name, what))
                    .quiet()
            };
            count += 1;
            if levels.is_empty() && run().run().is_err() {
                failed.push(format!("{} ({form})", program.name));
            }
            for level in levels {
                if run().env(VARIABLE, level).run().is_err() {
                    failed.push(format!("{} ({form}, {level})", program.name));
                }
            }
        }
    }
    if what == What::Plain && levels.is_empty() {
        link_static(sh, variant, &dir)?;
    }
    let of = failed.len();
    ensure!(
        failed.is_empty(),
        "{of} of {count} C programs failed: {}",
        failed.join(", ")
    );
    println!("{count} C programs passed");
    Ok(())
}

/// Where `TFE_REFERENCE` names a directory, runs the programs of the 2.21 form on the library in it, to
/// see that they say the truth.
pub(super) fn run_reference(sh: &Shell) -> Result<()> {
    let Some(reference) = std::env::var_os(REFERENCE).map(PathBuf::from) else {
        return Ok(());
    };
    let libraries = ["libtensorflow_cc.so.2", "libtensorflow_framework.so.2"];
    let rpath = format!("-Wl,-rpath,{}", reference.display());
    let link = libraries.map(|name| reference.join(name).display().to_string());
    let link = [&link[..], &[rpath]].concat();
    let dir = target_dir().join("capi/reference");
    sh.create_dir(&dir)?;
    let _env = [
        sh.push_env("TFE_TEST_REFERENCE", "1"),
        sh.push_env("TF_ENABLE_ONEDNN_OPTS", "0"),
        sh.push_env("TF_CPP_MIN_LOG_LEVEL", "3"),
    ];
    let mut failed = Vec::new();
    for program in programs()? {
        if program.faults || !program.forms.iter().any(|form| form == "2.21") {
            continue;
        }
        let binary = dir.join(&program.name);
        compile(sh, &program.source, "2.21", &binary, &link)?;
        let run = cmd!(sh, "{binary}")
            .args(args(&program.name, What::Plain))
            .quiet();
        if run.run().is_err() {
            failed.push(program.name);
        }
    }
    ensure!(
        failed.is_empty(),
        "on {}, these failed: {}",
        reference.display(),
        failed.join(", ")
    );
    Ok(())
}

/// What a program, given a file, prints with the library of the `ci` profile.
pub(super) fn printed_by(sh: &Shell, name: &str, file: &str) -> Result<String> {
    let dir = Variant::Ci.dir().join("tests");
    sh.create_dir(&dir)?;
    let (source, binary) = (Path::new(SOURCES).join(format!("{name}.c")), dir.join(name));
    let link = dist::program_args(Variant::Ci);
    compile(sh, &source, "2.21", &binary, &link)?;
    Ok(cmd!(sh, "{binary} {file}").read()?)
}

fn compile(sh: &Shell, source: &Path, form: &str, binary: &Path, link: &[String]) -> Result<()> {
    let form = (form == "2017").then_some("-DTFE_API_2017");
    cmd!(
        sh,
        "cc -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -Wall -Wextra -Werror"
    )
    .args(form)
    .args(["-I", "crates/tfe-capi/include", "-o"])
    .args([binary, source])
    .args(link)
    .args(["-lm", "-lpthread"])
    .quiet()
    .run()
    .with_context(|| format!("building {}", source.display()))
}

/// What a program is given.
fn args(name: &str, what: What) -> Vec<String> {
    match name {
        // How long threads go on with mixed calls, in seconds.
        "threads" if what == What::Tsan => vec!["60".to_owned()],
        "threads" => vec!["2".to_owned()],
        alike::PROGRAM => vec![alike::FILE.to_owned()],
        _ => Vec::new(),
    }
}

/// Valgrind and what it is told.
pub(super) const VALGRIND: &[&str] = &[
    "valgrind",
    "--quiet",
    "--leak-check=full",
    "--error-exitcode=9",
    "--num-callers=60",
    "--errors-for-leak-kinds=definite,indirect,possible",
    "--suppressions=crates/tfe-capi/tests/data/valgrind.supp",
];

/// The program under what watches it.
fn under<'a>(sh: &'a Shell, what: What, binary: &Path) -> Cmd<'a> {
    match what {
        What::Valgrind => sh.cmd(VALGRIND[0]).args(&VALGRIND[1..]).arg(binary),
        _ => cmd!(sh, "{binary}")
            // Sizes that cannot be had are asked for on purpose.
            .env(
                "ASAN_OPTIONS",
                "allocator_may_return_null=1:detect_stack_use_after_return=1",
            )
            .env("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")
            .env("TSAN_OPTIONS", "halt_on_error=0:exitcode=66"),
    }
}

/// Each planted fault must be found by what should find it: a checker that has lost its flags would
/// find nothing, and look green.
fn find_faults(sh: &Shell, what: What, binary: &Path) -> Result<()> {
    let faults: &[&str] = match what {
        What::Plain => &["check"],
        What::Valgrind => &[
            "check",
            "leak",
            "leak-library",
            "read",
            "read-library",
            "write",
        ],
        What::Asan => &[
            "check",
            "leak",
            "leak-library",
            "read",
            "read-library",
            "write",
            "undefined",
        ],
        What::Tsan => &["race", "race-library"],
        What::Headers | What::Golden | What::Numpy => &[],
    };
    let clean = under(sh, what, binary).arg("none").quiet().run();
    clean.context("the program without a fault")?;
    for fault in faults {
        let run = under(sh, what, binary)
            .arg(fault)
            .quiet()
            .ignore_status()
            .output()?;
        ensure!(
            !run.status.success(),
            "the planted fault '{fault}' was not found"
        );
        ensure!(
            run.status.code() != Some(2),
            "the planted fault '{fault}' is not known:\n{}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
    println!("{} planted faults found", faults.len());
    Ok(())
}

/// One program with the static library.
fn link_static(sh: &Shell, variant: Variant, dir: &Path) -> Result<()> {
    let binary = dir.join("seed-static");
    let archive = variant
        .dir()
        .join("lib/libtensorflow.a")
        .display()
        .to_string();
    let link = [&archive, "-ldl", "-lpthread"].map(str::to_owned);
    compile(
        sh,
        &Path::new(SOURCES).join("seed.c"),
        "2.21",
        &binary,
        &link,
    )?;
    cmd!(sh, "{binary}")
        .quiet()
        .run()
        .context("linked with the static library")
}
