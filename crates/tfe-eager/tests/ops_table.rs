//! `docs/ops.md`, the table of ops with kernels, is what the declarations of the kernels say.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tfe_core::{DTypeSet, DataType};
use tfe_device::KernelDef;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ops.md");

/// The page, from the declarations.
fn page() -> String {
    let mut ops: BTreeMap<&str, Vec<&KernelDef>> = BTreeMap::new();
    let registry = tfe_ops::OpRegistry::new();
    for kernel in tfe_kernels::all() {
        let spec = registry.spec(kernel.op).expect("an op of the table");
        ops.entry(spec.name()).or_default().push(kernel);
    }
    let mut page = format!(
        "# Ops\n\nThe {} of TensorFlow's {} ops that have kernels, with the device and the data types of their type attributes.\n\
         An attribute that is not listed may be any type; any op may be named by a function, and fails only when it is executed.\n\n\
         <!-- Written by `TFE_WRITE_DOCS=1 cargo test -p tfe-eager --test ops_table`. Do not edit. -->\n\n\
         | op | device | types |\n|---|---|---|\n",
        ops.len(),
        registry.len()
    );
    for (name, kernels) in &ops {
        // One line a device and set of attributes: kernels of one op that differ in types alone are one to a reader.
        let mut rows: BTreeMap<(&str, Vec<&str>), Vec<DTypeSet>> = BTreeMap::new();
        for kernel in kernels {
            let attrs = kernel
                .types
                .iter()
                .map(|(attr, _)| *attr)
                .collect::<Vec<_>>();
            let sets = rows.entry((kernel.device, attrs)).or_default();
            sets.resize(kernel.types.len(), DTypeSet::NONE);
            for (set, (_, more)) in sets.iter_mut().zip(kernel.types) {
                *set = set.union(*more);
            }
        }
        for ((device, attrs), sets) in rows {
            let types = attrs
                .iter()
                .zip(sets)
                .map(|(attr, set)| {
                    let names: Vec<_> = set.iter().map(DataType::name).collect();
                    format!("{attr}: {}", names.join(", "))
                })
                .collect::<Vec<_>>()
                .join("; ");
            let types = if types.is_empty() { "any" } else { &types };
            writeln!(page, "| {name} | {device} | {types} |").expect("a string");
        }
    }
    page
}

#[test]
fn the_table_of_ops_is_up_to_date() {
    let page = page();
    if std::env::var_os("TFE_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, &page).expect("docs/ops.md can be written");
    }
    let written = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        written == page,
        "docs/ops.md is not what the kernels declare; run `TFE_WRITE_DOCS=1 cargo test -p tfe-eager --test ops_table`"
    );
}
