//! `tfe ops [OP]`: which ops have kernels, and what one op is like.

use std::io::Write;

use serde_json::{Value, json};
use tfe_eager::{
    ArgCount, ArgSpec, ArgType, AttrSpec, Context, DTypeSet, DataType, KernelDef, OpSpec,
};

use crate::failure::Outcome;
use crate::{attr, call, dtype};

/// Writes the list of ops that have kernels.
pub(crate) fn list(ctx: &Context, json: bool, out: &mut dyn Write) -> Outcome {
    let ops = ctx
        .ops()
        .iter()
        .filter(|spec| !kernels(ctx, spec).is_empty());
    let mut names: Vec<&str> = ops.map(OpSpec::name).collect();
    names.sort_unstable();
    let known = ctx.ops().len();
    if json {
        writeln!(out, "{}", json!({ "ops": names, "known": known }))?;
        return Ok(());
    }
    for name in &names {
        writeln!(out, "{name}")?;
    }
    writeln!(out, "{} of {known} ops have kernels", names.len())?;
    Ok(())
}

fn kernels<'c>(ctx: &'c Context, spec: &OpSpec) -> &'c [&'static KernelDef] {
    ctx.kernels().kernels(spec.id())
}

/// Writes what is known of an op.
pub(crate) fn describe(ctx: &Context, name: &str, json: bool, out: &mut dyn Write) -> Outcome {
    let spec = ctx
        .ops()
        .lookup(name)
        .ok_or_else(|| call::unknown(ctx, name))?;
    let kernels = merged(kernels(ctx, spec));
    if json {
        writeln!(out, "{}", as_json(spec, &kernels))?;
        return Ok(());
    }
    writeln!(out, "{}", signature(spec))?;
    if spec.is_stateful {
        writeln!(out, "  has state or effects")?;
    }
    if !spec.attrs.is_empty() {
        writeln!(out, "attributes")?;
    }
    for attr in &spec.attrs {
        writeln!(out, "  {}", attribute(attr))?;
    }
    match kernels.is_empty() {
        true => writeln!(out, "no kernels")?,
        false => writeln!(out, "kernels")?,
    }
    for (device, types) in &kernels {
        let types: Vec<String> = types
            .iter()
            .map(|(name, set)| format!("  {name}: {}", dtype::names(*set)))
            .collect();
        writeln!(out, "  {device}{}", types.concat())?;
    }
    Ok(())
}

/// Kernels by device and the types that they take. Those that differ in one attribute's types are one.
fn merged(kernels: &[&KernelDef]) -> Vec<(&'static str, Vec<(&'static str, DTypeSet)>)> {
    let mut found: Vec<(&str, Vec<(&str, DTypeSet)>)> = Vec::new();
    for kernel in kernels {
        let same = found.iter_mut().find(|(device, types)| {
            *device == kernel.device
                && matches!((&types[..], kernel.types), ([(a, _)], [(b, _)]) if a == b)
        });
        match same {
            Some((_, types)) => types[0].1 = types[0].1.union(kernel.types[0].1),
            None => found.push((kernel.device, kernel.types.to_vec())),
        }
    }
    found
}

/// `ConcatV2(values: N*T, axis: Tidx) -> output: T`.
pub(crate) fn signature(spec: &OpSpec) -> String {
    let list = |args: &[ArgSpec]| {
        let args: Vec<String> = args
            .iter()
            .map(|arg| format!("{}: {}", arg.name, arg_type(spec, arg)))
            .collect();
        args.join(", ")
    };
    let (inputs, outputs) = (list(&spec.inputs), list(&spec.outputs));
    match outputs.is_empty() {
        true => format!("{}({inputs})", spec.name()),
        false => format!("{}({inputs}) -> {outputs}", spec.name()),
    }
}

/// `float32`, `T`; of lists `N*T`, or the attribute that has the types.
fn arg_type(spec: &OpSpec, arg: &ArgSpec) -> String {
    let named = |slot: usize| &*spec.attrs[slot].name;
    let dtype = match arg.dtype {
        ArgType::Fixed(dtype) => dtype::name(dtype),
        ArgType::Attr(slot) => named(slot),
    };
    let reference = if arg.is_ref { "ref " } else { "" };
    match arg.count {
        ArgCount::Number(slot) => format!("{reference}{}*{dtype}", named(slot)),
        ArgCount::One | ArgCount::TypeList(_) => format!("{reference}{dtype}"),
    }
}

/// `padding: string in "SAME", "VALID"`, `N: int >= 2`, `alpha: float = 0.2`.
fn attribute(attr: &AttrSpec) -> String {
    let mut text = format!("{}: {}", attr.name, attr.type_name());
    if let Some(default) = &attr.default {
        text += &format!(" = {}", attr::show(default));
    }
    if let Some(minimum) = attr.minimum {
        let what = if attr.is_list { ", at least" } else { " >=" };
        text += &format!("{what} {minimum}");
    }
    if let Some(allowed) = attr::allowed(attr) {
        text += &format!(" in {}", allowed.join(", "));
    }
    text
}

fn as_json(spec: &OpSpec, kernels: &[(&str, Vec<(&str, DTypeSet)>)]) -> Value {
    let args = |args: &[ArgSpec]| -> Vec<Value> {
        let arg = |arg: &ArgSpec| json!({ "name": arg.name, "type": arg_type(spec, arg) });
        args.iter().map(arg).collect()
    };
    let attr = |attr: &AttrSpec| {
        json!({
            "name": attr.name,
            "type": attr.type_name(),
            "default": attr.default.as_ref().map(attr::show),
            "minimum": attr.minimum,
            "allowed": attr::allowed(attr),
        })
    };
    let kernel = |(device, types): &(&str, Vec<(&str, DTypeSet)>)| {
        let types = types.iter().map(|(name, set)| {
            let names: Vec<&str> = set.iter().map(|d: DataType| dtype::name(d)).collect();
            ((*name).to_owned(), json!(names))
        });
        let types: serde_json::Map<String, Value> = types.collect();
        json!({ "device": device, "types": types })
    };
    json!({
        "name": spec.name(),
        "inputs": args(&spec.inputs),
        "outputs": args(&spec.outputs),
        "attributes": spec.attrs.iter().map(attr).collect::<Vec<_>>(),
        "stateful": spec.is_stateful,
        "kernels": kernels.iter().map(kernel).collect::<Vec<_>>(),
    })
}
