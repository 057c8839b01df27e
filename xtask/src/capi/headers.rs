//! The headers: each alone and all together, as C and as C++, what they declare, and whether the library
//! has it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use super::prototypes::{self, Declared};
use crate::dist::{self, Variant};
use crate::tools::{Outcome, has_program, target_dir};

const INCLUDE: &str = "crates/tfe-capi/include";

/// Compiler, the standard, and the suffix of its sources.
const LANGUAGES: &[(&str, &str, &str)] = &[("cc", "c11", "c"), ("c++", "c++17", "cc")];

/// Both forms of the API.
const FORMS: &[&[&str]] = &[&[], &["-DTFE_API_2017"]];

pub(super) fn run(sh: &Shell) -> Result<Outcome> {
    for program in ["gcc", "c++", "nm"] {
        if !has_program(program) {
            return Ok(Outcome::skipped(format!("{program} is not installed")));
        }
    }
    let mut headers = Vec::new();
    find(Path::new(INCLUDE), &mut headers)?;
    headers.sort();
    let dir = target_dir().join("capi/headers");
    sh.create_dir(&dir)?;
    each_alone(sh, &dir, &headers)?;
    all_together(sh, &dir, &headers)?;
    println!(
        "headers: {} compile alone and together, as C and as C++",
        headers.len()
    );
    let declared = declared(sh, &dir, &headers)?;
    println!("headers: {}", prototypes::check(&declared)?);
    let dist = dist::build(sh, Variant::Ci)?;
    check_symbols(sh, &declared, &dist.join("lib/libtensorflow.so.2"))?;
    println!(
        "headers: the library exports all {} functions and no other",
        declared.len()
    );
    bind_all(sh, &dir, &headers, &declared)?;
    let names = prototypes::names()?;
    bind_foreign(sh, &dir, &names, &dist.join("lib"))?;
    println!(
        "headers: programs that name all of them start, also one linked with another library of {} names",
        names.len()
    );
    Ok(Outcome::Passed)
}

/// A program that has the address of every function starts when all symbols are bound at once.
fn bind_all(sh: &Shell, dir: &Path, headers: &[PathBuf], declared: &Declared) -> Result<()> {
    for (compiler, standard, suffix) in LANGUAGES {
        let is_cxx = *suffix != "c";
        let addresses = declared.keys().map(|name| {
            let namespace = is_cxx && prototypes::in_namespace(name);
            let name = if namespace {
                format!("tensorflow::{name}")
            } else {
                name.clone()
            };
            format!("    (Function){name},\n")
        });
        let code = format!(
            "{}typedef void (*Function)(void);\n\
             static const Function volatile all[] = {{\n{}}};\n\
             int main(void) {{\n  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {{\n    \
             if (all[i] == NULL) return 1;\n  }}\n  return 0;\n}}\n",
            includes(headers),
            addresses.collect::<String>()
        );
        let (source, program) = (dir.join(format!("bind.{suffix}")), dir.join("bind"));
        sh.write_file(&source, code)?;
        cmd!(
            sh,
            "{compiler} -std={standard} -I {INCLUDE} -Wl,-z,now -o {program} {source}"
        )
        .args(dist::program_args(Variant::Ci))
        .quiet()
        .run()?;
        let start = cmd!(sh, "{program}").quiet().run();
        start.with_context(|| format!("a program with all functions, as {standard}"))?;
    }
    Ok(())
}

/// A program that was linked with TensorFlow's three libraries, whose symbols have no version, starts with ours in
/// their place, all symbols bound at once.
fn bind_foreign(sh: &Shell, dir: &Path, names: &[String], lib: &Path) -> Result<()> {
    let mangled = dist::EXPORTED_MANGLED.iter().copied();
    let names: Vec<_> = names.iter().map(String::as_str).chain(mangled).collect();
    let each = |form: fn(&str) -> String| names.iter().map(|name| form(name)).collect::<String>();
    let (stub, source) = (dir.join("foreign.c"), dir.join("bind_foreign.c"));
    sh.write_file(&stub, each(|name| format!("void {name}(void) {{}}\n")))?;
    let mut libraries = Vec::new();
    for name in dist::LIBRARIES {
        let library = dir.join(format!("{name}.so.2"));
        cmd!(
            sh,
            "cc -shared -fPIC -Wl,-soname,{name}.so.2 -o {library} {stub}"
        )
        .quiet()
        .run()?;
        libraries.push(library);
    }
    let code = format!(
        "typedef void (*Function)(void);\n{}static const Function volatile all[] = {{\n{}}};\n\
         int main(void) {{ return all[0] == 0; }}\n",
        each(|name| format!("void {name}(void);\n")),
        each(|name| format!("    {name},\n")),
    );
    sh.write_file(&source, code)?;
    let program = dir.join("bind_foreign");
    cmd!(
        sh,
        "cc -Wl,-z,now -Wl,--no-as-needed -o {program} {source} {libraries...}"
    )
    .quiet()
    .run()?;
    cmd!(sh, "{program}")
        .env("LD_LIBRARY_PATH", lib)
        .quiet()
        .run()
        .context("a program that was linked with TensorFlow's libraries")
}

