//! Rules for Cargo.toml: which crate may depend on which, and what every manifest says.

use super::{Complaints, File};

/// The crate graph of `docs/architecture.md`: a crate, and what it may depend on directly. What those
/// may depend on is allowed too.
const GRAPH: &[(&str, &[&str])] = &[
    ("tfe-core", &[]),
    ("tfe-proto", &[]),
    ("tfe-ops", &["tfe-core", "tfe-proto"]),
    ("tfe-attrs", &["tfe-ops"]),
    ("tfe-device", &["tfe-attrs"]),
    ("tfe-host", &["tfe-device"]),
    ("tfe-kernels", &["tfe-host"]),
    ("tfe-cpu", &["tfe-device"]),
    ("tfe-function", &["tfe-device"]),
    ("tfe-eager", &["tfe-cpu", "tfe-kernels", "tfe-function"]),
    ("tfe-capi", &["tfe-eager"]),
    ("tfe-capi-artifact", &["tfe-capi"]),
    ("tfe-cli", &["tfe-eager"]),
    // For tests only: see `DEV_ONLY`.
    ("tfe-testkit", &["tfe-device"]),
    ("tfe-benches", &["tfe-eager", "tfe-capi"]),
    ("xtask", &[]),
];

/// Crates that only `[dev-dependencies]` may name.
const DEV_ONLY: &[&str] = &["tfe-testkit"];

/// Libraries that no crate may use, and why.
const BANNED: &[(&str, &str)] = &[
    ("linkme", "link-time lists lose entries in static libraries"),
    (
        "inventory",
        "link-time lists lose entries in static libraries",
    ),
    ("ctor", "nothing runs before main"),
    ("lazy_static", "std has LazyLock"),
    ("once_cell", "std has OnceLock"),
    ("thiserror", "tfe-core has the one error type"),
];

/// Libraries for one or two crates only.
const RESTRICTED: &[(&str, &[&str])] = &[("anyhow", &["xtask"]), ("prost-reflect", &["tfe-proto"])];

/// All that xtask may depend on: it is built before anything else.
const XTASK: &[&str] = &["anyhow", "prost", "prost-build", "protox", "xshell"];

/// The crate graph holds.
pub(super) fn dependencies(files: &[File]) -> Complaints {
    let mut complaints = Vec::new();
    for file in manifests_of_crates(files) {
        let Some(name) = package_value(&file.text, "name") else {
            continue;
        };
        let mut complain = |what: String| complaints.push(format!("{}: {what}", file.path));
        if !GRAPH.iter().any(|(known, _)| *known == name) {
            complain(format!(
                "'{name}' is not in the crate graph of xtask/src/tidy/crates.rs"
            ));
            continue;
        }
        let published = !file.text.contains("publish = false");
        for Dependency {
            name: wanted,
            dev,
            by_path,
        } in dependencies_of(&file.text)
        {
            if wanted.starts_with("tfe-") {
                if dev && !by_path && published {
                    // With a version it stays in the package, and crates that test each other have no order.
                    complain(format!(
                        "as a dev-dependency, '{wanted}' is named by its path alone"
                    ));
                }
                let dev_only = DEV_ONLY.contains(&wanted.as_str());
                if dev_only && !dev && name != "tfe-benches" {
                    complain(format!("'{wanted}' is for [dev-dependencies] only"));
                } else if !dev_only && !dev && !may_depend(&name, &wanted) {
                    complain(format!("'{name}' may not depend on '{wanted}'"));
                }
                continue;
            }
            if let Some((_, why)) = BANNED.iter().find(|(banned, _)| *banned == wanted) {
                complain(format!("'{wanted}' is banned: {why}"));
            }
            if let Some((_, users)) = RESTRICTED.iter().find(|(library, _)| *library == wanted)
                && !users.contains(&name.as_str())
            {
                complain(format!("'{wanted}' is for {} only", users.join(", ")));
            }
            if name == "xtask" && !XTASK.contains(&wanted.as_str()) {
                complain(format!(
                    "xtask stays small: '{wanted}' is not among {}",
                    XTASK.join(", ")
                ));
            }
        }
    }
    complaints
}

fn may_depend(from: &str, to: &str) -> bool {
    let direct = GRAPH
        .iter()
        .find(|(name, _)| *name == from)
        .map_or(&[][..], |(_, to)| to);
    direct
        .iter()
        .any(|next| *next == to || may_depend(next, to))
}

/// Every crate takes its version, licence and lints from the workspace and says what it is.
pub(super) fn manifests(files: &[File]) -> Complaints {
    let mut complaints = Vec::new();
    for file in manifests_of_crates(files) {
        for key in ["version", "edition", "rust-version", "license"] {
            let line = format!("{key}.workspace = true");
            if !file.text.lines().any(|l| l == line) {
                complaints.push(format!("{}: wants `{line}`", file.path));
            }
        }
        if package_value(&file.text, "description").is_none_or(|text| text.is_empty()) {
            complaints.push(format!("{}: wants a description", file.path));
        }
        if !file.text.contains("[lints]\nworkspace = true\n") {
            complaints.push(format!("{}: wants `[lints] workspace = true`", file.path));
        }
    }
    complaints
}

