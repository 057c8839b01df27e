//! `tfe ops [OP|PATTERN]`: which ops have kernels, and what one op is like.

use std::io::Write;

use serde_json::{Value, json};
use tfe_eager::{
    ArgCount, ArgSpec, ArgType, AttrSpec, Code, Context, DTypeSet, DataType, KernelRef, OpSpec,
};

use crate::failure::{Failure, Outcome};
use crate::{attr, dtype};

/// Shows the op of that name, or lists those whose names match.
pub(crate) fn show(ctx: &Context, wanted: &str, json: bool, out: &mut dyn Write) -> Outcome {
    if ctx.ops().lookup(wanted).is_some() {
        return describe(ctx, wanted, json, out);
    }
    let names = with_kernels(ctx, &|name| matches(name, wanted));
    if names.is_empty() {
        return Err(match wanted.contains(['*', '?']) {
            true => {
                let what = format!("no op that has kernels matches '{wanted}'");
                Failure::status(Code::NotFound, what)
            }
            false => Failure::unknown(ctx, wanted),
        });
    }
    write_names(ctx, &names, json, out)
}

/// Whether a name is like a pattern, or has the words in it; capitals are as good as small letters.
fn matches(name: &str, pattern: &str) -> bool {
    let (name, pattern) = (name.to_lowercase(), pattern.to_lowercase());
    match pattern.contains(['*', '?']) {
        true => is_like(name.as_bytes(), pattern.as_bytes()),
        false => name.contains(&pattern),
    }
}

/// `*` stands for any letters, `?` for one.
fn is_like(name: &[u8], pattern: &[u8]) -> bool {
    // Where to go on when what follows the last star does not fit: the star takes one letter more.
    let (mut n, mut p, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => (n, p) = (n + 1, p + 1),
            _ => match star {
                Some((after, taken)) => {
                    star = Some((after, taken + 1));
                    (n, p) = (taken + 1, after);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

/// Writes the list of ops that have kernels.
pub(crate) fn list(ctx: &Context, json: bool, out: &mut dyn Write) -> Outcome {
    write_names(ctx, &with_kernels(ctx, &|_| true), json, out)
}

fn with_kernels<'c>(ctx: &'c Context, wanted: &dyn Fn(&str) -> bool) -> Vec<&'c str> {
    let ops = ctx.ops().iter();
    let ops = ops.filter(|spec| wanted(spec.name()) && !kernels(ctx, spec).is_empty());
    let mut names: Vec<&str> = ops.map(OpSpec::name).collect();
    names.sort_unstable();
    names
}

fn write_names(ctx: &Context, names: &[&str], json: bool, out: &mut dyn Write) -> Outcome {
    let known = ctx.ops().len();
    if json {
        writeln!(out, "{}", json!({ "ops": names, "known": known }))?;
        return Ok(());
    }
    for name in names {
        writeln!(out, "{name}")?;
    }
    match names.len() {
        n if n == with_kernels(ctx, &|_| true).len() => {
            writeln!(out, "{n} of {known} ops have kernels")?;
        }
        1 => writeln!(out, "1 op that has kernels matches")?,
        n => writeln!(out, "{n} ops that have kernels match")?,
    }
    Ok(())
}

fn kernels<'c>(ctx: &'c Context, spec: &OpSpec) -> &'c [KernelRef] {
    ctx.kernels().kernels(spec.id())
}

/// Writes what is known of an op.
fn describe(ctx: &Context, name: &str, json: bool, out: &mut dyn Write) -> Outcome {
    let spec = ctx
        .ops()
        .lookup(name)
        .ok_or_else(|| Failure::unknown(ctx, name))?;
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
fn merged(kernels: &[KernelRef]) -> Vec<(&'static str, Vec<(&'static str, DTypeSet)>)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched() {
        for (pattern, name, wanted) in [
            ("matmul", "BatchMatMulV2", true),
            ("mat mul", "MatMul", false),
            ("MatMul*", "MatMul", true),
            ("*matmul", "BatchMatMul", true),
            ("*matmul", "BatchMatMulV2", false),
            ("*a*a?", "ArgMaxab", true),
            ("Relu?", "Relu6", true),
            ("Relu?", "Relu", false),
            ("*", "NoOp", true),
        ] {
            assert_eq!(matches(name, pattern), wanted, "{pattern} {name}");
        }
    }
}
