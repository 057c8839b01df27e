//! What is inferred, what is refused and how it is said: the cases that were recorded from TensorFlow.

use std::sync::Arc;

use tfe_core::{Code, PartialShape, Tensor};
use tfe_ops::{FuncAttr, OpId, OpSpec, ops};
use tfe_proto::tensorflow as pb;
use tfe_proto::tensorflow::op_def::{ArgDef, AttrDef};

use super::*;

const FLOAT: DataType = DataType::Float;

fn builder(op: OpId) -> AttrBuilder<'static> {
    AttrBuilder::new(op.spec())
}

/// A builder with inputs added one by one.
fn with_inputs(op: OpId, inputs: &[DataType]) -> AttrBuilder<'static> {
    let mut builder = builder(op);
    for &dtype in inputs {
        builder.add_input(dtype).expect("an input");
    }
    builder
}

#[track_caller]
fn refused(builder: &AttrBuilder<'_>, code: Code, message: &str) {
    let e = builder.finish().expect_err(message);
    assert_eq!(e.code(), code, "{e}");
    // Where TensorFlow's words say little, a plain sentence comes before them.
    let said = e.message();
    let plain = said.lines().count() > 1 && said.contains(&format!("\n{message}"));
    assert!(said.starts_with(message) || plain, "{e}");
}

#[test]
fn messages_begin_with_what_is_wrong() {
    #[track_caller]
    fn check(builder: &AttrBuilder<'_>, plain: &str) {
        let e = builder.finish().expect_err(plain);
        assert_eq!(e.message().lines().next(), Some(plain));
    }
    check(
        &builder(ops::MAT_MUL),
        "MatMul has no value for attribute 'T', which follows from input 'a': add the inputs, or set it",
    );
    check(
        &with_inputs(ops::ADD_N, &[FLOAT, FLOAT]),
        "AddN has no value for attribute 'T', which follows from the list 'inputs': add the inputs, the list as one, or \
         set it",
    );
    check(
        &with_inputs(ops::CAST, &[FLOAT]),
        "Cast has no value for attribute 'DstT', which has no default: set it",
    );
    check(
        &builder(ops::VAR_HANDLE_OP),
        "VarHandleOp has no value for attribute 'dtype', which has no default: set it",
    );
    check(
        &with_inputs(ops::MAT_MUL, &[FLOAT]),
        "MatMul takes 2 inputs, and has 1",
    );
    check(
        &with_inputs(ops::NEG, &[FLOAT, FLOAT]),
        "Neg takes 1 input, and has 2",
    );
}

#[test]
fn types_follow_from_single_inputs() {
    let b = with_inputs(ops::MAT_MUL, &[FLOAT]);
    assert_eq!(b.value("T"), Some(&FLOAT.into()));
    assert!(b.is_set("T") && !b.is_set("transpose_a"));
    let attrs = with_inputs(ops::MAT_MUL, &[FLOAT, FLOAT])
        .finish()
        .expect("complete");
    assert_eq!(
        attrs.to_string(),
        "T=DT_FLOAT, grad_a=false, grad_b=false, transpose_a=false, transpose_b=false"
    );
    // A contradiction is the first input's to decide; whoever runs the kernel compares the rest.
    let attrs = with_inputs(ops::ADD_V2, &[DataType::Int32, FLOAT])
        .finish()
        .expect("complete");
    assert_eq!(
        attrs.input_dtypes(ops::ADD_V2.spec()).expect("types"),
        [DataType::Int32; 2]
    );
}

#[test]
fn the_first_value_holds() {
    // Before the inputs: they contradict and change nothing.
    let mut b = builder(ops::MAT_MUL);
    b.set("T", DataType::Double);
    b.add_input(FLOAT).expect("an input");
    assert_eq!(b.value("T"), Some(&DataType::Double.into()));
    // After the inputs: ignored.
    let mut b = with_inputs(ops::MAT_MUL, &[FLOAT, FLOAT]);
    let key = b.cache_key("");
    b.set("T", DataType::Double);
    assert_eq!(b.value("T"), Some(&FLOAT.into()));
    assert_eq!(b.cache_key(""), key);
    let mut b = builder(ops::MAT_MUL);
    b.set("transpose_a", true)
        .set("transpose_a", false)
        .set("x", 1i64)
        .set("x", 2i64);
    assert_eq!(b.value("transpose_a"), Some(&true.into()));
    assert_eq!(b.value("x"), Some(&1i64.into()));
}

