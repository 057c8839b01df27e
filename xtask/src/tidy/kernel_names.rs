//! Rule for kernel files: the name of a file that declares one op's kernel is the op's.

use super::{Complaints, File};

/// A kernel file that names one op has that op's name, with or without its version.
pub(super) fn kernel_files(files: &[File]) -> Complaints {
    let mut complaints = Vec::new();
    for file in files {
        let Some(path) = file.path.strip_prefix("crates/tfe-kernels/src/") else {
            continue;
        };
        let Some((_, stem)) = path
            .strip_suffix(".rs")
            .and_then(|path| path.rsplit_once('/'))
        else {
            continue;
        };
        let ops = declared_ops(&file.text);
        if let [op] = ops[..]
            && stem != "mod"
        {
            let name = match op {
                // Words of the language.
                "CONST" => "constant".to_owned(),
                "WHERE" => "where_true".to_owned(),
                _ => op.to_ascii_lowercase(),
            };
            if stem != name && stem != unversioned(&name) {
                complaints.push(format!(
                    "{}: declares {op} alone; name it {name}.rs",
                    file.path
                ));
            }
        }
    }
    complaints
}

/// The distinct ops of `KernelDef::host(ops::NAME, …)` and `op: ops::NAME`.
fn declared_ops(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let marks = ["KernelDef::host(ops::", "op: ops::"];
        let Some(after) = marks.iter().find_map(|mark| Some(line.split_once(mark)?.1)) else {
            continue;
        };
        let name = after
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next();
        let name = name.unwrap_or_default();
        if !line.trim_start().starts_with("//") && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn unversioned(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((stem, version)) if version.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(file: &str, ops: &[&str]) -> usize {
        let text: String = ops
            .iter()
            .map(|op| format!("    op: ops::{op},\n"))
            .collect();
        kernel_files(&[File::new(
            format!("crates/tfe-kernels/src/math/{file}"),
            text,
        )])
        .len()
    }

    #[test]
    fn file_and_op_agree() {
        assert_eq!(complaints("mat_mul.rs", &["MAT_MUL", "MAT_MUL"]), 0);
        assert_eq!(complaints("concat_v2.rs", &["CONCAT_V2"]), 0);
        assert_eq!(complaints("concat.rs", &["CONCAT_V2"]), 0);
        assert_eq!(complaints("binary.rs", &["ADD_V2", "MUL"]), 0, "a family");
        assert_eq!(complaints("helpers.rs", &[]), 0);
        assert_eq!(complaints("constant.rs", &["CONST"]), 0);
        assert_eq!(complaints("matmul.rs", &["MAT_MUL"]), 1);
        assert_eq!(complaints("top_k.rs", &["TOP_KV2"]), 1);
    }
}
