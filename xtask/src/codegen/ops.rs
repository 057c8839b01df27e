//! Writes `tfe-ops/src/generated.rs`: an id constant for each op, where each definition lies in
//! `op_list.pb`, and the table by which names are looked up.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

#[path = "../../../crates/tfe-ops/src/name_hash.rs"]
mod name_hash;

use name_hash::{TABLE_BITS, name_hash};

const LIST: &str = "crates/tfe-ops/op_list.pb";
const GENERATED: &str = "crates/tfe-ops/src/generated.rs";

/// The files this part of the codegen owns: path below the workspace root, and content.
pub(crate) fn outputs() -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let list = std::fs::read(root.join(LIST)).with_context(|| format!("reading {LIST}"))?;
    let ops = parse(&list).with_context(|| format!("parsing {LIST}"))?;
    Ok(vec![(
        PathBuf::from(GENERATED),
        render(&ops, list.len())?.into_bytes(),
    )])
}

/// An op: where its definition starts and ends in the list, and its name.
struct Op<'a> {
    start: usize,
    end: usize,
    name: &'a str,
}

impl Op<'_> {
    /// The constant's name, by the rule that TensorFlow's own Python functions are named by:
    /// `MatMul` is `MAT_MUL`, `TopKV2` is `TOP_KV2`, `Conv2DBackpropInput` is `CONV2D_BACKPROP_INPUT`.
    fn constant(&self) -> String {
        let name = self.name.as_bytes();
        let mut constant = String::new();
        for (i, &byte) in name.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| name[i]);
            let after = name.get(i + 1);
            let starts_word = before.is_some_and(|b| b.is_ascii_lowercase())
                || (before.is_some_and(|b| b != b'_')
                    && after.is_some_and(|b| b.is_ascii_lowercase()));
            if byte.is_ascii_uppercase() && starts_word {
                constant.push('_');
            }
            constant.push(byte.to_ascii_uppercase() as char);
        }
        constant
    }
}

/// Splits an `OpList` into its definitions. Each is field 1 of the list, and starts with its name.
fn parse(list: &[u8]) -> Result<Vec<Op<'_>>> {
    let mut ops: Vec<Op<'_>> = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let (start, len) = field_one(list, at)?;
        let end = start + len;
        let (name_start, name_len) = field_one(list, start)?;
        ensure!(
            name_start == start + 2 && name_start + name_len <= end && end <= list.len(),
            "the definition at byte {at} does not start with a name under 128 bytes"
        );
        let name = std::str::from_utf8(&list[name_start..name_start + name_len])?;
        ensure!(
            ops.last().is_none_or(|before| before.name < name),
            "op {name} is out of alphabetical order"
        );
        ops.push(Op { start, end, name });
        at = end;
    }
    Ok(ops)
}

/// The start and length of the length-delimited field 1 whose tag is at `at`.
fn field_one(list: &[u8], at: usize) -> Result<(usize, usize)> {
    ensure!(list.get(at) == Some(&0x0a), "no field 1 at byte {at}");
    let mut len = 0;
    for (i, &byte) in list[at + 1..].iter().take(5).enumerate() {
        len |= usize::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok((at + 2 + i, len));
        }
    }
    bail!("bad length at byte {at}")
}

fn render(ops: &[Op<'_>], list_len: usize) -> Result<String> {
    let mut out = String::from(
        "//! The ids of the ops, and where their definitions lie in `op_list.pb`.\n\
         //!\n\
         //! Written by `cargo xtask codegen`; not to be edited.\n\n",
    );
    writeln!(out, "/// How many ops `op_list.pb` holds.")?;
    writeln!(out, "pub(crate) const LEN: usize = {};\n", ops.len())?;
    writeln!(out, "/// How long `op_list.pb` is.")?;
    writeln!(out, "pub(crate) const LIST_LEN: usize = {list_len};\n")?;

    writeln!(
        out,
        "/// Where each definition starts and how long it is, by id."
    )?;
    let spans = ops
        .iter()
        .map(|op| format!("({}, {})", op.start, op.end - op.start));
    array(&mut out, "SPANS: [(u32, u16); LEN]", spans)?;
    ensure!(
        ops.iter()
            .all(|op| op.end - op.start <= usize::from(u16::MAX)),
        "a huge op"
    );

    writeln!(
        out,
        "/// Open-addressed by the top bits of the name's hash: id + 1 (0: empty) and, above it, the hash's low\n\
         /// 16 bits."
    )?;
    let table = table(ops).into_iter().map(|entry| entry.to_string());
    array(&mut out, &format!("TABLE: [u32; 1 << {TABLE_BITS}]"), table)?;

    writeln!(out, "/// One constant for each op of TensorFlow 2.21.")?;
    writeln!(out, "pub mod ops {{\n    use crate::OpId;\n")?;
    let mut seen = std::collections::BTreeSet::new();
    for (id, op) in ops.iter().enumerate() {
        let constant = op.constant();
        writeln!(out, "    /// `{}`.", op.name)?;
        writeln!(out, "    pub const {constant}: OpId = OpId::new({id});")?;
        ensure!(
            seen.insert(constant.clone()),
            "two ops would be named {constant}"
        );
    }
    writeln!(out, "}}")?;
    Ok(out)
}

fn table(ops: &[Op<'_>]) -> Vec<u32> {
    let mask = (1 << TABLE_BITS) - 1;
    let mut table = vec![0; 1 << TABLE_BITS];
    for (id, op) in ops.iter().enumerate() {
        let hash = name_hash(op.name.as_bytes());
        let mut slot = (hash >> (64 - TABLE_BITS)) as usize;
        while table[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        table[slot] = (hash as u32) << 16 | (id as u32 + 1);
    }
    table
}

/// A static array, packed into lines of at most 100 columns.
fn array(out: &mut String, head: &str, items: impl Iterator<Item = String>) -> Result<()> {
    writeln!(out, "#[rustfmt::skip]\npub(crate) static {head} = [")?;
    let mut line = String::from("   ");
    for item in items {
        if line.len() + item.len() + 2 > 100 {
            writeln!(out, "{line}")?;
            line.truncate(3);
        }
        write!(line, " {item},")?;
    }
    writeln!(out, "{line}\n];\n")?;
    Ok(())
}
