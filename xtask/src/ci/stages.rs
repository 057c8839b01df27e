//! The stages of `ci`, in the order in which they run: the cheap ones and those that build for others
//! come first.

use anyhow::Result;
use xshell::cmd;

use super::report::Row;
use super::{Run, Stage};
use crate::capi::What;
use crate::dist::Variant;
use crate::tools::{self, Outcome, cargo, has_cargo_command, has_program};
use crate::{alike, bench, capi, clients, codegen, dist, golden, levels, readme, test, tidy};

pub(super) const STAGES: &[Stage] = &[
    Stage {
        name: "fmt",
        what: "the code is formatted",
        run: fmt,
    },
    Stage {
        name: "tidy",
        what: "the house rules hold",
        run: |run| passed(tidy::run(run.sh)),
    },
    Stage {
        name: "codegen",
        what: "the generated files are up to date",
        run: |run| passed(codegen::run(run.sh, true)),
    },
    Stage {
        name: "typos",
        what: "words are spelled right",
        run: typos,
    },
    Stage {
        name: "clippy",
        what: "no lint fires, in any target",
        run: clippy,
    },
    Stage {
        name: "doc",
        what: "the documentation builds without a warning",
        run: doc,
    },
    Stage {
        name: "test",
        what: "Rust tests and doctests",
        run: tests,
    },
    Stage {
        name: "features",
        what: "each crate alone, with each of its features",
        run: features,
    },
    Stage {
        name: "package",
        what: "every crate can be packaged",
        run: package,
    },
    Stage {
        name: "example",
        what: "packages outside the workspace build and run",
        run: examples,
    },
    Stage {
        name: "dist",
        what: "the library as it ships, checked",
        run: dist_release,
    },
    Stage {
        name: "readme",
        what: "the README's C program",
        run: |run| readme::run(run.sh),
    },
    Stage {
        name: "clients",
        what: "programs of others",
        run: |run| clients::run(run.sh, &[]),
    },
    Stage {
        name: "headers",
        what: "C headers alone and together",
        run: headers,
    },
    Stage {
        name: "capi",
        what: "C tests",
        run: |run| c_tests(run, What::Plain),
    },
    Stage {
        name: "alike",
        what: "one function file through C, Rust and the shell",
        run: alike_stage,
    },
    Stage {
        name: "numpy",
        what: "NumPy's arrays in and out by DLPack",
        run: |run| capi::run(run.sh, What::Numpy),
    },
    Stage {
        name: "valgrind",
        what: "C tests under valgrind",
        run: |run| c_tests(run, What::Valgrind),
    },
    Stage {
        name: "asan",
        what: "C tests under ASan and UBSan",
        run: |run| c_tests(run, What::Asan),
    },
    Stage {
        name: "golden",
        what: "recorded results of TensorFlow",
        run: golden_vectors,
    },
    Stage {
        name: "levels",
        what: "records, suites and C tests at every SIMD level",
        run: simd_levels,
    },
    Stage {
        name: "tsan",
        what: "C stress test under TSan",
        run: |run| c_tests(run, What::Tsan),
    },
    Stage {
        name: "miri",
        what: "unsafe code under Miri",
        run: miri,
    },
    Stage {
        name: "bench",
        what: "every benchmark runs once",
        run: bench_smoke,
    },
    Stage {
        name: "deny",
        what: "licences, bans and sources of dependencies",
        run: deny,
    },
];

fn passed(result: Result<()>) -> Result<Outcome> {
    result.map(|()| Outcome::Passed)
}

fn fmt(run: &mut Run<'_>) -> Result<Outcome> {
    cargo(run.sh).args(["fmt", "--all", "--check"]).run()?;
    Ok(Outcome::Passed)
}

fn typos(run: &mut Run<'_>) -> Result<Outcome> {
    if !has_program("typos") {
        return Ok(Outcome::skipped("typos is not installed"));
    }
    cmd!(run.sh, "typos").run()?;
    Ok(Outcome::Passed)
}

fn clippy(run: &mut Run<'_>) -> Result<Outcome> {
    cargo(run.sh)
        .args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ])
        .run()?;
    Ok(Outcome::Passed)
}