#[test]
fn lists_give_their_number_and_types() {
    let mut b = builder(ops::ADD_N);
    b.add_input_list(&[FLOAT; 3]).expect("a list");
    let attrs = b.finish().expect("complete");
    assert_eq!(attrs.to_string(), "N=3, T=DT_FLOAT");
    assert_eq!(
        attrs.input_range(b.spec(), "inputs").expect("a range"),
        0..3
    );

    let mut b = builder(ops::IDENTITY_N);
    b.add_input_list(&[FLOAT, DataType::String])
        .expect("a list");
    let attrs = b.finish().expect("complete");
    assert_eq!(attrs.to_string(), "T=[DT_FLOAT, DT_STRING]");
    assert_eq!(
        attrs.output_dtypes(b.spec()).expect("types"),
        [FLOAT, DataType::String]
    );

    // A list, then a single input behind it.
    let mut b = builder(ops::CONCAT_V2);
    b.add_input_list(&[FLOAT; 2]).expect("a list");
    b.add_input(DataType::Int64).expect("an input");
    let attrs = b.finish().expect("complete");
    assert_eq!(attrs.to_string(), "N=2, T=DT_FLOAT, Tidx=DT_INT64");
    let spec = b.spec();
    let names: Vec<_> = attrs
        .flat_inputs(spec)
        .expect("flat")
        .into_iter()
        .map(|(n, _)| n)
        .collect();
    assert_eq!(names, ["values", "values", "axis"]);
    assert_eq!(attrs.input_range(spec, "axis").expect("there"), 2..3);

    // The number may contradict what was set before.
    let mut b = builder(ops::ADD_N);
    b.set("N", 2i64)
        .add_input_list(&[FLOAT; 3])
        .expect("a list");
    refused(
        &b,
        Code::InvalidArgument,
        "NodeDef expected inputs 'float, float' do not match 3 inputs specified; Op<name=AddN; ",
    );
    let e = with_inputs(ops::MAT_MUL, &[])
        .add_input_list(&[FLOAT; 2])
        .expect_err("no list");
    assert_eq!(e.message(), "Invalid input list definition");
    let mut none = builder(ops::NO_OP);
    assert!(none.add_input_list(&[FLOAT]).is_err());
    // An empty list has no type to give.
    let mut b = builder(ops::ADD_N);
    b.add_input_list(&[]).expect("a list");
    assert_eq!((b.value("N"), b.value("T")), (Some(&0i64.into()), None));
    b.set("T", FLOAT);
    refused(
        &b,
        Code::InvalidArgument,
        "Value for attr 'N' of 0 must be at least minimum 1",
    );
}

#[test]
fn single_elements_of_a_list_switch_inference_off() {
    refused(
        &with_inputs(ops::ADD_N, &[FLOAT, FLOAT]),
        Code::InvalidArgument,
        "OpKernel 'AddN' has constraint on attr 'T' not in NodeDef '[]'",
    );
    let mut b = with_inputs(ops::ADD_N, &[FLOAT, FLOAT]);
    b.set("N", 2i64);
    refused(
        &b,
        Code::InvalidArgument,
        "OpKernel 'AddN' has constraint on attr 'T' not in NodeDef '[N=2]'",
    );
    b.set("T", FLOAT);
    b.finish().expect("complete");
    let mut b = with_inputs(ops::ADD_N, &[FLOAT, FLOAT]);
    b.set("N", 3i64).set("T", FLOAT);
    refused(
        &b,
        Code::InvalidArgument,
        "NodeDef expected inputs 'float, float, float' do not match 2 inputs specified; Op<name=AddN; signature=\
         inputs:N*T -> sum:T; attr=N:int,min=1; ",
    );
    // What comes behind the list is not inferred either.
    let mut b = with_inputs(ops::CONCAT_V2, &[FLOAT, FLOAT, DataType::Int64]);
    b.add_input_list(&[FLOAT]).expect("not looked at");
    assert!(!b.is_set("T") && !b.is_set("N") && !b.is_set("Tidx"));
}

