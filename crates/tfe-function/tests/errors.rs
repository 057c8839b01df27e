//! What is wrong with functions, in TensorFlow's codes and words. Recorded from TensorFlow 2.21, unless a comment says
//! that it does worse.

mod common;

use common::{T, World, matrix, node, text};
use tfe_core::Code;

/// The error of a function with those nodes; its message starts with `message`.
fn check(nodes: &str, ret: &str, code: Code, message: &str) {
    let e = World::new().error(&text("Fn", nodes, ret));
    assert_eq!(e.code(), code, "{e}");
    // Where TensorFlow's words say little, a plain sentence comes before them.
    let said = e.message();
    let found = said.starts_with(message) || said.contains(&format!("\n{message}"));
    assert!(found, "{e}\nwanted: {message}");
}

use Code::{InvalidArgument as Invalid, NotFound};

#[test]
fn nodes_that_do_not_fit() {
    let neg = |inputs: &[&str]| node("x", "Neg", inputs, &[T]);
    check(
        &node("x", "NoSuchOp", &["a"], &[T]),
        "x:y:0",
        NotFound,
        "Op type not registered 'NoSuchOp' in binary running on ",
    );
    let e = World::new().error(&text("Fn", &node("x", "Ngg", &["a"], &[T]), "x:y:0"));
    assert!(!e.message().contains("Did you mean"), "{e}");
    let e = World::new().error(&text("Fn", &node("x", "Reluu", &["a"], &[T]), "x:y:0"));
    assert!(e.message().contains(" Did you mean 'Relu' or "), "{e}");
    check(
        &neg(&["a"]),
        "",
        Invalid,
        "Return m missing.\n\tIn function output m:float",
    );
    check(
        &neg(&["a"]),
        "q:y:0",
        Invalid,
        "Return m -> q:y:0 is not found.\n\tIn function output m:float",
    );
    for ret in [
        "matmul:0",
        "matmul",
        "matmul:nope:0",
        "matmul:product:1",
        "nonode:product:0",
    ] {
        let matmul = node("matmul", "MatMul", &["a", "a"], &[T]);
        let message = format!("Return m -> {ret} is not found.\n\tIn function output m:float");
        check(&matmul, ret, Invalid, &message);
    }
    check(
        &neg(&["zz"]),
        "x:y:0",
        Invalid,
        "input zz is not found: {{node x}}\n\tIn {{node x}}",
    );
    check(
        &neg(&["a:1"]),
        "x:y:0",
        Invalid,
        "input a:1 is not found: {{node x}}\n\tIn {{node x}}",
    );
    check(&neg(&["x:y:0"]), "x:y:0", Invalid, "2 nodes in a cycle");
    check(
        &node("x", "Neg", &["a"], &[]),
        "x:y:0",
        NotFound,
        "type attr not found: T\n\tIn {{node x}}",
    );
    check(
        &node("x", "MatMul", &["a"], &[T]),
        "x:product:0",
        Invalid,
        "Attempt to access beyond input size: 1 >= 1\n\tIn {{node x}}",
    );
    check(
        &neg(&["a", "a"]),
        "x:y:0",
        Invalid,
        "Expected input[1] == 'a' to be a control input.\n\tIn {{node x}}",
    );
    check(
        &(neg(&["a"]) + &neg(&["a"])),
        "x:y:0",
        Invalid,
        "Duplicated ret name: x:y\n\tIn {{node x}}",
    );
    check(
        &node("x", "Shape", &["a"], &[T]),
        "x:output:0",
        Invalid,
        "Invalid ret types m : float vs. int32\n\tIn function output m:float",
    );
    check(
        &node("x", "Neg", &["a"], &[("T", "type: DT_INT32")]),
        "x:y:0",
        Invalid,
        "input x[0] expected type int32 != float, the type of a[0]\n\tIn {{node x}}",
    );
    check(
        &node("x", "Neg", &["a"], &[("T", "i: 1")]),
        "x:y:0",
        Invalid,
        "input x[0] expected type INVALID != float, the type of a[0]\n\tIn {{node x}}",
    );
    check(
        &node("q", "NoOp", &[], &[]),
        "q",
        Invalid,
        "Invalid ret types m : float vs. \n\tIn function output m:float",
    );
}

