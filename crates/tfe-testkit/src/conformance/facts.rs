//! What TensorFlow itself has kernels for, as recorded.

use std::collections::BTreeMap;

use tfe_core::{DTypeSet, DataType};
use tfe_device::KernelRegistry;
use tfe_ops::OpRegistry;

use super::{Suite, allowed, combinations, declared_by, id, suites};

/// The sets of data types that an op's CPU kernels take, by attribute; what is not there may be any.
type Types = BTreeMap<&'static str, DTypeSet>;

fn facts() -> BTreeMap<&'static str, Types> {
    let lines = include_str!("../../facts/kernels_cpu.tsv").lines();
    let parse = |line: &'static str| {
        let (op, types) = line.split_once('\t').unwrap_or((line, ""));
        let types = types.split(';').filter_map(|t| t.split_once('='));
        (op, types.map(|(attr, names)| (attr, set(names))).collect())
    };
    lines.map(parse).collect()
}

fn set(names: &str) -> DTypeSet {
    let dtype = |name| DataType::from_name(name).unwrap_or_else(|| panic!("no data type '{name}'"));
    names.split('|').map(dtype).collect()
}

/// What TensorFlow has a CPU kernel for.
pub fn declared_by_tensorflow() -> impl Fn(&Suite, &[DataType]) -> bool {
    let facts = facts();
    move |suite, types| {
        facts.get(suite.op).is_some_and(|sets| {
            suite
                .types
                .iter()
                .zip(types)
                .all(|(name, &dtype)| sets.get(name).is_none_or(|set| set.contains(dtype)))
        })
    }
}

/// Where a registry has a CPU kernel and TensorFlow does not, or the other way round: a line each.
pub fn facts_differ(kernels: &KernelRegistry) -> Vec<String> {
    let (ours, theirs) = (declared_by(kernels, "CPU"), declared_by_tensorflow());
    let (ops, mut lines) = (OpRegistry::new(), Vec::new());
    for suite in suites() {
        let all = combinations(suite.types.len(), DTypeSet::ANY);
        for types in all.iter().filter(|types| allowed(&ops, &suite, types)) {
            match (ours(&suite, types), theirs(&suite, types)) {
                (true, false) => {
                    lines.push(format!("{}: TensorFlow has no kernel", id(&suite, types)))
                }
                (false, true) => lines.push(format!("{}: there is no kernel", id(&suite, types))),
                _ => {}
            }
        }
    }
    lines
}
