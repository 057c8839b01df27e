//! What must be true of the shared library and the program, read back from them with the tools of binutils.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use xshell::{Shell, cmd};

use super::{
    ABI_VERSION, EXPORTED_MANGLED, EXPORTED_PREFIXES, SONAME, VERSION_NODE, Variant, program_args,
};

/// The C library's own objects, by the names of x86-64 and aarch64, and the unwinder.
const ALLOWED_LIBRARIES: &[&str] = &[
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];

const MAX_SIZE: u64 = 12_000_000;

/// Checks the program and says what it is like.
pub(super) fn program(sh: &Shell, program: &Path) -> Result<String> {
    let dynamic = cmd!(sh, "readelf --wide --dynamic {program}")
        .quiet()
        .read()?;
    check_needed(&dynamic, Variant::Release).with_context(|| program.display().to_string())?;
    let ops = cmd!(sh, "{program} ops").quiet().read()?;
    let count = ops.lines().last().unwrap_or_default();
    ensure!(count.ends_with("ops have kernels"), "it lists no ops");
    Ok(format!("; tfe, {}", megabytes(program)?))
}

fn megabytes(file: &Path) -> Result<String> {
    let size = std::fs::metadata(file)?.len();
    Ok(format!("{:.1} MB", size as f64 / 1e6))
}

/// Checks the library and says what it is like.
pub(super) fn library(sh: &Shell, variant: Variant, library: &Path) -> Result<String> {
    let dynamic = cmd!(sh, "readelf --wide --dynamic {library}")
        .quiet()
        .read()?;
    check_dynamic(&dynamic, variant)?;
    let symbols = cmd!(
        sh,
        "nm --dynamic --defined-only --with-symbol-versions {library}"
    )
    .quiet()
    .read()?;
    let exported = check_exports(&symbols)?;
    let size = std::fs::metadata(library)?.len();
    let megabytes = megabytes(library)?;
    match variant {
        Variant::Release => {
            ensure!(
                size < MAX_SIZE,
                "{SONAME} has {megabytes}, more than {MAX_SIZE} bytes"
            );
        }
        Variant::Ci => {}
        Variant::Asan | Variant::Tsan => {
            let undefined = cmd!(sh, "nm --dynamic --undefined-only {library}")
                .quiet()
                .read()?;
            check_instrumentation(&undefined, variant)?;
        }
    }
    load(sh, variant)?;
    Ok(format!("{exported} functions, {megabytes}"))
}

/// A program links with it, starts, and gets the version that is promised.
fn load(sh: &Shell, variant: Variant) -> Result<()> {
    let dir = variant.dir();
    let (source, program) = (dir.join("load.c"), dir.join("load"));
    let code = format!(
        "#include <string.h>\nconst char* TF_Version(void);\n\
         int main(void) {{ return strcmp(TF_Version(), \"{ABI_VERSION}\"); }}\n"
    );
    sh.write_file(&source, code)?;
    cmd!(sh, "cc -o {program} {source}")
        .args(program_args(variant))
        .quiet()
        .run()?;
    let version = "TF_Version is another, or a program does not start";
    cmd!(sh, "{program}").quiet().run().context(version)?;
    sh.remove_path(source)?;
    sh.remove_path(program)?;
    Ok(())
}

/// The values of one tag of a dynamic section.
fn values<'t>(dynamic: &'t str, tag: &str) -> Vec<&'t str> {
    let tag = format!("({tag})");
    let lines = dynamic.lines().filter(|line| line.contains(&tag));
    lines
        .filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0))
        .collect()
}

/// The soname, no relocations in code, and nothing needed beyond the C library.
fn check_dynamic(dynamic: &str, variant: Variant) -> Result<()> {
    let soname = values(dynamic, "SONAME");
    ensure!(soname == [SONAME], "the soname is {soname:?}");
    let text = dynamic.lines().any(|line| line.contains("(TEXTREL)"));
    ensure!(!text, "it has relocations in its code");
    check_needed(dynamic, variant)
}