#[test]
fn cycles_are_counted_as_tensorflow_counts_them() {
    let chain = |links: &[(&str, &[&str])]| -> String {
        links
            .iter()
            .map(|(name, inputs)| node(name, "Neg", inputs, &[T]))
            .collect()
    };
    let unused: &[(&str, &[&str])] = &[
        ("p", &["a"]),
        ("q", &["s:y"]),
        ("r", &["q:y"]),
        ("s", &["r:y"]),
    ];
    check(&chain(unused), "p:y", Invalid, "3 nodes in a cycle");
    let followed: &[(&str, &[&str])] = &[
        ("q", &["s:y"]),
        ("s", &["q:y"]),
        ("t", &["s:y"]),
        ("t2", &["t:y"]),
    ];
    check(&chain(followed), "t:y", Invalid, "5 nodes in a cycle");
    let control: &[(&str, &[&str])] = &[("q", &["a", "^t"]), ("t", &["q:y"])];
    check(&chain(control), "t:y", Invalid, "3 nodes in a cycle");
}

#[test]
fn control_inputs_that_do_not_fit() {
    let x = node("x", "Neg", &["a"], &[T]);
    let z = |inputs: &[&str]| format!("{x}{}", node("z", "Neg", inputs, &[T]));
    for (inputs, message) in [
        (
            ["x:y", "^nn"],
            "input[1] == '^nn', is not found.\n\tIn {{node z}}",
        ),
        (
            ["x:y", "^"],
            "input[1] == '^', is not found.\n\tIn {{node z}}",
        ),
        (
            ["^x", "x:y"],
            "input ^x is not found: {{node z}}\n\tIn {{node z}}",
        ),
    ] {
        check(&z(&inputs), "z:y:0", Invalid, message);
    }
}

#[test]
fn names_that_cannot_be() {
    check(
        &node("a", "Neg", &["a"], &[T]),
        "a:y:0",
        Invalid,
        "Node 'a' is not unique",
    );
    for bad in ["x y:z", "-x", "", "x>", "x>_y", "x\\\\y", "é"] {
        let message = format!("Node '{bad}': Node name contains invalid characters");
        let message = message.replace("\\\\", "\\");
        check(&node(bad, "Neg", &["a"], &[T]), "a", Invalid, &message);
    }
    // Arguments and results are nodes too.
    let around = |arg: &str, result: &str| {
        let world = World::new();
        let function = world.add(&format!(
            "signature {{ name: 'Fn' input_arg {{ name: '{arg}' type: DT_FLOAT }}
             output_arg {{ name: '{result}' type: DT_FLOAT }} }} ret {{ key: '{result}' value: '{arg}' }}"
        ));
        world
            .call(&function.expect("a function"), &[matrix()])
            .map_err(|e| {
                assert_eq!(e.code(), Invalid, "{e}");
                e.message().to_owned()
            })
    };
    for good in ["a", "1", "_a", ".", "a-b/c.d", "A>b>c"] {
        around(good, good).expect(good);
    }
    around("a", "").expect("TensorFlow asks no more");
    for bad in ["a b", "a ", " ", "-a", "a>", "a$"] {
        let said = |name: &str| format!("Node '{name}': Node name contains invalid characters");
        assert_eq!(around(bad, "m").expect_err(bad), said(bad));
        let result = format!("{bad}_RetVal");
        assert_eq!(around("a", bad).expect_err(bad), said(&result));
    }
    let twice = "signature { name: 'Fn' input_arg { name: 'a' type: DT_FLOAT } input_arg { name: 'a' type: DT_FLOAT } }";
    let e = World::new().error(twice);
    assert_eq!(
        (e.code(), e.message()),
        (Invalid, "Duplicated arg name: a\n\tIn a:float")
    );
}

#[test]
fn attributes_that_do_not_fit() {
    check(
        &node("x", "Neg", &["a"], &[("T", "placeholder: 'U'")]),
        "x:y:0",
        Invalid,
        "Failed to bind all placeholders in $U",
    );
    check(
        &(node("s", "AsString", &["a"], &[T])
            + &node("u", "Neg", &["s:output"], &[("T", "type: DT_STRING")])),
        "a",
        Invalid,
        "{{function_node Fn}} Value for attr 'T' of string is not in the list of allowed values: bfloat16, half, float",
    );
    check(
        &node("x", "MatMul", &["a", "a"], &[T, ("transpose_a", "i: 1")]),
        "x:product:0",
        Invalid,
        "{{function_node Fn}} AttrValue had value with type 'int' when 'bool' expected\n\t for attr 'transpose_a'",
    );
    check(
        &node(
            "x",
            "Conv2D",
            &["a", "a"],
            &[T, ("strides", "list { i: 1 i: 1 i: 1 i: 1 }")],
        ),
        "x:output:0",
        Invalid,
        "NodeDef missing attr 'padding' from Op<name=Conv2D;",
    );
    // TensorFlow dies of this one.
    check(
        &node("x", "AddN", &["a"], &[T, ("N", "i: -1")]),
        "x:sum:0",
        Invalid,
        "Value for attr 'N' of -1 must be at least",
    );
    let no_value = "signature { name: 'Fn' attr { name: 'T' type: 'type' } }";
    let e = World::new().error(no_value);
    assert_eq!(
        (e.code(), e.message()),
        (
            NotFound,
            "Attr T is not found from Op<name=Fn; signature= -> ; attr=T:type>"
        )
    );
    let typed = "signature { name: 'Fn' attr { name: 'K' type: 'int' default_value { i: 3 } } }";
    let world = World::new();
    let function = world.add(typed).expect("a function").with("K", true);
    let e = world.call(&function, &[]).expect_err("a bool for an int");
    assert_eq!(
        e.message(),
        "AttrValue had value with type 'bool' when 'int' expected\n\t for attr 'K'"
    );
}

