//! Rule for the C API: every exported function that does something is called by a C test.

use super::{Complaints, File};

/// Every real export is named in a C test.
pub(super) fn tested(files: &[File]) -> Complaints {
    let tests: Vec<&File> = files
        .iter()
        .filter(|file| file.has_extension(&["c", "cc", "h"]))
        .filter(|file| file.path.starts_with("crates/tfe-capi/tests/"))
        .collect();
    let mut complaints = Vec::new();
    for file in files {
        if !file.path.starts_with("crates/tfe-capi/src/") || !file.has_extension(&["rs"]) {
            continue;
        }
        // Stubs are generated, and one test walks through all of them.
        if file.path.ends_with("/generated.rs") || file.path.ends_with("/stubs.rs") {
            continue;
        }
        for (line, name) in exports(&file.text) {
            // A program of the first API writes the plain name, which the header renames.
            let name = name.strip_suffix("_2017").unwrap_or(name);
            if !tests.iter().any(|test| has_word(&test.text, name)) {
                complaints.push(format!("{}:{line}: {name} is used in no C test", file.path));
            }
        }
    }
    complaints
}

/// Line and name of each `extern "C" fn` with a TensorFlow name.
pub(crate) fn exports(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let Some((_, rest)) = code.split_once("extern \"C\" fn ") else {
            continue;
        };
        let name = rest
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next();
        let name = name.unwrap_or_default();
        if ["TF_", "TFE_", "TSL_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            found.push((number + 1, name));
        }
    }
    found
}

fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + word.len()..].starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_without_a_test_is_found() {
        let source = "//! X.\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn TF_NewStatus() {}\n\
                      #[unsafe(no_mangle)]\npub unsafe extern \"C\" fn TF_New() {}\n\
                      extern \"C\" fn local() {}\n// extern \"C\" fn TF_Old() {}\n";
        let files = |test: &str| {
            [
                File::new("crates/tfe-capi/src/status.rs", source),
                File::new(
                    "crates/tfe-capi/src/stubs.rs",
                    "extern \"C\" fn TF_Stub() {}\n",
                ),
                File::new("crates/tfe-capi/tests/c/status.c", test),
            ]
        };
        assert_eq!(tested(&files("TF_NewStatus(); TF_New();")), [""; 0]);
        let wanted = "crates/tfe-capi/src/status.rs:5: TF_New is used in no C test";
        assert_eq!(tested(&files("TF_NewStatus(); // TF_NewTensor")), [wanted]);
    }
}
