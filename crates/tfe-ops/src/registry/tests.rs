//! All definitions, look-up, and registration.

use tfe_core::{Code, DTypeSet, DataType};
use tfe_proto::tensorflow::op_def::{ArgDef, AttrDef};

use super::*;
use crate::{Allowed, ArgCount, ArgType, AttrKind, AttrValue, ops};

#[test]
fn every_definition_decodes_and_every_name_is_found() {
    let registry = OpRegistry::new();
    assert_eq!(OpId::all().len(), 1799);
    assert_eq!(registry.iter().count(), 1799);
    for id in OpId::all() {
        let spec = builtin::try_decode(id).expect("a definition");
        assert_eq!(id.name(), Some(&*spec.name));
        assert_eq!(OpId::of(&spec.name), Some(id));
        assert_eq!(registry.lookup(&spec.name).map(|s| s.id), Some(id));
        for (slot, attr) in spec.attrs.iter().enumerate() {
            assert_eq!(spec.attr_slot(&attr.name), Some(slot));
            assert_ne!(
                attr.kind,
                AttrKind::Placeholder,
                "{} of {}",
                attr.name,
                spec.name
            );
            if let Some(default) = &attr.default {
                spec.check_attr(slot, default)
                    .expect("a default is allowed");
            }
        }
    }
}

#[test]
fn every_definition_would_be_accepted() {
    for id in OpId::all() {
        let def = id.spec().op_def().expect("a definition");
        validate::validate(&def).expect("valid");
    }
}

#[test]
fn other_names_are_not_found() {
    let registry = OpRegistry::new();
    for name in [
        "", "matmul", "MatMu", "MatMul ", "MatMulX", "NoSuchOp", "\0", "é",
    ] {
        assert!(registry.lookup(name).is_none(), "{name}");
    }
    // One letter changed, or one missing: nothing is found but what is there.
    for id in OpId::all() {
        let name = id.name().expect("builtin");
        for i in 0..name.len() {
            let mut other = name.as_bytes().to_vec();
            other[i] ^= 1;
            if let Some(found) = std::str::from_utf8(&other).ok().and_then(OpId::of) {
                assert_eq!(found.name().map(str::as_bytes), Some(&*other));
            }
            if let Some(found) = OpId::of(&name[..i]) {
                assert_eq!(found.name(), Some(&name[..i]));
            }
        }
    }
    let e = registry.find("NoSuchOp").expect_err("unknown");
    assert_eq!(e.code(), Code::NotFound);
    let start = "'NoSuchOp' is neither a type of a primitive operation nor a name of a function registered in \
                 binary running on ";
    assert!(e.message().starts_with(start), "{e}");
    assert!(!e.message().contains("Did you mean"), "{e}");
    let e = registry.find("Reluu").expect_err("unknown");
    assert!(
        e.message()
            .ends_with("in this process. Did you mean 'Relu' or 'Relu6'?"),
        "{e}"
    );
}

