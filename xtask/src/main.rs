//! `cargo xtask COMMAND`: what is done to the repository beyond `cargo build`.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool prints"
)]

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use xshell::Shell;

mod alike;
mod bench;
mod bloat;
mod capi;
mod ci;
mod clients;
mod codegen;
mod dist;
mod flags;
mod golden;
mod levels;
mod new_kernel;
mod readme;
mod test;
mod tidy;
mod tools;

use dist::Variant;
use flags::Flags;
use tools::Outcome;

const HELP: &str = "\
usage: cargo xtask COMMAND

  codegen [--check]         write the generated files; --check only says which are out of date
  tidy                      check the house rules
  test [CRATE…]             run the Rust tests and doctests
  golden                    replay what was recorded from TensorFlow
  record NAME…              fill TensorFlow's answers into records: crates/tfe-testkit/golden/NAME.json
  dist [--profile ci] [--sanitize address|thread]
                            build the library and tfe into target/dist (dist-ci, dist-asan, dist-tsan)
  clients [NAME…]           build and run programs of others: tfjs-node, rust-tensorflow
  bench [--vs LIBRARY]      run the benchmarks, or compare with another libtensorflow
  bloat                     what the release library spends its bytes on, into docs/size.md
  new-kernel OP --family FAMILY
                            write the skeleton of a kernel
  ci [STAGE…] [--strict]    run every check, or some; --strict fails where a stage cannot run
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well; an error says why a command could not do its work.
fn run(args: Vec<String>) -> Result<bool> {
    // Every path in xtask is relative to the repository's root. cargo says where it runs us from: this
    // program may have been built for another checkout with the same target directory.
    let manifest = std::env::var("CARGO_MANIFEST_DIR");
    let manifest = manifest.unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    let root = Path::new(&manifest)
        .parent()
        .context("xtask has no parent")?;
    std::env::set_current_dir(root)?;
    let sh = Shell::new()?;
    let mut flags = Flags::new(args);
    let Some(command) = flags.command() else {
        print!("{HELP}\nThe stages of ci:\n{}", ci::list());
        return Ok(true);
    };
    match command.as_str() {
        "codegen" => {
            let check = flags.switch("--check");
            flags.finish()?;
            codegen::run(&sh, check)?;
        }
        "tidy" => {
            flags.finish()?;
            tidy::run(&sh)?;
        }
        "test" => test::run(&sh, &flags.words()?)?,
        "record" => golden::record(&sh, &flags.words()?)?,
        "golden" => {
            flags.finish()?;
            if let Outcome::Skipped(why) = golden::run(&sh)? {
                bail!("nothing to replay: {why}");
            }
        }
        "dist" => {
            let (profile, sanitizer) = (flags.option("--profile")?, flags.option("--sanitize")?);
            flags.finish()?;
            dist::build(
                &sh,
                Variant::from_flags(profile.as_deref(), sanitizer.as_deref())?,
            )?;
        }
        "clients" => {
            if let Outcome::Skipped(why) = clients::run(&sh, &flags.words()?)? {
                bail!("not all could run: {why}");
            }
        }
        "bench" => {
            let vs = flags.option("--vs")?;
            flags.finish()?;
            bench::run(&sh, vs.as_deref())?;
        }
        "bloat" => {
            flags.finish()?;
            bloat::run(&sh)?;
        }
        "new-kernel" => {
            let family = flags.option("--family")?;
            let [op] = &flags.words()?[..] else {
                bail!("new-kernel wants the name of one op")
            };
            new_kernel::run(&sh, op, family.as_deref())?;
        }
        "ci" => {
            let strict = flags.switch("--strict");
            return ci::run(&sh, &flags.words()?, strict);
        }
        "help" | "--help" | "-h" => print!("{HELP}\nThe stages of ci:\n{}", ci::list()),
        other => bail!("no command '{other}'\n\n{HELP}"),
    }
    Ok(true)
}
