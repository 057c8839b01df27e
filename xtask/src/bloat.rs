//! `cargo xtask bloat`: what the release library spends its bytes on, as the page `docs/size.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use crate::codegen::kernel_families;
use crate::dist::{self, Variant};
use crate::tools::target_dir;

const PAGE: &str = "docs/size.md";
/// Crates and kernel files that have a row; the others are summed up.
const ROWS: usize = 40;
/// How far the page may be from a library that was built, in percent.
const MOST_PERCENT: u64 = 10;

/// Bytes by name.
type Bytes = BTreeMap<String, u64>;

/// What symbols were attributed to.
#[derive(Default)]
struct Sizes {
    families: Bytes,
    /// By `family/file`: an op, or a family of few.
    kernels: Bytes,
    crates: Bytes,
}

/// Builds the release library, writes the page, and says what has changed.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    let library = target_dir().join("bloat.so");
    dist::build_with_symbols(sh, &library)?;
    let symbols = cmd!(sh, "nm --print-size --demangle --defined-only {library}");
    let sizes = sizes(&symbols.quiet().read()?);
    ensure!(
        !sizes.kernels.is_empty(),
        "{} names no kernel",
        library.display()
    );
    let stripped = Variant::Release.dir().join("lib/libtensorflow.so.2");
    let total = std::fs::metadata(&stripped)
        .with_context(|| stripped.display().to_string())?
        .len();
    let (old, new) = (
        std::fs::read_to_string(PAGE).unwrap_or_default(),
        page(&sizes, total),
    );
    for change in changes(&old, &new) {
        println!("{change}");
    }
    sh.write_file(PAGE, new)?;
    println!("wrote {PAGE}");
    Ok(())
}

/// What is wrong with the page, where the release library is there to tell: its size, and a row for each family.
pub(crate) fn check() -> Result<Vec<String>> {
    let library = Variant::Release.dir().join("lib/libtensorflow.so.2");
    let (Ok(library), Ok(page)) = (std::fs::metadata(library), std::fs::read_to_string(PAGE))
    else {
        return Ok(Vec::new());
    };
    Ok(complaints(&page, library.len(), &kernel_families()?))
}

fn complaints(page: &str, built: u64, families: &[String]) -> Vec<String> {
    let rows = rows(page);
    let mut complaints = Vec::new();
    for family in families {
        if !rows.contains_key(&**family) {
            complaints.push(format!("{PAGE}: has no row for the family {family}"));
        }
    }
    let written = rows.get("all").copied().unwrap_or(0) * 1024;
    if built.abs_diff(written) * 100 > built * MOST_PERCENT {
        complaints.push(format!(
            "{PAGE}: says {written} bytes, the library has {built}; run `cargo xtask bloat`"
        ));
    }
    complaints
}

/// Adds up what `nm` lists: address, size, kind, name.
fn sizes(symbols: &str) -> Sizes {
    let mut sizes = Sizes::default();
    for line in symbols.lines() {
        let mut fields = line.splitn(4, ' ');
        let (Some(size), Some(name)) = (fields.nth(1), fields.nth(1)) else {
            continue;
        };
        let Ok(size) = u64::from_str_radix(size, 16) else {
            continue;
        };
        let krate = crate_of(name);
        if let Some((family, file)) = kernel_of(name) {
            *sizes.families.entry(family.to_owned()).or_default() += size;
            *sizes.kernels.entry(format!("{family}/{file}")).or_default() += size;
            *sizes.crates.entry("tfe_kernels".to_owned()).or_default() += size;
        } else {
            *sizes.crates.entry(krate.to_owned()).or_default() += size;
        }
    }
    sizes
}