#[test]
fn facts_of_some_ops() {
    let spec = ops::MAT_MUL.spec();
    assert_eq!(&*spec.name, "MatMul");
    assert_eq!(
        (spec.inputs.len(), spec.outputs.len(), spec.attrs.len()),
        (2, 1, 5)
    );
    let t = spec.attr_slot("T").expect("T");
    assert_eq!(spec.inputs[1].dtype, ArgType::Attr(t));
    assert!(matches!(spec.attrs[t].allowed, Allowed::Types(set)
        if set.contains(DataType::Bfloat16) && !set.contains(DataType::String)));
    assert_eq!(
        spec.attr("transpose_b").expect("there").default,
        Some(false.into())
    );
    assert!(spec.attrs[t].default.is_none());

    let spec = ops::IDENTITY_N.spec();
    assert_eq!(spec.inputs[0].count, ArgCount::TypeList(0));
    assert_eq!(spec.attrs[0].minimum, Some(1));

    let spec = ops::VAR_HANDLE_OP.spec();
    assert!(spec.is_stateful && spec.inputs.is_empty());
    assert_eq!(spec.outputs[0].dtype, ArgType::Fixed(DataType::Resource));
    assert_eq!(
        spec.attr("container").expect("there").default,
        Some("".into())
    );

    assert!(ops::ASSIGN.spec().inputs[0].is_ref);
    assert!(ops::ADD_N.spec().is_aggregate && ops::ADD_N.spec().is_commutative);
    assert_eq!(
        ops::IF.spec().attr("then_branch").map(|a| a.kind),
        Some(AttrKind::Func)
    );
    assert_eq!(
        ops::CAST.spec().attr("SrcT").map(|a| a.allowed.clone()),
        Some(Allowed::Any)
    );
    let axis = ops::ARG_MAX.spec().attr("output_type").expect("there");
    assert_eq!(axis.default, Some(DataType::Int64.into()));
    let color = ops::IMAGE_SUMMARY.spec().attr("bad_color").expect("there");
    let Some(AttrValue::Tensor(tensor)) = &color.default else {
        panic!("a tensor by default");
    };
    assert_eq!(tensor.as_slice::<u8>().expect("bytes"), [255, 0, 0, 255]);
    assert!(
        matches!(&ops::CONV2D.spec().attr("data_format").expect("there").allowed,
        Allowed::Strings(s) if s.len() == 2 && &*s[0] == b"NHWC")
    );
    assert!(ops::ADD.spec().deprecated_since.is_none());
    assert_eq!(ops::ADJUST_CONTRAST.spec().deprecated_since, Some(2));
    assert_eq!(DTypeSet::INT.iter().count(), 8);
}

fn op(name: &str) -> pb::OpDef {
    pb::OpDef {
        name: name.into(),
        input_arg: vec![ArgDef {
            name: "x".into(),
            type_attr: "T".into(),
            number_attr: "N".into(),
            ..ArgDef::default()
        }],
        output_arg: vec![ArgDef {
            name: "y".into(),
            type_attr: "T".into(),
            ..ArgDef::default()
        }],
        attr: vec![
            AttrDef {
                name: "N".into(),
                r#type: "int".into(),
                has_minimum: true,
                minimum: 1,
                ..AttrDef::default()
            },
            AttrDef {
                name: "T".into(),
                r#type: "type".into(),
                ..AttrDef::default()
            },
        ],
        ..pb::OpDef::default()
    }
}

#[test]
fn registered_ops_are_as_good_as_others() {
    let registry = OpRegistry::new();
    let id = registry.register(&op("MyOp")).expect("valid");
    assert_eq!((id.index(), registry.len()), (1799, 1800));
    let spec = registry.lookup("MyOp").expect("registered");
    assert_eq!(spec.id(), id);
    assert_eq!(id.name(), None);
    assert!(std::ptr::eq(spec, registry.spec(id).expect("registered")));
    assert_eq!(
        registry.register(&op("MyNs>Op")).expect("valid").index(),
        1800
    );
    // Both kinds are in the list, and other registries are not affected.
    let list = pb::OpList::decode(&*registry.op_list_bytes()).expect("a list");
    assert_eq!((list.op.len(), &list.op[1799]), (1801, &op("MyOp")));
    assert!(OpRegistry::new().lookup("MyOp").is_none());
    assert!(OpRegistry::new().spec(id).is_none());
    // References stay valid while more ops come.
    for i in 0..100 {
        registry.register(&op(&format!("Op{i}"))).expect("valid");
    }
    assert_eq!(&*spec.name, "MyOp");
}

#[test]
fn names_are_taken_once() {
    let registry = OpRegistry::new();
    let e = registry.register(&op("MatMul")).expect_err("builtin");
    assert_eq!(e.code(), Code::AlreadyExists);
    let wins = std::thread::scope(|scope| {
        let register = || registry.register(&op("Race")).is_ok();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(register)).collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("no panic"))
            .filter(|&won| won)
            .count()
    });
    assert_eq!(wins, 1);
    assert_eq!(registry.len(), 1800);
}