#[test]
fn inputs_too_few_and_too_many() {
    let suffix = "specified; Op<name=MatMul; signature=a:T, b:T -> product:T; \
                  attr=transpose_a:bool,default=false; ";
    for n in [1, 3] {
        refused(
            &with_inputs(ops::MAT_MUL, &[FLOAT; 3][..n]),
            Code::InvalidArgument,
            &format!("NodeDef expected inputs 'float, float' do not match {n} inputs {suffix}"),
        );
    }
    let mut b = builder(ops::MAT_MUL);
    b.set("T", FLOAT);
    refused(
        &b,
        Code::InvalidArgument,
        "NodeDef expected inputs 'float, float' do not match 0",
    );
    refused(
        &builder(ops::MAT_MUL),
        Code::InvalidArgument,
        "OpKernel 'MatMul' has constraint on attr 'T' not in NodeDef '[grad_a=false, grad_b=false, \
         transpose_a=false, transpose_b=false]'",
    );
    refused(
        &with_inputs(ops::NO_OP, &[FLOAT]),
        Code::InvalidArgument,
        "NodeDef expected inputs '' do not match 1 inputs specified; Op<name=NoOp; ",
    );
    // A length that nobody could have meant costs no memory.
    for n in [1 << 40, i64::MAX] {
        let mut b = builder(ops::ADD_N);
        b.set("T", FLOAT).set("N", n);
        refused(
            &b,
            Code::InvalidArgument,
            &format!("NodeDef expected inputs '{n} tensors'"),
        );
    }
    let mut b = builder(ops::SPLIT);
    b.set("num_split", i64::MAX).set("T", FLOAT).num_inputs(2);
    let attrs = b.finish().expect("complete");
    assert!(attrs.output_dtypes(b.spec()).is_err());
}

#[test]
fn missing_attributes() {
    let split = with_inputs(ops::SPLIT, &[DataType::Int32, FLOAT]);
    let text = "No attr named 'num_split' in NodeDef:\n\t [[{{node Split}}]]";
    refused(&split, Code::NotFound, text);
    assert_eq!(
        split.output_len("output").expect_err("missing").message(),
        text
    );
    refused(
        &with_inputs(ops::CAST, &[FLOAT]),
        Code::NotFound,
        "No attr named 'DstT' in NodeDef:\n\t [[{{node Cast}}]]",
    );
    refused(
        &with_inputs(ops::BITCAST, &[FLOAT]),
        Code::NotFound,
        "No attr named 'type' in NodeDef:\n\t [[{{node Bitcast}}]]",
    );
    let mut b = builder(ops::CONST);
    b.set("dtype", FLOAT);
    refused(
        &b,
        Code::InvalidArgument,
        "NodeDef missing attr 'value' from Op<name=Const; signature= -> output:dtype; attr=value:tensor; \
         attr=dtype:type>; NodeDef: {{node Const}}",
    );
    refused(
        &with_inputs(ops::RANDOM_UNIFORM, &[DataType::Int32]),
        Code::InvalidArgument,
        "OpKernel 'RandomUniform' has constraint on attr 'dtype' not in NodeDef '[T=DT_INT32, seed=0, seed2=0]'",
    );
    refused(
        &builder(ops::VAR_HANDLE_OP),
        Code::InvalidArgument,
        "NodeDef missing attrs 'dtype', 'shape' from Op<name=VarHandleOp; ",
    );
}

