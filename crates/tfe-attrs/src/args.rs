//! How attributes make flat lists of tensors out of arguments.

use std::ops::Range;

use tfe_core::{DataType, Result, bail, ensure, err};
use tfe_ops::{ArgCount, ArgSpec, ArgType, AttrValue, OpSpec};

use crate::errors;

/// Finds values by slot.
pub(crate) type Values<'v> = dyn Fn(usize) -> Option<&'v AttrValue> + 'v;

/// No call has more tensors on one side; a length from a hostile attribute must not take memory.
const MOST: usize = 1 << 24;

/// How many tensors the argument has.
pub(crate) fn len(spec: &OpSpec, arg: &ArgSpec, values: &Values<'_>) -> Result<usize> {
    match arg.count {
        ArgCount::One => Ok(1),
        ArgCount::Number(slot) => match value(spec, slot, values)? {
            AttrValue::Int(n) => usize::try_from(*n).map_err(|_| {
                err!(
                    InvalidArgument,
                    "Value for attr '{}' of {n} must be at least minimum 0",
                    spec.attrs[slot].name
                )
            }),
            other => Err(errors::wrong_type(&spec.attrs[slot].name, other, "int")),
        },
        ArgCount::TypeList(slot) => Ok(types(spec, slot, values)?.len()),
    }
}

/// How many tensors all of the arguments have.
pub(crate) fn total(spec: &OpSpec, args: &[ArgSpec], values: &Values<'_>) -> Result<usize> {
    let mut total = 0usize;
    for arg in args {
        total = total.saturating_add(len(spec, arg, values)?);
    }
    Ok(total)
}

/// The name and type of every tensor.
pub(crate) fn flat<'s>(
    spec: &OpSpec,
    args: &'s [ArgSpec],
    values: &Values<'_>,
) -> Result<Vec<(&'s str, DataType)>> {
    let total = total(spec, args, values)?;
    ensure!(
        total <= MOST,
        InvalidArgument,
        "op {} would have {total} tensors; at most {MOST} are supported",
        spec.name()
    );
    let mut flat = Vec::with_capacity(total);
    for arg in args {
        let count = len(spec, arg, values)?;
        match (arg.count, arg.dtype) {
            (ArgCount::TypeList(slot), _) => {
                for &number in types(spec, slot, values)? {
                    flat.push((&*arg.name, dtype(number)?));
                }
            }
            (_, ArgType::Fixed(dtype)) => flat.resize(flat.len() + count, (&*arg.name, dtype)),
            (_, ArgType::Attr(slot)) => {
                let dtype = match value(spec, slot, values)? {
                    AttrValue::Type(number) => dtype(*number)?,
                    other => return Err(errors::wrong_type(&spec.attrs[slot].name, other, "type")),
                };
                flat.resize(flat.len() + count, (&*arg.name, dtype));
            }
        }
    }
    Ok(flat)
}

/// Which of the flat tensors each argument has.
pub(crate) fn ranges(
    spec: &OpSpec,
    args: &[ArgSpec],
    values: &Values<'_>,
) -> Result<Vec<Range<usize>>> {
    let mut start = 0;
    args.iter()
        .map(|arg| {
            let Some(end) = len(spec, arg, values)?.checked_add(start) else {
                bail!(
                    InvalidArgument,
                    "op {} would have too many tensors",
                    spec.name()
                );
            };
            Ok(std::mem::replace(&mut start, end)..end)
        })
        .collect()
}

fn value<'v>(spec: &OpSpec, slot: usize, values: &Values<'v>) -> Result<&'v AttrValue> {
    values(slot).ok_or_else(|| errors::missing(&spec.attrs[slot].name, spec.name()))
}

fn types<'v>(spec: &OpSpec, slot: usize, values: &Values<'v>) -> Result<&'v [i32]> {
    match value(spec, slot, values)? {
        AttrValue::Types(types) => Ok(types),
        other if other.list_len() == Some(0) => Ok(&[]),
        other => Err(errors::wrong_type(
            &spec.attrs[slot].name,
            other,
            "list(type)",
        )),
    }
}

pub(crate) fn dtype(number: i32) -> Result<DataType> {
    DataType::from_number(number).ok_or_else(|| {
        err!(
            InvalidArgument,
            "AttrValue has invalid DataType enum: {number}"
        )
    })
}
