//! `Substr`: a part of each string, in bytes or UTF-8 characters, counted from either end.

use tfe_core::{DTypeSet, Result, TString, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::utf8::Unit;
use tfe_host::axes;
use tfe_host::broadcast::Broadcast;
use tfe_host::owned::fill_owned;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::INDEX)],
    ..KernelDef::cpu(ops::SUBSTR, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let unit = Unit::of(init.attrs.str("unit")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        substr(ctx, unit)
    }))
}

fn substr(ctx: &mut KernelContext<'_>, unit: Unit) -> Result<()> {
    let (input, starts, lengths) = (ctx.input(0), ctx.input(1), ctx.input(2));
    ensure!(
        starts.shape() == lengths.shape(),
        InvalidArgument,
        "pos and len should have the same shape, got: {} vs. {}",
        starts.shape(),
        lengths.shape()
    );
    let fitted = Broadcast::new([input.shape(), starts.shape()])?;
    let strings = input.as_slice::<TString>()?;
    let (starts, lengths) = (axes::integers(starts)?, axes::integers(lengths)?);
    let parts = fitted.places().enumerate().map(|(at, [i, j])| {
        let text = strings[i].as_bytes();
        let part = part(text, starts[j], lengths[j], unit).ok_or_else(|| {
            err!(
                InvalidArgument,
                "pos {} out of range for string b'{}' at index {at}",
                starts[j],
                text.escape_ascii()
            )
        })?;
        TString::concat([part])
    });
    let out = fill_owned(ctx, fitted.shape, parts)?;
    ctx.set_output(0, out);
    Ok(())
}

/// The part that begins at `start`, from the end where negative; `None` when the string does not reach so far.
fn part(text: &[u8], start: i64, len: i64, unit: Unit) -> Option<&[u8]> {
    let n = usize::try_from(start.unsigned_abs()).ok()?;
    let start = if start < 0 {
        let (bytes, missing) = unit.suffix(text, n);
        (missing == 0).then_some(text.len() - bytes)
    } else {
        let (bytes, missing) = unit.prefix(text, n);
        (missing == 0).then_some(bytes)
    }?;
    let rest = &text[start..];
    // As in TensorFlow, a negative length is all bytes that there are, but no character.
    let len = match unit {
        Unit::Byte => usize::try_from(len).unwrap_or(rest.len()),
        Unit::Utf8Char => usize::try_from(len).unwrap_or(0),
    };
    Some(&rest[..unit.prefix(rest, len).0])
}
