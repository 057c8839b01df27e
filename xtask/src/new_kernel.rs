//! `cargo xtask new-kernel NAME --family FAMILY`: the skeleton of a kernel file, and of its records.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use xshell::Shell;

use crate::codegen;

/// Where each op's constant follows a line with its name.
const OPS: &str = "crates/tfe-ops/src/generated.rs";

/// Where records are.
const RECORDS: &str = "crates/tfe-testkit/golden";

/// Writes the file, the lists that name it and a draft of records, and says what comes next.
pub(crate) fn run(sh: &Shell, op: &str, family: Option<&str>) -> Result<()> {
    let families = codegen::kernel_families()?;
    let Some(family) = family.filter(|family| families.iter().any(|known| known == family)) else {
        bail!("--family is one of {}", families.join(", "));
    };
    let ops = std::fs::read_to_string(OPS)?;
    let constant = constant(&ops, op).with_context(|| format!("TensorFlow has no op '{op}'"))?;
    let file = constant.to_ascii_lowercase() + ".rs";
    let path = Path::new("crates/tfe-kernels/src").join(family).join(file);
    ensure!(!path.exists(), "{} is already there", path.display());
    sh.write_file(&path, skeleton(op, constant))?;
    println!("wrote {}", path.display());
    codegen::run(sh, false)?;
    let record = Path::new(RECORDS).join(format!("{op}.json"));
    if !record.exists() {
        sh.write_file(&record, draft(op))?;
        println!("wrote {}", record.display());
    }
    print!("{}", next_steps(op, family, &constant.to_ascii_lowercase()));
    Ok(())
}

/// What to run, step by step, from the first build to the last check.
fn next_steps(op: &str, family: &str, module: &str) -> String {
    format!(
        "
Next, with the kernel and calls for {RECORDS}/{op}.json written:
  cargo test -p tfe-kernels --lib {family}::{module}::  # the tests of the file, in seconds
  cargo xtask record {op}  # TensorFlow's answers to those calls
  cargo test -p tfe-eager --test golden  # the kernel gives them
  TFE_WRITE_DOCS=1 cargo test -p tfe-eager --test ops_table  # its line in docs/ops.md
  cargo xtask tidy
"
    )
}

/// A file of records without a result, with one call to begin with.
fn draft(op: &str) -> String {
    format!(
        "{{\"op\":\"{op}\",\"tf\":\"\",\"cases\":[\n\
         {{\"name\":\"vector\",\"attrs\":{{}},\"inputs\":[{{\"dtype\":\"float\",\"shape\":[3],\"v\":[-1.5,0.0,2.0]}}]}}\n]}}\n"
    )
}

/// The constant of an op, from the generated list of them.
fn constant<'a>(ops: &'a str, op: &str) -> Option<&'a str> {
    let (_, after) = ops.split_once(&format!("/// `{op}`.\n"))?;
    let (constant, _) = after
        .trim_start()
        .strip_prefix("pub const ")?
        .split_once(':')?;
    Some(constant)
}

fn skeleton(op: &str, constant: &str) -> String {
    format!(
        "//! {op}: what it computes, in a sentence.

use tfe_core::{{DTypeSet, Result, bail}};
use tfe_device::{{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule}};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {{
    types: &[(\"T\", DTypeSet::REAL)],
    ..KernelDef::host(ops::{constant}, rule, build)
}}];

/// The shape of the output, as far as those of the inputs are known; all errors of shapes.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {{
    Ok(Box::new(|call: &mut Inference<'_>| {{
        call.set_like(0, 0);
        Ok(())
    }}))
}}

/// Reads the attributes and binds the type: once for many calls.
fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {{
    let dtype = init.attrs.dtype(\"T\")?;
    Ok(Box::new(move |_: &mut KernelContext<'_>| -> Result<()> {{
        bail!(Unimplemented, \"{op} of {{dtype}} is not written yet\")
    }}))
}}

#[cfg(test)]
mod tests {{
    use tfe_core::Tensor;

    use crate::testing::run;

    #[test]
    fn the_odd_cases() {{
        let empty = Tensor::from_slice::<f32>(&[0], &[]).expect(\"memory\");
        let results = run(\"{op}\", &[], vec![empty]).expect(\"results\");
        assert_eq!(results[0].dims(), [0]);
    }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_comes_from_the_list_of_ops() {
        let ops = "    /// `Relu6`.\n    pub const RELU6: OpId = OpId::new(1);\n    /// `Relu`.\n    \
                   pub const RELU: OpId = OpId::new(2);\n";
        assert_eq!(constant(ops, "Relu"), Some("RELU"));
        assert_eq!(constant(ops, "Relu6"), Some("RELU6"));
        assert_eq!(constant(ops, "Rel"), None);
    }

    #[test]
    fn the_skeleton_is_named_as_tidy_wants() {
        let text = skeleton("TopKV2", "TOP_KV2");
        assert!(text.starts_with("//! TopKV2: "));
        assert!(text.contains("KernelDef::host(ops::TOP_KV2, rule, build)"));
        assert!(text.contains("run(\"TopKV2\", &[], vec![empty])"));
    }

    #[test]
    fn the_next_command_runs_the_tests_of_the_file_alone() {
        let steps = next_steps("TopKV2", "math", "top_kv2");
        assert!(steps.contains("cargo test -p tfe-kernels --lib math::top_kv2:: "));
    }
}
