//! `cargo xtask tidy`: the house rules that neither rustc nor clippy knows.
//!
//! A rule is a function from the tree to complaints, so that its tests can plant a bad file.

use anyhow::{Context as _, Result, bail};
use xshell::{Shell, cmd};

use crate::bloat;

mod crates;
mod exports;
mod kernel_names;
mod links;
mod memory;
mod sources;

pub(crate) use exports::exports;

/// A tracked (or not yet tracked, not ignored) file.
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    /// Empty when the file is not UTF-8.
    pub(crate) text: String,
}

impl File {
    fn new(path: impl Into<String>, text: impl Into<String>) -> File {
        File {
            path: path.into(),
            text: text.into(),
        }
    }

    fn has_extension(&self, wanted: &[&str]) -> bool {
        self.path
            .rsplit_once('.')
            .is_some_and(|(_, extension)| wanted.contains(&extension))
    }
}

/// What a rule found: `path[:line]: what`.
type Complaints = Vec<String>;

/// Applies every rule and prints what each found.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    let files = files(sh)?;
    let mut complaints = check(&files);
    complaints.extend(bloat::check()?);
    for complaint in &complaints {
        println!("tidy: {complaint}");
    }
    if !complaints.is_empty() {
        bail!("tidy has {} complaint(s)", complaints.len());
    }
    println!("tidy: {} files are in order", files.len());
    Ok(())
}

fn check(files: &[File]) -> Complaints {
    let rules: [fn(&[File]) -> Complaints; 11] = [
        crates::dependencies,
        crates::manifests,
        sources::module_docs,
        sources::lengths,
        sources::unsafe_homes,
        sources::unfinished,
        sources::blanks,
        kernel_names::kernel_files,
        exports::tested,
        links::resolve,
        memory::fallible,
    ];
    rules.iter().flat_map(|rule| rule(files)).collect()
}

fn files(sh: &Shell) -> Result<Vec<File>> {
    let listed = cmd!(sh, "git ls-files --cached --others --exclude-standard -z")
        .quiet()
        .read()?;
    let mut files = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            // Deleted but still in the index, or a link to a directory.
            Err(_) if !std::path::Path::new(path).is_file() => continue,
            Err(error) => return Err(error).with_context(|| format!("reading {path}")),
        };
        files.push(File::new(
            path,
            String::from_utf8(bytes).unwrap_or_default(),
        ));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