#[test]
fn values_that_are_not_allowed() {
    #[track_caller]
    fn check(mut b: AttrBuilder<'_>, name: &str, value: impl Into<AttrValue>, message: &str) {
        b.set(name, value);
        refused(&b, Code::InvalidArgument, message);
    }
    let matmul = || with_inputs(ops::MAT_MUL, &[FLOAT, FLOAT]);
    check(
        matmul(),
        "transpose_a",
        1i64,
        "AttrValue had value with type 'int' when 'bool' expected\n\t for attr 'transpose_a'\n\t; NodeDef: \
         {{node MatMul}}; Op<name=MatMul; ",
    );
    check(
        builder(ops::MAT_MUL),
        "T",
        AttrValue::Type(77),
        "AttrValue has invalid DataType enum: 77\n\t for attr 'T'\n\t; NodeDef: {{node MatMul}}; Op<name=MatMul; ",
    );
    check(
        builder(ops::MAT_MUL),
        "T",
        AttrValue::Type(101),
        "AttrValue must not have reference type value of float_ref",
    );
    check(
        builder(ops::MAT_MUL),
        "T",
        AttrValue::Type(0),
        "AttrValue has invalid DataType\n",
    );
    check(
        builder(ops::MAT_MUL),
        "T",
        "float",
        "AttrValue had value with type 'string' when 'type' expected",
    );
    check(
        builder(ops::MAT_MUL),
        "T",
        DataType::Bool,
        "Value for attr 'T' of bool is not in the list of allowed values: bfloat16, half, float, double, int32, \
         int64, uint8, uint16, uint32, uint64, complex64, complex128\n\t; NodeDef: {{node MatMul}}; Op<name=MatMul",
    );
    let squeeze = with_inputs(ops::SQUEEZE, &[FLOAT]);
    check(
        squeeze.clone(),
        "squeeze_dims",
        0i64,
        "AttrValue had value with type 'int' when 'list(int)' expected\n\t for attr 'squeeze_dims'",
    );
    check(
        squeeze,
        "squeeze_dims",
        [1.0f32],
        "AttrValue had value with type 'list(float)' when 'list(int)' expected",
    );
    check(
        with_inputs(ops::RESHAPE, &[FLOAT, FLOAT]),
        "unknown",
        1i64,
        "Value for attr 'Tshape' of float is not in the list of allowed values: int32, int64\n\t; NodeDef: \
         {{node Reshape}}; Op<name=Reshape; signature=tensor:T, shape:Tshape -> output:T; attr=T:type; \
         attr=Tshape:type,default=DT_INT32,allowed=[DT_INT32, DT_INT64]>",
    );
    check(
        with_inputs(ops::MIRROR_PAD, &[FLOAT, DataType::Int32]),
        "mode",
        "BOGUS",
        "Value for attr 'mode' of \"BOGUS\" is not in the list of allowed values: \"REFLECT\", \"SYMMETRIC\"\n\t; \
         NodeDef: ",
    );
    check(
        with_inputs(ops::SPLIT, &[DataType::Int32, FLOAT]),
        "num_split",
        0i64,
        "Value for attr 'num_split' of 0 must be at least minimum 1\n\t; NodeDef: {{node Split}}; Op<name=Split; ",
    );
    check(
        builder(ops::IDENTITY_N),
        "T",
        AttrValue::empty_list(),
        "Length for attr 'T' of 0 must be at least minimum 1",
    );
    let mut handle = builder(ops::VAR_HANDLE_OP);
    handle.set("dtype", FLOAT);
    check(
        handle.clone(),
        "shape",
        PartialShape::of(&[-2]),
        "Shape [-2] has dimensions with values below -1 (where -1 means unknown)",
    );
    check(
        handle,
        "shape",
        AttrValue::Placeholder("s".into()),
        "AttrValue had value with unexpected type 'placeholder'",
    );
}

#[test]
fn unknown_attributes_are_kept_aside() {
    let mut b = with_inputs(ops::MAT_MUL, &[FLOAT, FLOAT]);
    let key = b.cache_key("");
    b.set("bogus", 1i64);
    let with = b.cache_key("");
    assert!(with.lo != key.lo && with.hi != key.hi);
    assert_eq!(b.finish().expect("ignored").int("bogus").expect("kept"), 1);
    assert!(b.build_node_def().attr.contains_key("bogus"));
}

#[test]
fn lengths_of_arguments() {
    let mut b = builder(ops::SPLIT);
    b.set("num_split", 2i64);
    assert_eq!(b.output_len("output").expect("set"), 2);
    assert_eq!(b.input_len("value").expect("one"), 1);
    assert_eq!(
        b.input_len("nope").expect_err("none").message(),
        "Input 'nope' not found"
    );
    assert_eq!(
        b.output_len("nope").expect_err("none").message(),
        "Output 'nope' not found"
    );
    let mut b = builder(ops::SPLIT);
    b.set("num_split", -2i64);
    assert_eq!(
        b.output_len("output").expect_err("negative").code(),
        Code::InvalidArgument
    );
}

#[test]
fn inputs_can_be_given_anew() {
    let mut b = with_inputs(ops::MAT_MUL, &[FLOAT, FLOAT]);
    let key = b.cache_key("");
    b.clear_inputs();
    assert_eq!(b.input_count(), 0);
    assert_ne!(b.cache_key(""), key);
    b.add_input(FLOAT).expect("an input");
    b.add_input(FLOAT).expect("an input");
    assert_eq!(b.cache_key(""), key);
}

