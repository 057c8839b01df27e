//! How the library and the programs that use it are built for a sanitizer.
//!
//! AddressSanitizer: rustc instruments our code, the C compiler's runtime serves both. The standard
//! library is not instrumented, which costs only what happens inside it.
//!
//! ThreadSanitizer: every lock, channel and once-cell is in the standard library, and what TSan does not
//! see there it reports as a race. rust-src to build it anew may not be at hand, but the objects of the
//! standard library carry their bitcode, and the toolchain's own linker can instrument that. The
//! runtime is the toolchain's: that of an older C compiler lacks functions that its LLVM calls.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use super::Variant;
use crate::tools::target_dir;

/// The crates of the standard library that synchronise, or hold what is synchronised.
const STD_CRATES: &[&str] = &["std", "alloc", "core", "hashbrown"];

/// What `cc` needs to compile and link a C program in one go, for this library and sanitizer.
pub(crate) fn program_args(variant: Variant) -> Vec<String> {
    let lib = variant.dir().join("lib");
    let lib = lib.display();
    let mut args = vec![
        format!("-L{lib}"),
        "-ltensorflow".to_owned(),
        format!("-Wl,-rpath,{lib}"),
    ];
    match variant {
        Variant::Release | Variant::Ci => {}
        Variant::Asan => args.push("-fsanitize=address,undefined".to_owned()),
        // `-static-libtsan` finds the toolchain's runtime, which lies beside the library.
        Variant::Tsan => args.extend(
            [
                "-fsanitize=thread",
                "-static-libtsan",
                "-Wl,--export-dynamic",
                "-lresolv",
            ]
            .map(str::to_owned),
        ),
    }
    args
}

/// Arguments to link the shared library with.
pub(super) fn link_args(sh: &Shell, variant: Variant) -> Result<Vec<String>> {
    match variant {
        Variant::Release | Variant::Ci => Ok(Vec::new()),
        Variant::Asan => Ok(vec!["-fsanitize=address".to_owned()]),
        Variant::Tsan => {
            let object = target_dir().join("tsan.o");
            cmd!(sh, "cc -O2 -fPIC -c xtask/src/dist/tsan.c -o {object}")
                .quiet()
                .run()?;
            let wraps =
                ["32", "64"].map(|bits| format!("-Wl,--wrap=__tsan_atomic{bits}_fetch_sub"));
            Ok([object.display().to_string()]
                .into_iter()
                .chain(wraps)
                .collect())
        }
    }
}

/// Puts beside the library what programs need.
pub(super) fn install_runtime(sh: &Shell, variant: Variant) -> Result<()> {
    if variant == Variant::Tsan {
        let toolchain = Toolchain::find(sh)?;
        let runtimes = std::fs::read_dir(toolchain.target.join("lib"))?;
        let runtime = runtimes
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| {
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                name.starts_with("librustc-") && name.ends_with("_rt.tsan.a")
            });
        let runtime = runtime.context("the toolchain has no runtime of ThreadSanitizer")?;
        sh.copy_file(runtime, variant.dir().join("lib/libtsan.a"))?;
    }
    Ok(())
}

/// Replaces the standard library in the archive by an instrumented one.
pub(super) fn instrument_std(sh: &Shell, archive: &Path) -> Result<PathBuf> {
    let toolchain = Toolchain::find(sh)?;
    let dir = archive.with_extension("std");
    sh.remove_path(&dir)?;
    sh.create_dir(&dir)?;

    // binutils may load a plugin of another LLVM that complains of each bitcode: `output` keeps it quiet.
    let listed = cmd!(sh, "ar t {archive}").quiet().ignore_stderr().read()?;
    let mut members: Vec<&str> = listed.lines().filter(|member| is_std(member)).collect();
    cmd!(sh, "ar x --output {dir} {archive}")
        .args(&members)
        .quiet()
        .output()?;
    // Ours carry no bitcode, whatever their names.
    let bitcode = |member: &str| dir.join(member).with_extension("bc");
    members.retain(|member| {
        let object = dir.join(member);
        let section = format!(".llvmbc={}", bitcode(member).display());
        let dump = cmd!(sh, "objcopy --dump-section {section} {object} /dev/null");
        dump.quiet().output().is_ok() && bitcode(member).exists()
    });
    ensure!(
        members.len() >= STD_CRATES.len(),
        "the standard library in {} carries no bitcode",
        archive.display()
    );

    let (lld, libraries) = (&toolchain.lld, &toolchain.libraries);
    let instrumented = dir.join("std.tsan.o");
    cmd!(sh, "{lld} -flavor gnu -r -o {instrumented}")
        .args(members.iter().copied().map(bitcode))
        .arg("--lto-newpm-passes=forceattrs,tsan-module,function(tsan)")
        .args(["-mllvm", "-force-attribute=sanitize_thread"])
        .env("LD_LIBRARY_PATH", libraries)
        .quiet()
        .run()
        .context("instrumenting the standard library")?;

    let result = dir.join("libtensorflow.a");
    sh.copy_file(archive, &result)?;
    cmd!(sh, "ar d {result}").args(&members).quiet().output()?;
    cmd!(sh, "ar q {result} {instrumented}").quiet().output()?;
    Ok(result)
}

/// Whether a member of an archive, `std-HASH.std.HASH-cgu.0.rcgu.o`, is of the standard library. A
/// crate of the same name has another: `hashbrown` from the registry is compiled by us.
fn is_std(member: &str) -> bool {
    STD_CRATES.iter().any(|name| {
        let Some(rest) = member.strip_prefix(&format!("{name}-")) else {
            return false;
        };
        // The standard library is one object a crate; our profile makes several.
        rest.contains(&format!(".{name}.")) && rest.ends_with("-cgu.0.rcgu.o")
    })
}

struct Toolchain {
    lld: PathBuf,
    /// Where lld finds LLVM.
    libraries: PathBuf,
    /// What belongs to the host as a target.
    target: PathBuf,
}

impl Toolchain {
    fn find(sh: &Shell) -> Result<Toolchain> {
        let root = PathBuf::from(cmd!(sh, "rustc --print sysroot").quiet().read()?);
        let target = root.join("lib/rustlib").join(super::host(sh)?);
        let lld = target.join("bin/rust-lld");
        ensure!(lld.exists(), "the toolchain has no {}", lld.display());
        Ok(Toolchain {
            lld,
            libraries: root.join("lib"),
            target,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_the_standard_library_are_told_apart() {
        assert!(is_std(
            "std-d1237ef7159db0a2.std.e28293b1aa0f68bd-cgu.0.rcgu.o"
        ));
        assert!(is_std(
            "core-120cbae4e86ec454.core.c1f1a4ba060b9bfa-cgu.0.rcgu.o"
        ));
        assert!(!is_std(
            "std_detect-e305c7135f50bfab.std_detect.4859ea97f15b1179-cgu.0.rcgu.o"
        ));
        assert!(!is_std(
            "hashbrown-1448c95121de53aa.hashbrown.c0386ddbfadcbbc1-cgu.03.rcgu.o"
        ));
        assert!(!is_std(
            "tfe_core-1448c95121de53aa.tfe_core.c0386ddbfadcbbc1-cgu.0.rcgu.o"
        ));
    }
}