#[test]
fn bad_definitions_are_refused_with_a_reason() {
    #[track_caller]
    fn refused(change: impl Fn(&mut pb::OpDef), message: &str) {
        let mut def = op("MyOp");
        change(&mut def);
        let e = OpRegistry::new().register(&def).expect_err("refused");
        assert_eq!(e.code(), Code::InvalidArgument);
        assert!(e.message().starts_with(message), "{e}");
        assert!(e.message().contains("; in OpDef: Op<name="), "{e}");
    }
    refused(
        |d| d.name = "my_op".into(),
        "Invalid name: my_op (Did you use CamelCase?)",
    );
    refused(|d| d.name.clear(), "Invalid name: ");
    refused(|d| d.name = "My>".into(), "Invalid name: My>");
    refused(|d| d.attr[1].name = "N".into(), "Duplicate name: N");
    refused(|d| d.input_arg[0].name = "T".into(), "Duplicate name: T");
    refused(
        |d| d.attr[0].r#type = "integer".into(),
        "Unrecognized type 'integer' in attr 'N'",
    );
    refused(
        |d| d.attr[1].has_minimum = true,
        "Attr 'T' has minimum for unsupported type type",
    );
    refused(
        |d| d.attr[0].has_minimum = false,
        "Attr 'N' with has_minimum = false but minimum 1 not equal to default of 0",
    );
    refused(
        |d| d.attr[0].minimum = -1,
        "Attr 'N' used as length for input 'x' must have minimum >= 0",
    );
    refused(
        |d| d.input_arg[0].number_attr = "M".into(),
        "No attr with name 'M' for input 'x'",
    );
    refused(
        |d| d.input_arg[0].number_attr = "T".into(),
        "Attr 'T' used as length for input 'x' has type type != int",
    );
    refused(
        |d| d.output_arg[0].type_attr = "N".into(),
        "Attr 'N' used as type_attr for output 'y' has type int != type",
    );
    refused(
        |d| d.output_arg[0].r#type = 1,
        "Exactly one of type, type_attr, type_list_attr must be set for output 'y'",
    );
    refused(
        |d| d.output_arg[0].type_attr.clear(),
        "Exactly one of type, type_attr, type_list_attr must be set for output 'y'",
    );
    refused(
        |d| {
            d.output_arg[0].type_attr.clear();
            d.output_arg[0].r#type = 101;
        },
        "Illegal use of ref type",
    );
    let value = |v: AttrValue| crate::attr_value_to_proto(&v).ok();
    refused(
        |d| d.attr[0].default_value = value(0i64.into()),
        "Value for attr 'N' of 0 must be at least minimum 1",
    );
    refused(
        |d| d.attr[0].default_value = value(true.into()),
        "AttrValue had value with type 'bool' when 'int' expected",
    );
    refused(
        |d| {
            d.attr[1].allowed_values = value([DataType::Half, DataType::Float].into());
            d.attr[1].default_value = value(DataType::String.into());
        },
        "Value for attr 'T' of string is not in the list of allowed values: half, float",
    );
    refused(
        |d| d.attr[0].allowed_values = value([1i64].into()),
        "for attr 'N' of type int: allowed values are for strings and types only",
    );
}

#[test]
fn a_signature_may_have_types_that_nobody_knows() {
    let mut def = op("my_function");
    def.attr.push(AttrDef {
        name: "what".into(),
        r#type: "whatever".into(),
        ..AttrDef::default()
    });
    let spec = OpSpec::from_op_def(&def).expect("lenient");
    let slot = spec.attr_slot("what").expect("there");
    assert_eq!(
        (spec.id, spec.attrs[slot].kind),
        (OpId::NONE, AttrKind::Placeholder)
    );
    spec.check_attr(slot, &1i64.into()).expect("any value");
    spec.check_attr(slot, &["a"].into()).expect("any value");
    def.input_arg[0].type_attr = "U".into();
    assert!(OpSpec::from_op_def(&def).is_err());
}
