//! `--json`: the form that is promised, and that nothing is lost in it.

use serde_json::{Value, json};

use crate::printed;

fn outputs(args: &[&str]) -> Vec<Value> {
    let mut args = args.to_vec();
    args.push("--json");
    let printed = printed(&args);
    assert_eq!(printed.lines().count(), 1, "{printed}");
    let mut value: Value = serde_json::from_str(&printed).expect("JSON");
    serde_json::from_value(value["outputs"].take()).expect("a list")
}

#[test]
fn results_have_name_type_shape_device_and_values() {
    assert_eq!(
        outputs(&["exec", "TopKV2", "[3.5, 9, 5]", "2"]),
        [
            json!({"name": "values", "dtype": "float32", "shape": [2],
                   "device": "/job:localhost/replica:0/task:0/device:CPU:0", "values": [9.0, 5.0]}),
            json!({"name": "indices", "dtype": "int32", "shape": [2],
                   "device": "/job:localhost/replica:0/task:0/device:CPU:0", "values": [1, 2]}),
        ]
    );
    assert_eq!(outputs(&["exec", "NoOp"]), Vec::<Value>::new());
    assert_eq!(
        outputs(&["exec", "Identity", "float32[0,2]:"])[0]["shape"],
        json!([0, 2])
    );
}

/// A literal of what a result says.
fn literal(output: &Value) -> String {
    let number = |v: &Value| match v {
        Value::String(text) => text.replace("Infinity", "inf"),
        other => other.to_string(),
    };
    let scalar = |v: &Value| match v {
        Value::Array(pair) => {
            let im = number(&pair[1]);
            let sign = if im.starts_with('-') { "" } else { "+" };
            format!("{}{sign}{im}i", number(&pair[0]))
        }
        Value::Object(bytes) => {
            let bytes = bytes["b64"].as_str().expect("base64");
            let bytes = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, bytes);
            let bytes: String = bytes
                .expect("base64")
                .iter()
                .map(|b| format!("\\x{b:02x}"))
                .collect();
            format!("\"{bytes}\"")
        }
        Value::String(text) if output["dtype"] == "string" => json!(text).to_string(),
        other => number(other),
    };
    let values: Vec<String> = output["values"]
        .as_array()
        .expect("a list")
        .iter()
        .map(scalar)
        .collect();
    format!(
        "{}{}: [{}]",
        output["dtype"].as_str().expect("a name"),
        output["shape"],
        values.join(", ")
    )
}

#[test]
fn values_come_back_exactly() {
    for (given, wanted) in [
        (
            "float32:[0.1, nan, inf, -inf, -0.0, 1e-45]",
            json!([0.1, "NaN", "Infinity", "-Infinity", -0.0, 1e-45]),
        ),
        (
            "float64:[0.1, 1.7976931348623157e308]",
            json!([0.1, 1.7976931348623157e308]),
        ),
        ("float16:[0.1, 65504]", json!([0.099975586, 65504.0])),
        ("bfloat16:[0.1, 100000]", json!([0.100097656, 99840.0])),
        (
            "int64:[9007199254740992, 9007199254740993, -9223372036854775808]",
            json!([
                9007199254740992i64,
                "9007199254740993",
                "-9223372036854775808"
            ]),
        ),
        (
            "uint64:[18446744073709551615]",
            json!(["18446744073709551615"]),
        ),
        (
            "complex64:[1.5-nani, inf]",
            json!([[1.5, "NaN"], ["Infinity", 0.0]]),
        ),
        ("bool:[true, false]", json!([true, false])),
        (
            r#"string:["é", "\"", "\xff\x00", ""]"#,
            json!(["é", "\"", {"b64": "/wA="}, ""]),
        ),
        ("int8:[-128, 127]", json!([-128, 127])),
        ("qint32:[-1]", json!([-1])),
        ("float32:[]", json!([])),
    ] {
        let first = &outputs(&["exec", "Identity", given])[0];
        assert_eq!(first["values"], wanted, "{given}");
        let again = &outputs(&["exec", "Identity", &literal(first)])[0];
        assert_eq!(again, first, "{given}");
    }
    // As texts they are told apart: -0.0 from 0.0, 0.1 from what a float of it is as a double.
    let line = printed(&["exec", "Identity", "[-0.0, 0.1]", "--json"]);
    assert!(line.contains("\"values\":[-0.0,0.1]"), "{line}");
}

#[test]
fn what_has_no_value_is_null() {
    let handle = &outputs(&["exec", "VarHandleOp", "dtype=float", "shape=[]"])[0];
    assert_eq!(handle["dtype"], "resource");
    assert_eq!(handle["values"], json!([null]));
}
