//! `cargo xtask dist`: the library as clients get it, linked from the static one, and the program `tfe`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use xshell::{Shell, cmd};

mod sanitize;
mod verify;

pub(crate) use sanitize::program_args;

use crate::tools::{SAME_FEATURES, cargo, copy_dir, target_dir};

/// The version of TensorFlow whose ABI this is; clients compare it with what they want.
const ABI_VERSION: &str = "2.21.0";
const SONAME: &str = "libtensorflow.so.2";
/// The shell program, linked with the crates and not with the library.
const PROGRAM: &str = "tfe";

/// The names of TensorFlow's three libraries.
pub(crate) const LIBRARIES: [&str; 3] = [
    "libtensorflow",
    "libtensorflow_cc",
    "libtensorflow_framework",
];

/// The version node of every exported symbol.
const VERSION_NODE: &str = "tensorflow";

/// What is exported: C names by prefix, and the names that are mangled because TensorFlow declares
/// them in C++.
const EXPORTED_PREFIXES: &[&str] = &["TF_", "TFE_", "TSL_"];
pub(crate) const EXPORTED_MANGLED: &[&str] = &[
    "_ZN10tensorflow15TFE_GetDLDeviceEP16TFE_TensorHandleP10TSL_Status",
    "_ZN10tensorflow18TFE_HandleToDLPackEP16TFE_TensorHandleP10TSL_Status",
    "_ZN10tensorflow20TFE_HandleFromDLPackEPvP10TSL_StatusP11TFE_Context",
    "_ZN10tensorflow30TFE_CallDLManagedTensorDeleterEPv",
];

/// How the library is built, and for which use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// What ships: optimised across crates, stripped.
    Release,
    /// For tests: the `ci` profile, with debug assertions and line tables.
    Ci,
    /// `Ci` with AddressSanitizer in the Rust code.
    Asan,
    /// `Ci` with ThreadSanitizer in the Rust code.
    Tsan,
}

impl Variant {
    /// From the flags `--profile` and `--sanitize`.
    pub(crate) fn from_flags(profile: Option<&str>, sanitizer: Option<&str>) -> Result<Variant> {
        Ok(match (profile, sanitizer) {
            (None | Some("release"), None) => Variant::Release,
            (Some("ci"), None) => Variant::Ci,
            (None | Some("ci"), Some("address")) => Variant::Asan,
            (None | Some("ci"), Some("thread")) => Variant::Tsan,
            (_, None) => bail!("--profile is release or ci"),
            (_, Some(_)) => bail!("--sanitize is address or thread, with profile ci"),
        })
    }

    /// The directory that holds `lib/`, `include/` and `bin/`.
    pub(crate) fn dir(self) -> PathBuf {
        target_dir().join(match self {
            Variant::Release => "dist",
            Variant::Ci => "dist-ci",
            Variant::Asan => "dist-asan",
            Variant::Tsan => "dist-tsan",
        })
    }

    /// As `-fsanitize=` and `-Zsanitizer=` spell it.
    pub(crate) fn sanitizer(self) -> Option<&'static str> {
        match self {
            Variant::Release | Variant::Ci => None,
            Variant::Asan => Some("address"),
            Variant::Tsan => Some("thread"),
        }
    }

    /// Whether the program is there: sanitizers watch the library.
    fn has_program(self) -> bool {
        self.sanitizer().is_none()
    }

    fn profile(self) -> &'static str {
        if self == Variant::Release {
            "release"
        } else {
            "ci"
        }
    }
}

/// Builds and checks the library and the program, and returns the directory that they are in.
pub(crate) fn build(sh: &Shell, variant: Variant) -> Result<PathBuf> {
    let archive = compile(sh, variant)?;
    let dir = variant.dir();
    let lib = dir.join("lib");
    sh.remove_path(&dir)?;
    sh.create_dir(&lib)?;

    let strip = variant == Variant::Release;
    link(sh, variant, &archive, &lib.join(SONAME), strip)?;
    // One library under the names of TensorFlow's three.
    for name in LIBRARIES {
        for link in [format!("{name}.so.2"), format!("{name}.so")] {
            if link != SONAME {
                std::os::unix::fs::symlink(SONAME, lib.join(link))?;
            }
        }
    }
    sh.copy_file(&archive, lib.join("libtensorflow.a"))?;
    if variant == Variant::Release {
        let archive = lib.join("libtensorflow.a");
        cmd!(sh, "strip --strip-debug {archive}").quiet().run()?;
    }
    sanitize::install_runtime(sh, variant)?;
    if variant.has_program() {
        let bin = dir.join("bin");
        sh.create_dir(&bin)?;
        let program = bin.join(PROGRAM);
        sh.copy_file(target_dir().join(variant.profile()).join(PROGRAM), &program)?;
        if variant == Variant::Release {
            cmd!(sh, "strip {program}").quiet().run()?;
        }
    }
    sh.create_dir(lib.join("pkgconfig"))?;
    sh.write_file(lib.join("pkgconfig/tensorflow.pc"), pkgconfig())?;
    let headers = Path::new("crates/tfe-capi/include");
    if headers.exists() {
        copy_dir(headers, &dir.join("include"))?;
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        sh.copy_file(licence, dir.join(licence))?;
    }
    let mut report = verify::library(sh, variant, &lib.join(SONAME))?;
    if variant.has_program() {
        report += &verify::program(sh, &dir.join("bin").join(PROGRAM))?;
    }
    println!("{}: {report}", dir.display());
    Ok(dir)
}