#[test]
fn ops_without_a_kernel() {
    let inputs = node(
        "k",
        "Const",
        &[],
        &[
            ("dtype", "type: DT_INT32"),
            (
                "value",
                "tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 }",
            ),
        ],
    ) + &node(
        "x",
        "CudnnRNNParamsSize",
        &["k:output"; 3],
        &[T, ("S", "type: DT_INT32")],
    ) + &node(
        "y",
        "Cast",
        &["x:params_size"],
        &[("SrcT", "type: DT_INT32"), ("DstT", "type: DT_FLOAT")],
    );
    check(
        &inputs,
        "y:y",
        Invalid,
        "there is no kernel for CudnnRNNParamsSize here: it cannot be run\n",
    );
    check(
        &inputs,
        "y:y",
        Invalid,
        "No OpKernel was registered to support Op 'CudnnRNNParamsSize' used by {{node x}} with these attrs: [",
    );
    // Nothing needs it: TensorFlow complains all the same, we need not.
    let world = World::new();
    let function = world.add(&text("Fn", &inputs, "a")).expect("a function");
    assert_eq!(world.call(&function, &[matrix()]).expect("runs").len(), 1);
}

#[test]
fn devices_that_are_not_there() {
    let on = |device: &str| {
        let node = node("x", "Neg", &["a"], &[T]);
        node.replace("op:", &format!("device: '{device}' op:"))
    };
    check(
        &on("/device:GPU:0"),
        "x:y:0",
        Invalid,
        "Unable to find any devices for spec /device:GPU:0",
    );
    check(
        &on("hello world"),
        "x:y:0",
        Invalid,
        "Failed to parse explicit device specification hello world",
    );
    let world = World::new();
    for (i, spelling) in [
        "/cpu:0",
        "CPU:0",
        "/device:CPU:*",
        "/job:localhost/replica:0/task:0/device:CPU:0",
    ]
    .iter()
    .enumerate()
    {
        let name = format!("Fn{i}");
        let function = world
            .add(&text(&name, &on(spelling), "x:y:0"))
            .expect("a function");
        world.call(&function, &[matrix()]).expect(spelling);
    }
}

#[test]
fn functions_that_cannot_be_added() {
    let world = World::new();
    let add = |text: &str| world.add(text).expect_err("not to be added");
    let e = world
        .library
        .add_bytes(b"\xff\xfe\xfd")
        .expect_err("garbage");
    assert_eq!(
        (e.code(), e.message()),
        (Invalid, "Invalid FunctionDef proto")
    );
    // TensorFlow takes no bytes at all for a function without a name.
    world.library.add_bytes(b"").expect("empty");
    let e = add("signature { name: 'MatMul' }");
    assert_eq!(e.code(), Invalid);
    assert_eq!(
        e.message(),
        "Cannot add function 'MatMul' because an op with the same name already exists."
    );
    world
        .add("signature { name: '9 bad name' }")
        .expect("any name will do");
    world.add("signature { name: 'Fn' }").expect("new");
    world.add("signature { name: 'Fn' }").expect("the same");
    let e = add("signature { name: 'Fn' description: 'words' }");
    assert_eq!(e.code(), Invalid);
    assert!(e.message().starts_with(
        "Attempting to add a duplicate function with name: Fn where the previous and current definitions differ."
    ));
    let e = world.library.remove("Nope").expect_err("never there");
    assert_eq!(
        (e.code(), e.message()),
        (Invalid, "Tried to remove non-existent function 'Nope'.")
    );
    // TensorFlow takes these and complains when they are called.
    assert_eq!(
        add("signature { name: 'Q' input_arg { name: 'a' type_attr: 'Q' } }").code(),
        Invalid
    );
    assert_eq!(
        add("signature { name: 'Q' input_arg { name: 'a' } }").code(),
        Invalid
    );
}
