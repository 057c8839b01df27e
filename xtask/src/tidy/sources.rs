//! Rules for single files: opening sentence, length, unsafe code, leftovers, blanks.

use super::{Complaints, File};

/// A rule of thumb of 400 lines, with some slack: no file is cut in an arbitrary place for a few lines.
const MAX_LINES: usize = 450;

/// Longer files that read better whole, and why.
const LONG_FILES: &[(&str, &str)] = &[(
    "crates/tfe-core/src/tensor.rs",
    "one type, whose unsafe code is read as a whole",
)];

/// The only files with unsafe code, or the directories of them. Adding one is a decision, not a detail.
const UNSAFE_HOMES: &[&str] = &[
    "benches/benches/products.rs",
    "crates/tfe-core/src/buffer.rs",
    "crates/tfe-core/src/fork.rs",
    "crates/tfe-core/src/tensor.rs",
    "crates/tfe-core/src/tstring.rs",
    "crates/tfe-cpu/src/denormal.rs",
    "crates/tfe-host/src/gemm.rs",
    "crates/tfe-host/src/loops.rs",
    "crates/tfe-host/src/simd.rs",
    "crates/tfe-capi/",
];

const TEXT: &[&str] = &[
    "rs", "toml", "md", "proto", "c", "h", "cc", "sh", "py", "yml", "yaml", "ver", "txt",
];

/// Each Rust file opens with a sentence that says what lives there.
pub(super) fn module_docs(files: &[File]) -> Complaints {
    files
        .iter()
        .filter(|file| file.has_extension(&["rs"]))
        .filter(|file| {
            let first = file.text.lines().next().unwrap_or_default();
            first
                .strip_prefix("//! ")
                .is_none_or(|sentence| sentence.trim().is_empty())
        })
        .map(|file| {
            format!(
                "{}:1: wants a `//!` sentence that says what lives here",
                file.path
            )
        })
        .collect()
}

/// Rust files are short, their tests, generated files and test directories excepted.
pub(super) fn lengths(files: &[File]) -> Complaints {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        let lines = file
            .text
            .split("\n#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        let lines = lines.lines().count();
        let exempt = is_generated(file)
            || file.path.ends_with("/tests.rs")
            || file.path.contains("/tests/")
            || LONG_FILES.iter().any(|(path, _)| *path == file.path);
        if lines > MAX_LINES && !exempt {
            complaints.push(format!(
                "{}: {lines} lines; split it, or list it",
                file.path
            ));
        }
    }
    complaints.extend(LONG_FILES.iter().filter_map(|(path, _)| {
        let short = files
            .iter()
            .any(|f| f.path == *path && f.text.lines().count() <= MAX_LINES);
        short.then(|| format!("{path}: is short now, take it off the list of long files"))
    }));
    complaints
}

/// Unsafe code is only in the homes, and every other crate forbids it.
pub(super) fn unsafe_homes(files: &[File]) -> Complaints {
    let attribute = |file: &File| {
        file.text.lines().map(str::trim_start).any(|line| {
            // rustfmt puts the lint on a line of its own when the reason is long.
            let starts = [
                "#![expect(unsafe_code",
                "#![allow(unsafe_code",
                "unsafe_code,",
            ];
            starts.iter().any(|start| {
                line.starts_with(start) || line.starts_with(&start.replacen('!', "", 1))
            })
        })
    };
    let home_of = |path: &str| {
        UNSAFE_HOMES
            .iter()
            .find(|home| path == **home || in_dir(path, home))
    };
    let mut complaints = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.has_extension(&["rs"]) && attribute(file))
    {
        // Programs and tests beside a library may try what the library must withstand.
        if home_of(&file.path).is_none() && !file.path.contains("/tests/") {
            complaints.push(format!(
                "{}: unsafe code outside the homes listed in xtask/src/tidy/sources.rs",
                file.path
            ));
        }
    }
    for home in UNSAFE_HOMES {
        if !files
            .iter()
            .any(|file| attribute(file) && home_of(&file.path) == Some(home))
        {
            complaints.push(format!(
                "{home}: has no unsafe code, take it off the list of homes"
            ));
        }
    }
    complaints.extend(missing_forbids(files));
    complaints
}

fn missing_forbids(files: &[File]) -> Complaints {
    let root = |file: &&File| {
        (file.path.ends_with("/src/lib.rs") || file.path.ends_with("/src/main.rs"))
            && !file.path.starts_with("examples/")
    };
    let mut complaints = Vec::new();
    for file in files.iter().filter(root) {
        let dir = file.path.rsplit_once("/src/").map_or("", |(dir, _)| dir);
        let is_home = UNSAFE_HOMES
            .iter()
            .any(|home| in_dir(home, &format!("{dir}/")) || in_dir(&file.path, home));
        if !is_home && !file.text.contains("#![forbid(unsafe_code)]") {
            complaints.push(format!("{}: wants `#![forbid(unsafe_code)]`", file.path));
        }
    }
    complaints
}

fn in_dir(path: &str, dir: &str) -> bool {
    dir.ends_with('/') && path.starts_with(dir)
}

/// Nothing is left for later without an issue: `(#12)` behind the word makes it one.
pub(super) fn unfinished(files: &[File]) -> Complaints {
    // Spelled so that this file does not complain of itself.
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
    ];
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.has_extension(TEXT)) {
        for (number, line) in file.text.lines().enumerate() {
            for word in words {
                let found = line.match_indices(word).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    let after = &line[at + word.len()..];
                    let is_word = |c: char| c.is_alphanumeric() || c == '_';
                    !before.is_some_and(is_word)
                        && !after.starts_with(is_word)
                        && !after.starts_with("(#")
                });
                if found {
                    complaints.push(format!(
                        "{}:{}: {word} without an issue",
                        file.path,
                        number + 1
                    ));
                }
            }
        }
    }
    complaints
}

