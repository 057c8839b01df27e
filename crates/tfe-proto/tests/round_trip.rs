//! What real TensorFlow encoded is read and written again without loss.

use tfe_proto::Message as _;
use tfe_proto::tensorflow::{
    AttrValue, DataType, FunctionDef, NodeDef, OpList, TensorProto, attr_value::Value,
};

/// The op list of TensorFlow 2.21, as its own library wrote it.
const OP_LIST: &[u8] = include_bytes!("../../tfe-ops/op_list.pb");

#[test]
fn the_op_list_is_byte_identical() {
    let list = OpList::decode(OP_LIST).unwrap();
    assert_eq!(list.op.len(), 1799);
    assert!(
        list.encode_to_vec() == OP_LIST,
        "a field is missing, or has another number or type"
    );

    let mat_mul = list.op.iter().find(|op| op.name == "MatMul").unwrap();
    assert_eq!(mat_mul.input_arg.len(), 2);
    let transpose_a = mat_mul
        .attr
        .iter()
        .find(|attr| attr.name == "transpose_a")
        .unwrap();
    assert_eq!(transpose_a.r#type, "bool");
    assert_eq!(
        transpose_a.default_value.as_ref().unwrap().value,
        Some(Value::B(false))
    );
}

#[test]
fn recorded_messages_are_byte_identical() {
    // Written by TensorFlow 2.21's Python messages with deterministic serialization, with every field
    // set, three messages deep and one form of each oneof: a wrong number, type or packing shows.
    fn check<M: tfe_proto::Message + Default>(name: &str, bytes: &[u8]) {
        let message = M::decode(bytes).unwrap();
        assert!(
            !bytes.is_empty() && message.encode_to_vec() == bytes,
            "{name}"
        );
    }
    use tfe_proto::tensorflow as tf;
    macro_rules! check_all {
        ($($message:ident)*) => {
            $(check::<tf::$message>(
                stringify!($message),
                include_bytes!(concat!("recorded/", stringify!($message), ".pb")),
            );)*
        };
    }
    check_all! {
        TensorShapeProto ResourceHandleProto TensorProto AttrValue NameAttrList NodeDef FullTypeDef
        OpDef FunctionDef FunctionDefLibrary GraphDef VersionDef DeviceAttributes KernelDef
        ConfigProto
    }
}

#[test]
fn maps_are_encoded_in_order() {
    let attr = |number: i64| AttrValue {
        value: Some(Value::I(number)),
    };
    let mut one = NodeDef::default();
    let mut two = NodeDef::default();
    for number in 0..100 {
        one.attr.insert(format!("a{number}"), attr(number));
        two.attr
            .insert(format!("a{}", 99 - number), attr(99 - number));
    }
    assert_eq!(one.encode_to_vec(), two.encode_to_vec());
}

#[test]
fn an_unknown_enum_number_and_an_unknown_field_are_read() {
    let tensor = TensorProto {
        dtype: 999,
        ..TensorProto::default()
    };
    let mut bytes = tensor.encode_to_vec();
    // Field 1000, a varint.
    bytes.extend([0xc0, 0x3e, 0x01]);
    let read = TensorProto::decode(&bytes[..]).unwrap();
    assert_eq!(read.dtype, 999);
    assert!(DataType::try_from(read.dtype).is_err());
}

#[test]
fn garbage_is_an_error() {
    for bytes in [&b"\x0a\xff"[..], b"\xff\xff\xff", b"\x0a\x03\x0a\x7f\x00"] {
        assert!(FunctionDef::decode(bytes).is_err(), "{bytes:?}");
    }
}
