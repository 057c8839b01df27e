//! The messages that more than one place gives.

use std::fmt;

use tfe_core::{Error, err};
use tfe_ops::{ArgCount, ArgType, AttrValue, OpSpec};

/// An attribute that has neither a value nor a default.
pub(crate) fn missing(name: &str, node: &str) -> Error {
    err!(
        NotFound,
        "No attr named '{name}' in NodeDef:\n\t [[{{{{node {node}}}}}]]"
    )
}

/// What to do about an attribute that has neither a value nor a default, in plain words.
pub fn unset_attr(spec: &OpSpec, name: &str) -> String {
    let op = spec.name();
    let told_by = |slot: usize| {
        spec.inputs.iter().find(|arg| {
            arg.dtype == ArgType::Attr(slot)
                || matches!(arg.count, ArgCount::Number(s) | ArgCount::TypeList(s) if s == slot)
        })
    };
    let what = match spec.attr_slot(name).and_then(told_by) {
        None => "which has no default: set it".to_owned(),
        Some(arg) if arg.count == ArgCount::One => format!(
            "which follows from input '{}': add the inputs, or set it",
            arg.name
        ),
        Some(arg) => format!(
            "which follows from the list '{}': add the inputs, the list as one, or set it",
            arg.name
        ),
    };
    format!("{op} has no value for attribute '{name}', {what}")
}

/// A value of another type than the one asked for.
pub(crate) fn wrong_type(name: &str, value: &AttrValue, wanted: &str) -> Error {
    err!(
        InvalidArgument,
        "AttrValue had value with type '{}' when '{wanted}' expected\n\t for attr '{name}'",
        value.type_name()
    )
}

/// Attributes as text, by name: `T=DT_FLOAT, transpose_a=false`.
pub(crate) fn list<'v>(
    out: &mut impl fmt::Write,
    values: impl Iterator<Item = (&'v str, &'v AttrValue)>,
) -> fmt::Result {
    let mut values: Vec<_> = values.collect();
    values.sort_by_key(|&(name, _)| name);
    for (i, (name, value)) in values.into_iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(out, "{comma}{name}={value}")?;
    }
    Ok(())
}

/// [`list`] as a string.
pub(crate) fn listed<'v>(values: impl Iterator<Item = (&'v str, &'v AttrValue)>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = list(&mut text, values);
    text
}
