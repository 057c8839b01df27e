//! `cargo xtask test [CRATE…]`: the Rust tests and doctests, each crate in the profile that suits it.

use anyhow::{Result, ensure};
use xshell::Shell;

use crate::tools::{SAME_FEATURES, cargo, crates, has_cargo_command};

/// Crates of logic: tested in the dev profile, which builds fastest. The others hold loops over data,
/// which take long without optimisation; they use the `ci` profile, as the C tests do.
const DEV: &[&str] = &[
    "tfe-core",
    "tfe-proto",
    "tfe-ops",
    "tfe-attrs",
    "tfe-device",
    "xtask",
];

/// Crates that are tested together, by one build.
pub(crate) struct Group {
    pub(crate) profile: &'static str,
    pub(crate) crates: Vec<String>,
}

/// The crates named, or all, in groups.
pub(crate) fn groups(names: &[String]) -> Result<Vec<Group>> {
    let mut all: Vec<String> = crates()?.into_iter().map(|krate| krate.name).collect();
    all.push("xtask".to_owned());
    for name in names {
        ensure!(
            all.contains(name),
            "no crate '{name}'; the crates are {}",
            all.join(", ")
        );
    }
    if !names.is_empty() {
        all.retain(|name| names.contains(name));
    }
    let (dev, ci): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|name| DEV.contains(&name.as_str()));
    let groups = [
        Group {
            profile: "dev",
            crates: dev,
        },
        Group {
            profile: "ci",
            crates: ci,
        },
    ];
    Ok(groups
        .into_iter()
        .filter(|group| !group.crates.is_empty())
        .collect())
}

/// Runs the tests of the crates named, or of all.
pub(crate) fn run(sh: &Shell, names: &[String]) -> Result<()> {
    for group in groups(names)? {
        run_group(sh, &group)?;
    }
    Ok(())
}

/// Runs tests, then doctests, of one group.
pub(crate) fn run_group(sh: &Shell, group: &Group) -> Result<()> {
    let packages = |names: &[String]| {
        names
            .iter()
            .flat_map(|name| ["-p".to_owned(), name.clone()])
            .chain(
                (group.profile == "ci")
                    .then_some(SAME_FEATURES.map(str::to_owned))
                    .into_iter()
                    .flatten(),
            )
            .collect::<Vec<_>>()
    };
    if has_cargo_command(sh, None, "nextest") {
        cargo(sh)
            .args(["nextest", "run", "--cargo-profile", group.profile])
            .args(["--no-fail-fast", "--no-tests=pass"])
            .args(["--status-level=fail", "--show-progress=none"])
            .args(packages(&group.crates))
            .run()?;
    } else {
        cargo(sh)
            .args([
                "test",
                "--profile",
                group.profile,
                "--no-fail-fast",
                "--tests",
            ])
            .args(packages(&group.crates))
            .run()?;
    }
    // A program has no doctests, and cargo refuses to look.
    let of_workspace = crates()?.into_iter().filter(|krate| krate.is_library);
    let mut libraries: Vec<String> = of_workspace.map(|krate| krate.name).collect();
    libraries.retain(|name| group.crates.contains(name));
    if !libraries.is_empty() {
        cargo(sh)
            .args(["test", "--quiet", "--doc", "--profile", group.profile])
            .args(packages(&libraries))
            .run()?;
    }
    Ok(())
}
