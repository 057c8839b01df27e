//! `cargo xtask COMMAND`: what is done to the repository beyond `cargo build`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool prints"
)]

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use xshell::Shell;

mod codegen;
mod flags;

use flags::Flags;

const HELP: &str = "\
usage: cargo xtask COMMAND

  codegen [--check]      write the generated files; with --check, only say which are out of date
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Vec<String>) -> Result<()> {
    // Every path in xtask is relative to the repository's root.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("xtask has no parent")?;
    std::env::set_current_dir(root)?;
    let sh = Shell::new()?;
    let mut flags = Flags::new(args);
    match flags.command().as_deref() {
        Some("codegen") => {
            let check = flags.switch("--check");
            flags.finish()?;
            codegen::run(&sh, check)
        }
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => bail!("no command '{other}'\n\n{HELP}"),
    }
}