#[test]
fn attributes_are_read_by_type() {
    let mut b = builder(ops::CONST);
    let tensor = Tensor::vector(&[1i32, 2]).expect("memory");
    b.set("value", tensor).set("dtype", DataType::Int32);
    b.set("s", b"\xff".as_slice())
        .set("names", ["a", "b"])
        .set("none", AttrValue::empty_list());
    b.set("f", FuncAttr::new("g"))
        .set("shapes", vec![PartialShape::unknown()]);
    let attrs = b.finish().expect("complete");
    assert_eq!(attrs.tensor("value").expect("set").dims(), [2]);
    assert_eq!(attrs.str_list("names").expect("set"), ["a", "b"]);
    assert_eq!(attrs.bool_list("none").expect("empty"), []);
    assert_eq!(attrs.type_list("none").expect("empty"), []);
    assert_eq!(&*attrs.func("f").expect("set").name, "g");
    assert_eq!(attrs.shape_list("shapes").expect("set").len(), 1);
    assert_eq!(attrs.bytes("s").expect("set"), b"\xff");
    assert_eq!(
        attrs.str("s").expect_err("no text").code(),
        Code::InvalidArgument
    );
    assert_eq!(attrs.int("nope").expect_err("none").code(), Code::NotFound);
    let e = attrs.int("dtype").expect_err("a type");
    assert_eq!(
        e.message(),
        "AttrValue had value with type 'type' when 'int' expected\n\t for attr 'dtype'"
    );
}

#[test]
fn attributes_of_functions_have_to_be_set() {
    let arg = |name: &str| ArgDef {
        name: name.into(),
        type_attr: "T".into(),
        ..ArgDef::default()
    };
    let signature = pb::OpDef {
        name: "twice".into(),
        input_arg: vec![arg("x")],
        output_arg: vec![arg("y")],
        attr: vec![AttrDef {
            name: "T".into(),
            r#type: "type".into(),
            ..AttrDef::default()
        }],
        ..pb::OpDef::default()
    };
    let spec = Arc::new(OpSpec::from_op_def(&signature).expect("a signature"));
    let mut call = AttrBuilder::new(SpecRef::Function(Arc::clone(&spec)));
    drop(spec);
    call.add_input(DataType::Half).expect("an input");
    assert!(!call.is_set("T"));
    // After the input, which does not say what it is, nor once inputs are added anew.
    call.clear_inputs();
    call.add_input(DataType::Float).expect("an input");
    call.set("T", DataType::Half);
    let attrs = call.finish().expect("complete");
    assert_eq!(
        attrs.output_dtypes(call.spec()).expect("types"),
        [DataType::Half]
    );
    assert_eq!(call.build_node_def().op, "twice");
}

#[test]
fn nodes_have_names_and_may_be_of_another_op() {
    let mut node = with_inputs(ops::NEG, &[]).build_node_def();
    node.name = "n3".into();
    node.input = vec!["a".into(), "^b".into()];
    let b = AttrBuilder::from_node_def(ops::NEG.spec(), &node).expect("its own");
    assert_eq!(b.input_count(), 1);
    assert_eq!(b.build_node_def().name, "n3");
    assert!(AttrBuilder::from_node_def(ops::ABS.spec(), &node).is_err());
    // A value that is not there: an empty list, or an error.
    node = with_inputs(ops::SQUEEZE, &[FLOAT]).build_node_def();
    node.attr
        .insert("squeeze_dims".into(), pb::AttrValue::default());
    let b = AttrBuilder::from_node_def(ops::SQUEEZE.spec(), &node).expect("an empty list");
    assert_eq!(
        b.cache_key(""),
        with_inputs(ops::SQUEEZE, &[FLOAT]).cache_key("")
    );
    node.attr
        .insert("_unknown".into(), pb::AttrValue::default());
    AttrBuilder::from_node_def(ops::SQUEEZE.spec(), &node).expect("nothing said");
    node.attr.insert("T".into(), pb::AttrValue::default());
    let e = AttrBuilder::from_node_def(ops::SQUEEZE.spec(), &node).expect_err("no type");
    assert!(
        e.message()
            .starts_with("AttrValue missing value with expected type 'type'"),
        "{e}"
    );
}

#[test]
fn the_kernel_test_of_the_runtime_builds_its_node() {
    // The NodeDef of KernelAndDevice.Run in TensorFlow's runtime_test.cc.
    let mut b = builder(ops::MAT_MUL);
    b.set("T", FLOAT)
        .set("transpose_a", false)
        .set("transpose_b", false)
        .num_inputs(2);
    let node = b.build_node_def();
    assert_eq!((&*node.name, &*node.op), ("MatMul", "MatMul"));
    assert_eq!(node.input, ["dummy_input", "dummy_input"]);
    assert_eq!(
        node.attr.keys().collect::<Vec<_>>(),
        ["T", "transpose_a", "transpose_b"]
    );
}
