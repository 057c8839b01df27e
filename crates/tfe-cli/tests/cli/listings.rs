//! `tfe ops` and `tfe devices`.

use serde_json::{Value, json};

use crate::printed;

fn parsed(args: &[&str]) -> Value {
    serde_json::from_str(&printed(args)).expect("JSON")
}

#[test]
fn the_ops_with_kernels_are_listed() {
    let list = printed(&["ops"]);
    let (count, names) = list.lines().collect::<Vec<_>>().split_last().map_or_else(
        || (String::new(), Vec::new()),
        |(last, rest)| {
            (
                (*last).to_owned(),
                rest.iter().map(|s| (*s).to_owned()).collect(),
            )
        },
    );
    assert_eq!(count, format!("{} of 1799 ops have kernels", names.len()));
    assert!(names.is_sorted() && names.iter().any(|n| n == "MatMul"));
    // Known, and without a kernel anywhere but on other machines.
    assert!(!names.iter().any(|n| n == "TPUReplicateMetadata"));
    let json = parsed(&["ops", "--json"]);
    assert_eq!(json["ops"].as_array().map(Vec::len), Some(names.len()));
    assert_eq!(json["known"], 1799);
}

#[test]
fn ops_are_listed_by_part_and_pattern() {
    let some = printed(&["ops", "matmul"]);
    let lines: Vec<&str> = some.lines().collect();
    assert!(
        lines.contains(&"MatMul") && lines.contains(&"BatchMatMulV2"),
        "{some}"
    );
    assert!(!lines.contains(&"Relu"), "{some}");
    let count = format!("{} ops that have kernels match", lines.len() - 1);
    assert_eq!(lines.last(), Some(&&*count));
    let relu = printed(&["ops", "Relu?"]);
    assert_eq!(relu, "Relu6\n1 op that has kernels matches\n");
    let json = parsed(&["ops", "Relu*Grad", "--json"]);
    assert_eq!(json["ops"], json!(["Relu6Grad", "ReluGrad"]));
}

#[test]
fn an_op_is_shown_with_all_that_is_known() {
    let shown = printed(&["ops", "MatMul"]);
    let mut lines = shown.lines();
    assert_eq!(lines.next(), Some("MatMul(a: T, b: T) -> product: T"));
    assert_eq!(lines.next(), Some("attributes"));
    assert_eq!(lines.next(), Some("  transpose_a: bool = false"));
    assert!(shown.contains("\n  T: type in "), "{shown}");
    let kernel = shown
        .lines()
        .find(|l| l.starts_with("  CPU  T: "))
        .expect("a kernel");
    assert!(
        kernel.contains("float32") && !kernel.contains("string"),
        "{kernel}"
    );
    let concat = printed(&["ops", "ConcatV2"]);
    assert!(
        concat.starts_with("ConcatV2(values: N*T, axis: Tidx) -> output: T\n"),
        "{concat}"
    );
    assert!(concat.contains("\n  N: int >= 2\n"), "{concat}");
    assert!(
        concat.contains("\n  Tidx: type = int32 in int32, int64\n"),
        "{concat}"
    );
    let conv = printed(&["ops", "Conv2D"]);
    assert!(
        conv.contains("\n  padding: string in \"SAME\", \"VALID\", \"EXPLICIT\"\n"),
        "{conv}"
    );
    let variable = printed(&["ops", "VarHandleOp"]);
    assert!(
        variable.contains("\n  has state or effects\n"),
        "{variable}"
    );
    assert!(printed(&["ops", "TPUReplicateMetadata"]).ends_with("no kernels\n"));
}

#[test]
fn programs_are_told_the_same() {
    let op = parsed(&["ops", "LeakyRelu", "--json"]);
    assert_eq!(op["name"], "LeakyRelu");
    assert_eq!(op["inputs"], json!([{"name": "features", "type": "T"}]));
    assert_eq!(
        op["attributes"][0],
        json!({"name": "alpha", "type": "float", "default": "0.2", "minimum": null, "allowed": null})
    );
    assert_eq!(op["kernels"][0]["device"], "CPU");
    assert_eq!(op["stateful"], false);
}

#[test]
fn devices_are_listed() {
    let name = "/job:localhost/replica:0/task:0/device:CPU:0";
    assert_eq!(printed(&["devices"]), format!("{name}  CPU\n"));
    assert_eq!(
        parsed(&["devices", "--json"]),
        json!({"devices": [{"name": name, "type": "CPU"}]})
    );
}