/// Family and file of the kernel that a symbol is of: the first that its name has, wherever that is. Functions of other
/// crates, and loops of `tfe-host`, that are compiled for the types of a kernel count as its own; other loops of that
/// crate as the family `host`.
fn kernel_of(name: &str) -> Option<(&str, &str)> {
    let of_kernel = name.split("tfe_kernels::").skip(1).find_map(file_of);
    of_kernel.or_else(|| {
        let (file, _) = name.split_once("tfe_host::")?.1.split_once("::")?;
        is_word(file).then_some(("host", file))
    })
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The first two modules of a path within the crate: not of what is in the crate itself, or in a family's `mod.rs`.
fn file_of(path: &str) -> Option<(&str, &str)> {
    let mut words = path.split("::");
    let (family, file) = (words.next()?, words.next()?);
    (is_word(family) && is_word(file) && words.next().is_some()).then_some((family, file))
}

/// The crate that a symbol is of: the first of its path, or of the path of the type whose method it is.
fn crate_of(name: &str) -> &str {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let Some((before, _)) = name.split_once("::") else {
        return "C";
    };
    let start = before
        .char_indices()
        .rev()
        .find(|(_, c)| !in_word(*c))
        .map_or(0, |(i, c)| i + c.len_utf8());
    let name = &before[start..];
    if name.is_empty() { "others" } else { name }
}

fn page(sizes: &Sizes, total: u64) -> String {
    let known: u64 = sizes.crates.values().sum();
    let mut page = format!(
        "# Size\n\nWhat the release library for x86-64, stripped, spends its bytes on, in KiB, by the names of its functions and data.\n\
         Functions of other crates whose names have a kernel in them count as that kernel's; loops that kernels share, in `tfe-host`, count as `host`.\n\n\
         <!-- Written by `cargo xtask bloat`. Do not edit. -->\n\n\
         | the library | KiB |\n|---|---|\n| all | {} |\n| functions and data with a name | {} |\n",
        total / 1024,
        known / 1024
    );
    for (title, bytes) in [
        ("family of kernels", &sizes.families),
        ("file of kernels", &sizes.kernels),
        ("crate", &sizes.crates),
    ] {
        let mut rows: Vec<_> = bytes.iter().collect();
        rows.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let _ = write!(page, "\n| {title} | KiB |\n|---|---|\n");
        for (name, size) in rows.iter().take(ROWS) {
            let _ = writeln!(page, "| {name} | {} |", *size / 1024);
        }
        if let Some(rest) = rows.get(ROWS..).filter(|rest| !rest.is_empty()) {
            let sum: u64 = rest.iter().map(|(_, size)| **size).sum();
            let _ = writeln!(page, "| {} others | {} |", rest.len(), sum / 1024);
        }
    }
    page
}

/// The rows of all tables of a page: name and KiB.
fn rows(page: &str) -> BTreeMap<&str, u64> {
    page.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<(&str, u64)> {
    let (name, size) = line
        .strip_prefix("| ")?
        .strip_suffix(" |")?
        .split_once(" | ")?;
    Some((name, size.parse().ok()?))
}

/// A line for each row that is another by more than one in a hundred.
fn changes(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (rows(old), rows(new));
    let mut changes = Vec::new();
    for (name, &size) in &new {
        let before = old.get(name).copied().unwrap_or(0);
        if size.abs_diff(before) * 100 > before {
            changes.push(format!("{name}: {before} KiB before, {size} now"));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOLS: &str = "\
0000000000001000 0000000000000800 t tfe_kernels::math::add_v2::build
0000000000002000 0000000000000c00 t <core::ops::function::FnOnce>::call_once::<tfe_kernels::math::add_v2::build::{closure#0}>
0000000000002000 0000000000000400 t tfe_host::loops::map::<tfe_kernels::math::add_v2::Sum>
0000000000003000 0000000000001000 t <prost::Message as core::fmt::Debug>::fmt
0000000000004000 0000000000000400 T TFE_NewOp
0000000000005000 0000000000000400 t tfe_kernels::any_device
0000000000006000 A tensorflow
";

    #[test]
    fn symbols_are_attributed_to_kernels_before_crates() {
        let sizes = sizes(SYMBOLS);
        assert_eq!(sizes.kernels["math/add_v2"], 0x1800);
        assert_eq!(sizes.families["math"], 0x1800);
        assert_eq!(sizes.crates["tfe_kernels"], 0x1c00);
        assert_eq!((sizes.crates["prost"], sizes.crates["C"]), (0x1000, 0x400));
    }

    #[test]
    fn a_page_tells_what_has_changed_and_what_it_lacks() {
        let page = page(&sizes(SYMBOLS), 100 * 1024);
        assert_eq!(rows(&page)["math/add_v2"], 6);
        assert_eq!(changes(&page, &page), [""; 0]);
        let other = page.replace("| math | 6 |", "| math | 8 |");
        assert_eq!(changes(&page, &other), ["math: 6 KiB before, 8 now"]);
        let families = ["math".to_owned()];
        assert_eq!(complaints(&page, 95 * 1024, &families), [""; 0]);
        assert_eq!(complaints(&page, 50 * 1024, &families).len(), 1);
        assert_eq!(complaints(&page, 100 * 1024, &["nn".to_owned()]).len(), 1);
    }
}