/// Nothing is needed beyond the C library.
fn check_needed(dynamic: &str, variant: Variant) -> Result<()> {
    for needed in values(dynamic, "NEEDED") {
        let sanitizer = variant.sanitizer().is_some() && needed.contains("san.so");
        ensure!(
            ALLOWED_LIBRARIES.contains(&needed) || sanitizer,
            "it needs {needed}"
        );
    }
    Ok(())
}

/// Nothing but the intended names, each with the version node. Returns how many.
fn check_exports(symbols: &str) -> Result<usize> {
    let mut count = 0;
    for line in symbols.lines() {
        let Some(symbol) = line.split_whitespace().last() else {
            continue;
        };
        let (name, version) = symbol.split_once('@').unwrap_or((symbol, ""));
        // The node itself is an absolute symbol.
        if name == VERSION_NODE {
            continue;
        }
        let intended = EXPORTED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            || EXPORTED_MANGLED.contains(&name);
        if !intended {
            bail!("it exports {name}");
        }
        ensure!(
            version.trim_start_matches('@') == VERSION_NODE,
            "{name} has no version {VERSION_NODE}: {symbol}"
        );
        count += 1;
    }
    ensure!(count > 0, "it exports nothing");
    Ok(count)
}

/// A sanitizer build that lost its flags would find nothing and look green.
fn check_instrumentation(undefined: &str, variant: Variant) -> Result<()> {
    let wanted = match variant {
        Variant::Tsan => "__tsan_read8",
        _ => "__asan_report_load8",
    };
    ensure!(
        undefined.contains(wanted),
        "it is not instrumented: {wanted} is nowhere"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DYNAMIC: &str = "\
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x000000000000000e (SONAME)             Library soname: [libtensorflow.so.2]
";

    #[test]
    fn libraries_beyond_libc_are_found() {
        let check = |text: &str, variant| check_dynamic(text, variant).map_err(|e| e.to_string());
        assert_eq!(check(DYNAMIC, Variant::Release), Ok(()));
        let bad = |name| DYNAMIC.replace("libgcc_s.so.1", name);
        assert_eq!(
            check(&bad("libz.so.1"), Variant::Release).unwrap_err(),
            "it needs libz.so.1"
        );
        assert!(check(&bad("libasan.so.8"), Variant::Release).is_err());
        assert!(check(&bad("libasan.so.8"), Variant::Asan).is_ok());
        let soname = DYNAMIC.replace("libtensorflow.so.2", "libtensorflow.so");
        assert!(check(&soname, Variant::Ci).unwrap_err().contains("soname"));
        let text = format!("{DYNAMIC} 0x16 (TEXTREL) 0x0\n");
        assert!(
            check(&text, Variant::Ci)
                .unwrap_err()
                .contains("relocations")
        );
    }

    #[test]
    fn unintended_exports_are_found() {
        let good = "0000 A tensorflow@@tensorflow\n1000 T TF_NewStatus@@tensorflow\n";
        assert_eq!(check_exports(good).unwrap(), 1);
        let check =
            |line: &str| check_exports(&format!("{good}{line}\n")).map_err(|e| e.to_string());
        assert_eq!(
            check("1000 T rust_eh_personality").unwrap_err(),
            "it exports rust_eh_personality"
        );
        assert!(
            check("1000 T TFE_NewOp")
                .unwrap_err()
                .contains("no version")
        );
        assert!(
            check("1000 T TFE_NewOp@@other")
                .unwrap_err()
                .contains("no version")
        );
        assert!(
            check_exports("0000 A tensorflow@@tensorflow\n").is_err(),
            "nothing exported"
        );
    }

    #[test]
    fn a_library_without_instrumentation_is_found() {
        let asan = "                 U __asan_report_load8\n";
        assert!(check_instrumentation(asan, Variant::Asan).is_ok());
        assert!(check_instrumentation(asan, Variant::Tsan).is_err());
        assert!(check_instrumentation("                 U malloc\n", Variant::Asan).is_err());
    }
}