/// Links the release library once more, with the names of its functions, and builds what [`build`] does.
pub(crate) fn build_with_symbols(sh: &Shell, output: &Path) -> Result<()> {
    let lib = build(sh, Variant::Release)?.join("lib/libtensorflow.a");
    link(sh, Variant::Release, &lib, output, false)
}

/// Builds the static library, and the program beside it: in one go, so that both have their dependencies with the same
/// features.
fn compile(sh: &Shell, variant: Variant) -> Result<PathBuf> {
    let profile = variant.profile();
    let mut command = cargo(sh).args(["build", "--quiet", "-p", "tfe-capi-artifact"]);
    command = command.args(["--profile", profile]);
    if variant.has_program() {
        command = command.args(["-p", "tfe-cli"]);
    }
    if variant == Variant::Ci {
        command = command.args(SAME_FEATURES);
    }
    let Some(sanitizer) = variant.sanitizer() else {
        command.run()?;
        return Ok(target_dir().join(profile).join("libtensorflow.a"));
    };
    // With a target named, the flags are for the library alone, not for build scripts and macros.
    let host = host(sh)?;
    let target = target_dir().join(sanitizer);
    let mut flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    // The standard library comes without; rustc wants to hear that this is known.
    flags.push_str(&format!(
        " -Zsanitizer={sanitizer} -Cunsafe-allow-abi-mismatch=sanitizer -Cforce-frame-pointers=yes"
    ));
    command
        .args(["--target", &host])
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", flags.trim())
        // The stable compiler has the sanitizers and their runtimes, behind an unstable flag.
        .env("RUSTC_BOOTSTRAP", "1")
        .run()?;
    let archive = target.join(host).join(profile).join("libtensorflow.a");
    if variant == Variant::Tsan {
        sanitize::instrument_std(sh, &archive)
    } else {
        Ok(archive)
    }
}

/// The target that programs are built for by default.
pub(crate) fn host(sh: &Shell) -> Result<String> {
    let version = cmd!(sh, "rustc -vV").quiet().read()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// Links the shared library. A cdylib would not do: rustc's own version script allows no second one.
fn link(sh: &Shell, variant: Variant, archive: &Path, output: &Path, strip: bool) -> Result<()> {
    let script = target_dir().join(format!("{VERSION_NODE}.ver"));
    sh.write_file(&script, version_script())?;
    let script = format!("-Wl,--version-script={}", script.display());
    let mut command = cmd!(sh, "cc -shared -o {output}")
        .arg("-Wl,--whole-archive")
        .arg(archive)
        .arg("-Wl,--no-whole-archive")
        .arg(script)
        .arg(format!("-Wl,-soname,{SONAME}"))
        .args(["-Wl,--gc-sections", "-Wl,--as-needed", "-Wl,-O1"])
        // Two copies of the C API in one process do not mix: each calls its own functions.
        .arg("-Wl,-Bsymbolic")
        // Read-only relocations, and no unloading under a thread that is still in here.
        .args(["-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,nodelete"])
        .args(["-lpthread", "-ldl", "-lm"]);
    if strip {
        command = command.arg("-Wl,--strip-all");
    }
    command = command.args(sanitize::link_args(sh, variant)?);
    command.run().context("linking the shared library")
}

fn version_script() -> String {
    let prefixes = EXPORTED_PREFIXES.iter().map(|prefix| format!("{prefix}*"));
    let mangled = EXPORTED_MANGLED.iter().map(|name| (*name).to_owned());
    let names: String = prefixes
        .chain(mangled)
        .map(|name| format!("    {name};\n"))
        .collect();
    format!("{VERSION_NODE} {{\n  global:\n{names}  local:\n    *;\n}};\n")
}

fn pkgconfig() -> String {
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: TensorFlow\n\
         Description: The C API of TensorFlow, by the eager runtime tfe\n\
         Version: {ABI_VERSION}\n\
         Libs: -L${{libdir}} -ltensorflow\n\
         Libs.private: -lgcc_s -lpthread -ldl -lm -lc\n\
         Cflags: -I${{includedir}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_script_hides_everything_else() {
        let script = version_script();
        assert!(script.starts_with("tensorflow {\n  global:\n    TF_*;\n    TFE_*;\n    TSL_*;\n"));
        assert!(script.ends_with("  local:\n    *;\n};\n"));
    }

    #[test]
    fn variants_come_from_flags() {
        let of = |profile, sanitizer| Variant::from_flags(profile, sanitizer).ok();
        assert_eq!(of(None, None), Some(Variant::Release));
        assert_eq!(of(Some("ci"), None), Some(Variant::Ci));
        assert_eq!(of(None, Some("address")), Some(Variant::Asan));
        assert_eq!(of(Some("ci"), Some("thread")), Some(Variant::Tsan));
        assert_eq!(of(Some("release"), Some("address")), None);
        assert_eq!(of(Some("debug"), None), None);
        assert_eq!(of(None, Some("memory")), None);
    }
}
