//! The checks that TensorFlow makes before it takes an op's definition.

use std::collections::BTreeSet;

use tfe_core::{DataType, Result, ensure};
use tfe_proto::tensorflow as pb;
use tfe_proto::tensorflow::op_def::{ArgDef, AttrDef};

use crate::check::check_value;
use crate::proto::attr_value_from_proto_as;
use crate::summary::summary;
use crate::{AttrKind, OpSpec};

/// Checks a definition that is to be registered.
pub(crate) fn validate(def: &pb::OpDef) -> Result<()> {
    check(def).map_err(|e| {
        let message = format!("{}; in OpDef: {}", e.message(), summary(def));
        tfe_core::Error::new(e.code(), message)
    })
}

fn check(def: &pb::OpDef) -> Result<()> {
    ensure!(
        is_op_name(&def.name),
        InvalidArgument,
        "Invalid name: {} (Did you use CamelCase?)",
        def.name
    );
    let mut names = BTreeSet::new();
    for attr in &def.attr {
        ensure!(
            !attr.name.is_empty() && names.insert(attr.name.as_str()),
            InvalidArgument,
            "Duplicate name: {}",
            attr.name
        );
        check_attr(attr)?;
    }
    for arg in &def.input_arg {
        ensure!(
            names.insert(&arg.name),
            InvalidArgument,
            "Duplicate name: {}",
            arg.name
        );
        check_arg(arg, def, &format!(" for input '{}'", arg.name))?;
    }
    let mut names = BTreeSet::new();
    for arg in &def.output_arg {
        ensure!(
            names.insert(&arg.name),
            InvalidArgument,
            "Duplicate name: {}",
            arg.name
        );
        check_arg(arg, def, &format!(" for output '{}'", arg.name))?;
    }
    // Defaults obey the limits of their own attributes.
    for attr in &OpSpec::from_op_def(def)?.attrs {
        if let Some(default) = &attr.default {
            check_value(attr, default, || allowed_in_order(def, &attr.name))?;
        }
    }
    Ok(())
}

/// An optional name space each before a `>`, then letters, digits and underscores, a capital first.
fn is_op_name(name: &str) -> bool {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(|c| c.is_ascii_uppercase())
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    // Internal ops start with an underscore and are not looked at closer.
    name.starts_with('_') || name.split('>').all(word)
}

fn check_attr(attr: &AttrDef) -> Result<()> {
    let name = &attr.name;
    let Some((kind, is_list)) = AttrKind::parse(&attr.r#type) else {
        tfe_core::bail!(
            InvalidArgument,
            "Unrecognized type '{}' in attr '{name}'",
            attr.r#type
        );
    };
    if attr.has_minimum {
        ensure!(
            is_list || kind == AttrKind::Int,
            InvalidArgument,
            "Attr '{name}' has minimum for unsupported type {}",
            attr.r#type
        );
        ensure!(
            !is_list || attr.minimum >= 0,
            InvalidArgument,
            "Attr '{name}' with list type must have a non-negative minimum, not {}",
            attr.minimum
        );
    } else {
        ensure!(
            attr.minimum == 0,
            InvalidArgument,
            "Attr '{name}' with has_minimum = false but minimum {} not equal to default of 0",
            attr.minimum
        );
    }
    if let Some(allowed) = &attr.allowed_values {
        ensure!(
            matches!(kind, AttrKind::String | AttrKind::Type),
            InvalidArgument,
            "for attr '{name}' of type {}: allowed values are for strings and types only",
            attr.r#type
        );
        let values = attr_value_from_proto_as(allowed, kind, true)?;
        ensure!(
            values.fits(kind, true),
            InvalidArgument,
            "AttrValue had value with type '{}' when '{}' expected for attr '{name}'",
            values.type_name(),
            kind.list_name()
        );
    }
    Ok(())
}

fn check_arg(arg: &ArgDef, def: &pb::OpDef, place: &str) -> Result<()> {
    let find = |name: &str| def.attr.iter().find(|a| a.name == name);
    let named = |name: &str, used_as: &str, wanted: &str| -> Result<&AttrDef> {
        let attr = find(name)
            .ok_or_else(|| tfe_core::err!(InvalidArgument, "No attr with name '{name}'{place}"))?;
        ensure!(
            attr.r#type == wanted,
            InvalidArgument,
            "Attr '{name}' used as {used_as}{place} has type {} != {wanted}",
            attr.r#type
        );
        Ok(attr)
    };
    ensure!(!arg.name.is_empty(), InvalidArgument, "Missing name{place}");
    let types = [
        arg.r#type != 0,
        !arg.type_attr.is_empty(),
        !arg.type_list_attr.is_empty(),
    ];
    ensure!(
        types.iter().filter(|&&t| t).count() == 1,
        InvalidArgument,
        "Exactly one of type, type_attr, type_list_attr must be set{place}"
    );
    if !arg.number_attr.is_empty() {
        ensure!(
            arg.type_list_attr.is_empty(),
            InvalidArgument,
            "Can't have both number_attr and type_list_attr{place}"
        );
        let attr = named(&arg.number_attr, "length", "int")?;
        ensure!(
            attr.has_minimum && attr.minimum >= 0,
            InvalidArgument,
            "Attr '{}' used as length{place} must have minimum >= 0",
            attr.name
        );
    }
    if !arg.type_attr.is_empty() {
        named(&arg.type_attr, "type_attr", "type")?;
    } else if !arg.type_list_attr.is_empty() {
        named(&arg.type_list_attr, "type_list_attr", "list(type)")?;
    } else {
        ensure!(
            DataType::from_number(arg.r#type - 100).is_none(),
            InvalidArgument,
            "Illegal use of ref type '{}'. Use 'Ref(type)' instead{place}",
            arg.r#type
        );
    }
    Ok(())
}

/// The allowed values of an attribute in the order of its definition, for a message.
pub(crate) fn allowed_in_order(def: &pb::OpDef, name: &str) -> String {
    use pb::attr_value::Value;
    let allowed = def
        .attr
        .iter()
        .find(|a| a.name == name)
        .and_then(|a| a.allowed_values.as_ref());
    match allowed.and_then(|v| v.value.as_ref()) {
        Some(Value::List(list)) if !list.s.is_empty() => {
            let quoted = list.s.iter().map(|s| format!("\"{}\"", s.escape_ascii()));
            quoted.collect::<Vec<_>>().join(", ")
        }
        Some(Value::List(list)) => {
            let names = list.r#type.iter().filter_map(|&t| DataType::from_number(t));
            names.map(DataType::name).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}