/// No blanks at the end of a line or of a file, and a line break at its end.
pub(super) fn blanks(files: &[File]) -> Complaints {
    let mut complaints = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.has_extension(TEXT) && !file.text.is_empty())
    {
        for (number, line) in file.text.split('\n').enumerate() {
            if line.ends_with([' ', '\t', '\r']) {
                complaints.push(format!("{}:{}: blanks at the end", file.path, number + 1));
            }
        }
        if !file.text.ends_with('\n') || file.text.ends_with("\n\n") {
            complaints.push(format!("{}: wants one line break at its end", file.path));
        }
    }
    complaints
}

fn is_generated(file: &File) -> bool {
    file.path.ends_with("/generated.rs")
        || file
            .text
            .lines()
            .take(3)
            .any(|line| line.contains("Generated by `cargo xtask codegen`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(rule: fn(&[File]) -> Complaints, path: &str, text: &str) -> Vec<String> {
        let mut found = rule(&[File::new(path, text)]);
        found.retain(|complaint| complaint.starts_with(path));
        found
    }

    #[test]
    fn a_file_opens_with_a_sentence() {
        assert!(one(module_docs, "a.rs", "//! What.\n").is_empty());
        for bad in ["", "fn f() {}\n", "//!\n", "// What.\n//! What.\n"] {
            assert_eq!(one(module_docs, "a.rs", bad).len(), 1, "{bad:?}");
        }
        assert!(one(module_docs, "a.c", "int x;\n").is_empty());
    }

    #[test]
    fn a_long_file_is_found() {
        let lines = |n: usize| "//! Line.\n".repeat(n);
        let long = lines(MAX_LINES + 1);
        assert!(one(lengths, "crates/a/src/a.rs", &lines(MAX_LINES)).is_empty());
        assert_eq!(one(lengths, "crates/a/src/a.rs", &long).len(), 1);
        for exempt in [
            "crates/a/src/generated.rs",
            "crates/a/src/tests.rs",
            "crates/a/tests/a.rs",
        ] {
            assert!(one(lengths, exempt, &long).is_empty(), "{exempt}");
        }
        let with_tests = format!("{}\n#[cfg(test)]\nmod tests {{\n{long}}}\n", lines(10));
        assert!(one(lengths, "crates/a/src/a.rs", &with_tests).is_empty());
    }

    #[test]
    fn unsafe_code_stays_at_home() {
        let text = "//! X.\n#![expect(unsafe_code, reason = \"x\")]\n";
        let wrapped = "//! X.\n#![expect(\n    unsafe_code,\n    reason = \"x\"\n)]\n";
        for text in [text, wrapped, "//! X.\n#[allow(unsafe_code)]\nfn f() {}\n"] {
            assert_eq!(
                one(unsafe_homes, "crates/tfe-ops/src/name.rs", text).len(),
                1,
                "{text}"
            );
            assert!(one(unsafe_homes, "crates/tfe-core/src/buffer.rs", text).is_empty());
            assert!(one(unsafe_homes, "crates/tfe-capi/src/any.rs", text).is_empty());
        }
        let stale = unsafe_homes(&[File::new("crates/tfe-core/src/buffer.rs", "//! X.\n")]);
        assert!(
            stale
                .iter()
                .any(|c| c.contains("buffer.rs: has no unsafe code")),
            "{stale:?}"
        );
        // Mentioned in a comment only.
        let comment = "//! X.\n// #![expect(unsafe_code)]\n";
        assert!(one(unsafe_homes, "crates/tfe-ops/src/name.rs", comment).is_empty());
    }

    #[test]
    fn a_crate_without_a_home_forbids_unsafe_code() {
        let lib = "crates/tfe-ops/src/lib.rs";
        assert_eq!(one(unsafe_homes, lib, "//! X.\n").len(), 1);
        assert!(one(unsafe_homes, lib, "//! X.\n#![forbid(unsafe_code)]\n").is_empty());
        assert!(one(unsafe_homes, "crates/tfe-core/src/lib.rs", "//! X.\n").is_empty());
        assert!(
            one(
                unsafe_homes,
                "crates/tfe-capi/artifact/src/lib.rs",
                "//! X.\n"
            )
            .is_empty()
        );
    }

    #[test]
    fn leftovers_are_found() {
        let word = concat!("TO", "DO");
        assert_eq!(
            one(unfinished, "a.md", &format!("- {word}: x\n")),
            [format!("a.md:1: {word} without an issue")]
        );
        assert_eq!(one(unfinished, "a.c", &format!("/* {word} */\n")).len(), 1);
        for fine in [
            format!("{word}(#12): x\n"),
            format!("{word}S\n"),
            format!("a_{word}\n"),
        ] {
            assert!(one(unfinished, "a.rs", &fine).is_empty(), "{fine}");
        }
        assert!(one(unfinished, "a.json", &format!("{word}\n")).is_empty());
    }

    #[test]
    fn blanks_are_found() {
        assert!(one(blanks, "a.rs", "a\n\nb\n").is_empty());
        assert_eq!(
            one(blanks, "a.rs", "a \nb\n"),
            ["a.rs:1: blanks at the end"]
        );
        assert_eq!(one(blanks, "a.rs", "a\r\n").len(), 1);
        assert_eq!(one(blanks, "a.rs", "a").len(), 1);
        assert_eq!(one(blanks, "a.rs", "a\n\n").len(), 1);
    }
}
