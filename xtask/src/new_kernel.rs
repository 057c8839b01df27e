//! `cargo xtask new-kernel NAME --family FAMILY`: the skeleton of a kernel file.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use xshell::Shell;

use crate::codegen;

/// Where each op's constant follows a line with its name.
const OPS: &str = "crates/tfe-ops/src/generated.rs";

/// Writes the file and the lists that name it.
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
    codegen::run(sh, false)
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
use tfe_device::{{Kernel, KernelContext, KernelDef, KernelInit}};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {{
    types: &[(\"T\", DTypeSet::REAL)],
    ..KernelDef::cpu(ops::{constant}, build)
}}];

/// Reads the attributes and binds the type: once for many calls.
fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {{
    let dtype = init.attrs.dtype(\"T\")?;
    Ok(Box::new(move |_: &mut KernelContext<'_>| -> Result<()> {{
        bail!(Unimplemented, \"{op} of {{dtype}} is not written yet\")
    }}))
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
        assert!(text.contains("KernelDef::cpu(ops::TOP_KV2, build)"));
    }
}
