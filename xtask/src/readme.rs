//! The README's C program, compiled as the README says and run against the library in `target/dist`.
//! (Its Rust program is a doctest of `tfe-eager`.)

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use crate::dist::{self, Variant};
use crate::tools::{Outcome, has_program, target_dir};

/// What the program prints: the result that its comment promises.
const PRINTS: &str = "7 10 15 22";

/// Builds and runs the program.
pub(crate) fn run(sh: &Shell) -> Result<Outcome> {
    if !has_program("cc") {
        return Ok(Outcome::skipped("there is no C compiler"));
    }
    let dist = std::path::absolute(dist::build(sh, Variant::Release)?)?;
    let text = sh.read_file("README.md")?;
    let program = fenced(&text, "c").context("README.md shows no C program")?;
    let dir = target_dir().join("readme");
    sh.create_dir(&dir)?;
    let (source, executable) = (dir.join("hello.c"), dir.join("hello"));
    sh.write_file(&source, program)?;
    let lib = dist.join("lib");
    let flags: Vec<String> = if has_program("pkg-config") {
        let query = cmd!(sh, "pkg-config --cflags --libs tensorflow")
            .env("PKG_CONFIG_PATH", lib.join("pkgconfig"));
        query
            .read()?
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    } else {
        vec![
            format!("-I{}", dist.join("include").display()),
            format!("-L{}", lib.display()),
            "-ltensorflow".to_owned(),
        ]
    };
    let rpath = format!("-Wl,-rpath,{}", lib.display());
    cmd!(
        sh,
        "cc -Wall -Wextra -Werror {source} {flags...} {rpath} -o {executable}"
    )
    .run()?;
    let printed = cmd!(sh, "{executable}").read()?;
    ensure!(
        printed == PRINTS,
        "the README's C program prints {printed:?} instead of {PRINTS:?}"
    );
    Ok(Outcome::Passed)
}

/// The first code block of that language.
fn fenced<'t>(text: &'t str, language: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(&format!("```{language}\n"))?;
    Some(after.split_once("\n```")?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_of_the_language_is_found() {
        let text = "a\n```sh\nx\n```\n```c\nint a;\nint b;\n```\n";
        assert_eq!(fenced(text, "c"), Some("int a;\nint b;"));
        assert_eq!(fenced(text, "rust"), None);
    }
}