fn manifests_of_crates(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| {
        file.path.ends_with("/Cargo.toml")
            // Packages outside the workspace, as a user would write them.
            && !["clients/", "examples/", "fuzz/"]
                .iter()
                .any(|dir| file.path.starts_with(dir))
    })
}

struct Dependency {
    name: String,
    dev: bool,
    /// By a path without a version.
    by_path: bool,
}

/// The dependencies of a manifest in the forms that this repository writes.
fn dependencies_of(manifest: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut section = String::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').to_owned();
            // `[dependencies.name]`
            if let Some((table, name)) = section.rsplit_once('.')
                && table.ends_with("dependencies")
            {
                found.push(Dependency {
                    name: name.to_owned(),
                    dev: table.contains("dev-"),
                    by_path: false,
                });
            }
        } else if section.ends_with("dependencies")
            && let Some((key, value)) = line.split_once('=')
            && !line.starts_with('#')
        {
            let key = key.trim().trim_end_matches(".workspace");
            // `alias = { package = "name" }`
            let name = value
                .split_once("package = \"")
                .and_then(|(_, rest)| rest.split('"').next());
            let name = name.unwrap_or(key).to_owned();
            found.push(Dependency {
                name,
                dev: section.contains("dev-"),
                by_path: value.contains("path") && !value.contains("version"),
            });
        }
    }
    found
}

/// A string value of `[package]`.
fn package_value(manifest: &str, key: &str) -> Option<String> {
    let package = manifest.split_once("[package]\n")?.1;
    let package = package.split("\n[").next()?;
    package.lines().find_map(|line| {
        let (found, value) = line.split_once(" = ")?;
        (found == key).then(|| value.trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(name: &str, dependencies: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"{name}\"\n\n{dependencies}");
        dependencies_complaints(&text)
    }

    fn dependencies_complaints(text: &str) -> Vec<String> {
        dependencies(&[File::new("crates/x/Cargo.toml", text)])
    }

    #[test]
    fn dev_dependencies_have_no_version() {
        let found = complaints(
            "tfe-cpu",
            "[dev-dependencies]\ntfe-testkit.workspace = true\n",
        );
        assert!(
            found.len() == 1 && found[0].contains("by its path alone"),
            "{found:?}"
        );
        let good = "[dev-dependencies]\ntfe-testkit = { path = \"../tfe-testkit\" }\n";
        assert_eq!(complaints("tfe-cpu", good), [""; 0]);
    }

    #[test]
    fn the_graph_allows_what_lies_below() {
        let good = "[dependencies]\ntfe-core = { workspace = true }\ntfe-proto.workspace = true\n\
                    # tfe-capi = 1\n[dev-dependencies]\ntfe-testkit = { path = \"..\" }\ntfe-eager = {path=\"a\"}\n";
        assert_eq!(complaints("tfe-attrs", good), [""; 0]);
    }

    #[test]
    fn the_graph_refuses_what_lies_above() {
        for (section, line) in [
            ("dependencies", "tfe-device = { workspace = true }"),
            ("dependencies", "tfe-device.workspace = true"),
            ("build-dependencies", "tfe-device = \"1\""),
            (
                "dependencies",
                "device = { package = \"tfe-device\", version = \"1\" }",
            ),
            ("target.'cfg(unix)'.dependencies", "tfe-device = \"1\""),
            ("dependencies.tfe-device", "version = \"1\""),
        ] {
            let found = complaints("tfe-attrs", &format!("[{section}]\n{line}\n"));
            let wanted = "crates/x/Cargo.toml: 'tfe-attrs' may not depend on 'tfe-device'";
            assert_eq!(found, [wanted], "[{section}] {line}");
        }
    }

    #[test]
    fn restricted_libraries_stay_where_they_belong() {
        for (name, line, wanted) in [
            (
                "tfe-eager",
                "tfe-testkit = \"1\"",
                "for [dev-dependencies] only",
            ),
            ("tfe-kernels", "linkme = \"1\"", "'linkme' is banned"),
            ("tfe-core", "anyhow = \"1\"", "'anyhow' is for xtask only"),
            ("xtask", "clap = \"4\"", "xtask stays small"),
            ("tfe-new", "", "'tfe-new' is not in the crate graph"),
        ] {
            let found = complaints(name, &format!("[dependencies]\n{line}\n"));
            assert!(
                found.len() == 1 && found[0].contains(wanted),
                "{name}: {found:?}"
            );
        }
    }

    #[test]
    fn a_manifest_without_the_common_lines_is_found() {
        let good = "[package]\nname = \"a\"\ndescription = \"b\"\nversion.workspace = true\n\
                    edition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\n\n\
                    [lints]\nworkspace = true\n";
        let check = |text: &str| manifests(&[File::new("crates/x/Cargo.toml", text)]).len();
        assert_eq!(check(good), 0);
        for line in [
            "license.workspace = true\n",
            "description = \"b\"\n",
            "[lints]\nworkspace = true\n",
        ] {
            assert_eq!(check(&good.replace(line, "")), 1, "{line}");
        }
    }
}