/// The headers below a directory, relative to `INCLUDE`.
fn find(dir: &Path, headers: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, headers)?;
        } else if path.extension().is_some_and(|extension| extension == "h") {
            headers.push(path.strip_prefix(INCLUDE)?.to_owned());
        }
    }
    Ok(())
}

fn includes(headers: &[PathBuf]) -> String {
    let lines = headers
        .iter()
        .map(|header| format!("#include \"{}\"\n", header.display()));
    lines.collect()
}

fn each_alone(sh: &Shell, dir: &Path, headers: &[PathBuf]) -> Result<()> {
    for (compiler, standard, suffix) in LANGUAGES {
        let source = dir.join(format!("alone.{suffix}"));
        for header in headers {
            sh.write_file(&source, includes(std::slice::from_ref(header)))?;
            for form in FORMS {
                cmd!(
                    sh,
                    "{compiler} -std={standard} -Wall -Wextra -Werror -pedantic"
                )
                .args(*form)
                .args(["-fsyntax-only", "-I", INCLUDE])
                .arg(&source)
                .quiet()
                .run()
                .with_context(|| format!("{} alone, as {standard}", header.display()))?;
            }
        }
    }
    Ok(())
}

/// All headers twice, from the first and from the last, in two files of one program.
fn all_together(sh: &Shell, dir: &Path, headers: &[PathBuf]) -> Result<()> {
    let mut backwards = headers.to_vec();
    backwards.reverse();
    let twice = format!("{}{}", includes(headers), includes(&backwards));
    // The inline functions must be one, or none, in the whole program.
    let one = format!(
        "{twice}size_t other(void);\n\
         int main(void) {{\n  TF_TString s;\n  TF_TString_Init(&s);\n  \
         TF_TString_Copy(&s, \"text\", 4);\n  return TF_TString_GetSize(&s) != other();\n}}\n"
    );
    let two = format!(
        "{twice}size_t other(void);\n\
         size_t other(void) {{\n  TF_TString s;\n  TF_TString_Init(&s);\n  \
         TF_TString_Resize(&s, 4, 'x');\n  return TF_TString_GetSize(&s);\n}}\n"
    );
    for (compiler, standard, suffix) in LANGUAGES {
        let (first, second) = (
            dir.join(format!("one.{suffix}")),
            dir.join(format!("two.{suffix}")),
        );
        sh.write_file(&first, &one)?;
        sh.write_file(&second, &two)?;
        for form in FORMS {
            let program = dir.join("together");
            cmd!(
                sh,
                "{compiler} -std={standard} -Wall -Wextra -Werror -pedantic"
            )
            .args(*form)
            .args(["-I", INCLUDE, "-o"])
            .args([&program, &first, &second])
            .quiet()
            .run()
            .with_context(|| format!("all headers twice in two files, as {standard}"))?;
            cmd!(sh, "{program}").quiet().run()?;
        }
    }
    Ok(())
}

/// What the headers declare, as gcc tells it.
fn declared(sh: &Shell, dir: &Path, headers: &[PathBuf]) -> Result<Declared> {
    let (source, info) = (dir.join("declared.c"), dir.join("declared.txt"));
    sh.write_file(&source, includes(headers))?;
    cmd!(
        sh,
        "gcc -std=c11 -I {INCLUDE} -aux-info {info} -c {source} -o /dev/null"
    )
    .quiet()
    .run()?;
    prototypes::parse_aux_info(&sh.read_file(&info)?, INCLUDE)
}

/// What is declared is exported, and nothing else.
fn check_symbols(sh: &Shell, declared: &Declared, library: &Path) -> Result<()> {
    let symbols = cmd!(sh, "nm --dynamic --defined-only --format=posix {library}")
        .quiet()
        .read()?;
    let mangled = dist::EXPORTED_MANGLED.iter().copied();
    compare_symbols(declared.keys().map(String::as_str).chain(mangled), &symbols)
}

/// Compares names with what `nm --format=posix` wrote.
fn compare_symbols<'a>(declared: impl Iterator<Item = &'a str>, symbols: &'a str) -> Result<()> {
    let exported = symbols
        .lines()
        .filter_map(|line| line.split([' ', '@']).next());
    // The version node is a symbol too.
    let exported: BTreeSet<&str> = exported.filter(|name| *name != "tensorflow").collect();
    let declared: BTreeSet<&str> = declared.collect();
    let missing: Vec<_> = declared.difference(&exported).copied().collect();
    let extra: Vec<_> = exported.difference(&declared).copied().collect();
    ensure!(
        missing.is_empty(),
        "declared, but not exported: {}",
        missing.join(", ")
    );
    ensure!(
        extra.is_empty(),
        "exported, but not declared: {}",
        extra.join(", ")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_compared_both_ways() {
        let symbols = "TF_A@@tensorflow T 1000 10\nTF_B@@tensorflow T 2000 10\ntensorflow A 0\n";
        let compare = |names: &[&str]| {
            let names = names.iter().copied();
            compare_symbols(names, symbols).map_err(|e| e.to_string())
        };
        assert_eq!(compare(&["TF_A", "TF_B"]), Ok(()));
        assert!(
            compare(&["TF_A"])
                .unwrap_err()
                .contains("not declared: TF_B")
        );
        assert!(
            compare(&["TF_A", "TF_B", "TF_C"])
                .unwrap_err()
                .contains("not exported: TF_C")
        );
    }
}
