//! Whether two definitions of a function are the same to TensorFlow.

use std::collections::BTreeMap;

use tfe_proto::tensorflow::{AttrValue, FunctionDef, NodeDef};

/// Whether a function may be added again with this definition.
///
/// The order of nodes and of control inputs, internal attributes of nodes, and what is known of single arguments do not
/// count; all else does, descriptions included.
pub(crate) fn same_definition(a: &FunctionDef, b: &FunctionDef) -> bool {
    a.signature == b.signature
        && a.attr == b.attr
        && a.ret == b.ret
        && a.control_ret == b.control_ret
        && same_nodes(&a.node_def, &b.node_def)
}

fn same_nodes(a: &[NodeDef], b: &[NodeDef]) -> bool {
    let by_name: BTreeMap<&str, &NodeDef> = a.iter().map(|n| (&*n.name, n)).collect();
    a.len() == b.len()
        && by_name.len() == a.len()
        && b.iter()
            .all(|n| by_name.get(&*n.name).is_some_and(|m| same_node(m, n)))
        || a == b
}

fn same_node(a: &NodeDef, b: &NodeDef) -> bool {
    let attrs = |n: &'_ NodeDef| -> Vec<(String, AttrValue)> {
        let external = n.attr.iter().filter(|(name, _)| !name.starts_with('_'));
        external.map(|(n, v)| (n.clone(), v.clone())).collect()
    };
    a.op == b.op && a.device == b.device && inputs(a) == inputs(b) && attrs(a) == attrs(b)
}

/// Data inputs in order, then control inputs sorted.
fn inputs(node: &NodeDef) -> (Vec<&str>, Vec<&str>) {
    let (mut control, data): (Vec<&str>, Vec<&str>) = node
        .input
        .iter()
        .map(|i| &**i)
        .partition(|i| i.starts_with('^'));
    control.sort_unstable();
    (data, control)
}

#[cfg(test)]
mod tests {
    use tfe_core::DataType;

    use super::*;
    use crate::FunctionBuilder;

    #[test]
    fn what_counts_is_what_counts_in_tensorflow() {
        let t = [("T", DataType::Float.into())];
        let base = FunctionBuilder::new("Fn")
            .input("a", DataType::Float)
            .node("x", "Neg", &["a"], &t)
            .node("y", "Neg", &["a"], &t)
            .node("z", "Neg", &["a", "^x", "^y"], &t)
            .output("m", DataType::Float, "z:y:0")
            .build()
            .expect("a definition");
        let check = |same: bool, change: &dyn Fn(&mut FunctionDef)| {
            let mut other = base.clone();
            change(&mut other);
            assert_eq!(same_definition(&base, &other), same);
            assert_eq!(same_definition(&other, &base), same);
        };
        let int = |i| AttrValue {
            value: Some(tfe_proto::tensorflow::attr_value::Value::I(i)),
        };
        check(true, &|_| {});
        check(true, &|f| f.node_def.swap(0, 1));
        check(true, &|f| f.node_def[2].input.swap(1, 2));
        check(true, &|f| {
            f.node_def[0].attr.insert("_hint".into(), int(1));
        });
        check(true, &|f| {
            f.resource_arg_unique_id.insert(0, 3);
        });
        check(false, &|f| {
            f.node_def[0].attr.insert("hint".into(), int(1));
        });
        check(false, &|f| {
            f.attr.insert("_hint".into(), int(1));
        });
        check(false, &|f| f.node_def[0].device = "/cpu:0".into());
        check(false, &|f| {
            f.control_ret.insert("c".into(), "x".into());
        });
        check(false, &|f| {
            if let Some(s) = &mut f.signature {
                s.description = "words".into();
            }
        });
        check(false, &|f| f.node_def.truncate(2));
    }
}
