//! `cargo xtask new-kernel NAME --family FAMILY`: the skeleton of a kernel file.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use xshell::Shell;

use crate::codegen;

/// Writes the file and the lists that name it.
pub(crate) fn run(sh: &Shell, op: &str, family: Option<&str>) -> Result<()> {
    let families = codegen::kernel_families()?;
    let Some(family) = family.filter(|family| families.iter().any(|known| known == family)) else {
        bail!("--family is one of {}", families.join(", "));
    };
    let known = std::fs::read_to_string("crates/tfe-ops/src/generated.rs")?;
    let constant = snake_case(op).to_ascii_uppercase();
    ensure!(
        known.contains(&format!("pub const {constant}: OpId")),
        "TensorFlow has no op '{op}': there is no constant ops::{constant}"
    );
    let path = Path::new("crates/tfe-kernels/src")
        .join(family)
        .join(snake_case(op) + ".rs");
    ensure!(!path.exists(), "{} is already there", path.display());
    sh.write_file(&path, skeleton(op, &constant))?;
    println!("wrote {}", path.display());
    codegen::run(sh, false)
}

fn skeleton(op: &str, constant: &str) -> String {
    format!(
        "//! `{op}`.

use tfe_core::{{DTypeSet, Result, bail}};
use tfe_device::{{Kernel, KernelContext, KernelDef, KernelInit}};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {{
    op: ops::{constant},
    types: &[(\"T\", DTypeSet::REAL)],
    build,
    ..KernelDef::CPU
}}];

/// Reads the attributes and binds the type: once for many calls.
fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {{
    let dtype = init.attrs.dtype(\"T\")?;
    Ok(Box::new(move |_: &mut KernelContext<'_>| {{
        bail!(Unimplemented, \"{op} of {{dtype}} is not written yet\")
    }}))
}}
"
    )
}

/// `MatMul` to `mat_mul`, `TopKV2` to `top_kv2`: a break before each capital that follows a small
/// letter or a digit, or that starts a word after capitals.
fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let starts_word = chars.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let breaks = before.is_some_and(|before| {
            !before.is_ascii_uppercase() && before != '_'
                || before.is_ascii_uppercase() && starts_word
        });
        if c.is_ascii_uppercase() && breaks {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn op_names_become_file_names() {
        for (op, file) in [
            ("Relu", "relu"),
            ("MatMul", "mat_mul"),
            ("TopKV2", "top_kv2"),
            ("ConcatV2", "concat_v2"),
            ("Conv2D", "conv2_d"),
            ("LRNGrad", "lrn_grad"),
            ("XlaWhile", "xla_while"),
        ] {
            assert_eq!(snake_case(op), file);
        }
    }
}
