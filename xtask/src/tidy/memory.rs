//! Rule for memory whose size a program chooses: it is asked for in a way that may fail.
//!
//! A tensor's elements, or scratch memory for as many, may be more than there is, and `vec![x; n]` then ends the process.
//! Results come from `KernelContext`, scratch memory from `scratch` and `scratch_of`, which give `RESOURCE_EXHAUSTED`.
//! What is small whatever the program does has a comment above it that says by what: `// Bounded: by the length of the
//! equation.` Numbers of dimensions need none. A `collect` that names no `Vec` is not seen: size hints are no text.

use super::{Complaints, File};

/// Where sizes come from tensors.
const ROOTS: &[&str] = &[
    "crates/tfe-host/src/",
    "crates/tfe-kernels/src/host/",
    "crates/tfe-kernels/src/",
];

/// Ways to ask for memory that end the process when there is none, and what follows them.
const WAYS: &[&str] = &["with_capacity(", ".to_vec()", ".collect::<Vec<"];

/// The comment that allows one.
const REASON: &str = "// Bounded: ";

/// Files that are still to be gone through; one that has nothing to complain about is taken off.
const OWING: &[&str] = &[
    "array/dynamic.rs",
    "array/reverse_sequence.rs",
    "array/unique.rs",
    "array/unravel_index.rs",
    "summary.rs",
];

/// Memory of run-time size is asked for in a way that may fail.
pub(super) fn fallible(files: &[File]) -> Complaints {
    let mut complaints = Vec::new();
    let mut seen = Vec::new();
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        let Some(path) = ROOTS.iter().find_map(|root| file.path.strip_prefix(root)) else {
            continue;
        };
        if path.contains("tests/") || path.ends_with("tests.rs") || path == "testing.rs" {
            continue;
        }
        let found = infallible(&file.text);
        if OWING.contains(&path) {
            if !found.is_empty() {
                seen.push(path);
            }
            continue;
        }
        complaints.extend(found.into_iter().map(|(line, what)| {
            format!(
                "{}:{line}: `{what}` ends the process when memory is short: use `scratch`, or say `{REASON}…`",
                file.path
            )
        }));
    }
    for path in OWING.iter().filter(|path| !seen.contains(path)) {
        complaints.push(format!(
            "{path}: is in order, take it off the list in xtask/src/tidy/memory.rs"
        ));
    }
    complaints
}

/// Line and text of each place that has no reason.
fn infallible(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut before = "";
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        // Tests come last, and may fail as they like.
        if line == "#[cfg(test)]" {
            break;
        }
        let code = line.split("//").next().unwrap_or_default();
        if let Some(what) = asked(code)
            && !before.contains(REASON.trim())
            && !line.contains(REASON.trim())
        {
            found.push((number + 1, what));
        }
        before = line;
    }
    found
}

/// How a line of code asks for memory of a size that is known at run time only.
fn asked(code: &str) -> Option<String> {
    // As many as a tensor has dimensions are few.
    if code.contains("dims") || code.contains("rank") {
        return None;
    }
    if let Some((_, list)) = code.split_once("vec![")
        && let Some((value, count)) = list.split_once("; ")
        && value.matches('[').count() == value.matches(']').count()
        && let Some((count, _)) = count.split_once(']')
        && !is_constant(count)
    {
        return Some(format!("vec![{value}; {count}]"));
    }
    WAYS.iter().find_map(|way| {
        let (_, after) = code.split_once(way)?;
        let argument = after.split(')').next().unwrap_or_default();
        let takes_count = way.ends_with('(');
        (!takes_count || !is_constant(argument)).then(|| (*way).to_owned())
    })
}

fn is_constant(count: &str) -> bool {
    let count = count.trim();
    let named = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_ */+".contains(c);
    !count.is_empty() && count.chars().all(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_known_at_run_time_are_found() {
        for (code, is_found) in [
            ("let v = vec![0; n];", true),
            ("let v = vec![T::default(); a.len() * 2];", true),
            ("let v = vec![0; 4];", false),
            ("let v = vec![0; ROWS * COLS];", false),
            ("let v = vec![a, b];", false),
            ("let v = Vec::with_capacity(n);", true),
            ("let v = Vec::with_capacity(16);", false),
            ("let v = x.to_vec();", true),
            ("let v = x.iter().collect::<Vec<_>>();", true),
            ("let v = vec![0; dims.len()];", false),
            ("Ok(smallvec![a[i]]);", false),
            ("// let v = vec![0; n];", false),
            ("let v = vec![0; n]; // Bounded: by the rank.", false),
            ("// Bounded: by the rank.\nlet v = vec![0; n];", false),
            ("#[cfg(test)]\nlet v = vec![0; n];", false),
        ] {
            assert_eq!(!infallible(code).is_empty(), is_found, "{code}");
        }
    }

    #[test]
    fn a_file_that_is_in_order_is_taken_off_the_list() {
        let bad = File::new(
            "crates/tfe-kernels/src/nn/new.rs",
            "//! X.\nlet v = vec![0; n];\n",
        );
        let of_file = |files: &[File]| {
            let found = fallible(files);
            found
                .into_iter()
                .filter(|c| c.contains("nn/new.rs:2"))
                .count()
        };
        assert_eq!(of_file(&[bad]), 1);
        for path in OWING {
            let wanted = format!("{path}: is in order");
            assert!(
                fallible(&[]).iter().any(|c| c.starts_with(&wanted)),
                "{path}"
            );
        }
    }
}
