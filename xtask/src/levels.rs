//! The SIMD levels: results may not depend on which of them a CPU has, so what checks results runs at each.

use anyhow::Result;
use xshell::Shell;

use crate::capi;
use crate::golden;
use crate::tools::{SAME_FEATURES, cargo};

/// Caps the level of whatever loads the library; the module `simd` of the loops that kernels are made of reads it.
pub(crate) const VARIABLE: &str = "TFE_SIMD";

/// The levels of this machine, lowest first.
pub(crate) fn levels() -> Vec<&'static str> {
    let mut levels = vec!["baseline"];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        levels.push("avx2");
    }
    levels
}

/// Runs the records, the conformance suites and the C tests at each level. Only the variable differs: what is built for
/// other stages serves here.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    for level in levels() {
        println!("--- {VARIABLE}={level}");
        let _env = sh.push_env(VARIABLE, level);
        golden::through_rust(sh)?;
        cargo(sh)
            .args([
                "test",
                "--profile",
                "ci",
                "-p",
                "tfe-cpu",
                "-p",
                "tfe-eager",
            ])
            .args(SAME_FEATURES)
            .args(["--test", "conformance"])
            .run()?;
    }
    capi::run_at(sh, &levels())
}