fn doc(run: &mut Run<'_>) -> Result<Outcome> {
    cargo(run.sh)
        .args(["doc", "--workspace", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    Ok(Outcome::Passed)
}

fn tests(run: &mut Run<'_>) -> Result<Outcome> {
    for group in test::groups(&[])? {
        test::run_group(run.sh, &group)?;
        for name in &group.crates {
            run.covers(Row::rust(name, group.profile));
        }
    }
    Ok(Outcome::Passed)
}

fn features(run: &mut Run<'_>) -> Result<Outcome> {
    for krate in tools::crates()? {
        let mut sets = vec![("default".to_owned(), Vec::new())];
        if !krate.features.is_empty() {
            sets.push(("none".to_owned(), vec!["--no-default-features".to_owned()]));
            for feature in &krate.features {
                let args = vec![
                    "--no-default-features".to_owned(),
                    format!("--features={feature}"),
                ];
                sets.push((feature.clone(), args));
            }
        }
        let target = if krate.is_library { "--lib" } else { "--bins" };
        for (features, args) in sets {
            cargo(run.sh)
                .args(["clippy", "--quiet", target, "-p", &krate.name])
                .args(args)
                .args(["--", "-D", "warnings"])
                .run()?;
            run.covers(Row {
                features,
                ..Row::rust(&krate.name, "check")
            });
        }
    }
    Ok(Outcome::Passed)
}

fn package(run: &mut Run<'_>) -> Result<Outcome> {
    cargo(run.sh)
        .args([
            "package",
            "--workspace",
            "--no-verify",
            "--allow-dirty",
            "--quiet",
        ])
        .run()?;
    Ok(Outcome::Passed)
}

fn examples(run: &mut Run<'_>) -> Result<Outcome> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("examples").into_iter().flatten() {
        let manifest = entry?.path().join("Cargo.toml");
        if manifest.exists() {
            found.push(manifest);
        }
    }
    if found.is_empty() {
        return Ok(Outcome::skipped("there is no package in examples/"));
    }
    found.sort();
    for manifest in found {
        // In the same target directory: it finds its dependencies built.
        cargo(run.sh)
            .args(["run", "--quiet", "--locked", "--manifest-path"])
            .arg(&manifest)
            .env("CARGO_TARGET_DIR", tools::target_dir())
            .run()?;
        let name = manifest
            .parent()
            .map(|dir| dir.display().to_string())
            .unwrap_or_default();
        run.covers(Row::rust(name, "dev"));
    }
    Ok(Outcome::Passed)
}

fn dist_release(run: &mut Run<'_>) -> Result<Outcome> {
    dist::build(run.sh, Variant::Release)?;
    Ok(Outcome::Passed)
}

fn headers(run: &mut Run<'_>) -> Result<Outcome> {
    capi::run(run.sh, What::Headers)
}

fn c_tests(run: &mut Run<'_>, what: What) -> Result<Outcome> {
    let sanitizer = match what {
        What::Valgrind => "valgrind",
        What::Asan => "address",
        What::Tsan => "thread",
        What::Headers | What::Plain | What::Golden | What::Numpy => "none",
    };
    let outcome = capi::run(run.sh, what)?;
    if outcome == Outcome::Passed {
        let profiles: &[_] = if what == What::Plain {
            &["ci", "release"]
        } else {
            &["ci"]
        };
        for profile in profiles {
            for api in ["C 2.21", "C 2017"] {
                run.covers(Row {
                    api,
                    sanitizer,
                    ..Row::rust("tfe-capi", profile)
                });
            }
        }
    }
    Ok(outcome)
}

fn alike_stage(run: &mut Run<'_>) -> Result<Outcome> {
    let outcome = alike::run(run.sh)?;
    if outcome == Outcome::Passed {
        for (name, api) in [
            ("tfe-capi", "C 2.21"),
            ("tfe-eager", "Rust"),
            ("tfe-cli", "shell"),
        ] {
            run.covers(Row {
                api,
                ..Row::rust(name, "ci")
            });
        }
    }
    Ok(outcome)
}

fn golden_vectors(run: &mut Run<'_>) -> Result<Outcome> {
    let outcome = golden::run(run.sh)?;
    if outcome == Outcome::Passed {
        run.covers(Row::rust("tfe-eager", "ci"));
        run.covers(Row {
            api: "C 2.21",
            ..Row::rust("tfe-capi", "ci")
        });
    }
    Ok(outcome)
}

fn simd_levels(run: &mut Run<'_>) -> Result<Outcome> {
    levels::run(run.sh)?;
    for level in levels::levels() {
        for name in ["tfe-cpu", "tfe-eager", "tfe-capi"] {
            run.covers(Row {
                api: if name == "tfe-capi" { "C 2.21" } else { "Rust" },
                features: format!("default, {level}"),
                ..Row::rust(name, "ci")
            });
        }
    }
    Ok(Outcome::Passed)
}

fn miri(run: &mut Run<'_>) -> Result<Outcome> {
    if !has_cargo_command(run.sh, Some("nightly"), "miri") {
        return Ok(Outcome::skipped("miri is not installed"));
    }
    let crates = ["tfe-core", "tfe-attrs"];
    for name in crates {
        cmd!(run.sh, "cargo +nightly miri test --quiet --lib -p {name}")
            .env("CARGO_TARGET_DIR", tools::target_dir().join("miri"))
            .env_remove("RUSTUP_TOOLCHAIN")
            .run()?;
        run.covers(Row {
            sanitizer: "miri",
            ..Row::rust(name, "dev")
        });
    }
    Ok(Outcome::Passed)
}

fn bench_smoke(run: &mut Run<'_>) -> Result<Outcome> {
    bench::smoke(run.sh)?;
    run.covers(Row::rust("tfe-benches", "ci"));
    Ok(Outcome::Passed)
}

fn deny(run: &mut Run<'_>) -> Result<Outcome> {
    if !has_cargo_command(run.sh, None, "deny") {
        return Ok(Outcome::skipped("cargo-deny is not installed"));
    }
    cargo(run.sh)
        .args(["deny", "check", "bans", "licenses", "sources"])
        .run()?;
    Ok(Outcome::Passed)
}
