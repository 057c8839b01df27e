//! `Substr`: a part of each string, in bytes or UTF-8 characters, counted from either end.

use tfe_core::{DTypeSet, Result, TString, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::utf8::Unit;
use tfe_host::axes;
use tfe_host::broadcast::{self, Broadcast};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::INDEX)],
    ..KernelDef::host(ops::SUBSTR, rule, build)
}];

/// The strings are broadcast against the places, of which each has a length.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, starts, lengths] = op.inputs(["input", "pos", "len"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.may_be_equal(starts, lengths),
            InvalidArgument,
            "pos and len should have the same shape, got: {} vs. {}",
            call.shown(starts),
            call.shown(lengths)
        );
        match broadcast::dims_of(&[call.dims(input), call.dims(starts), call.dims(lengths)])? {
            Some(dims) => call.set(0, &dims),
            None => Ok(()),
        }
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let unit = Unit::of(init.attrs.str("unit")?);
    let inputs = init.inputs(["input", "pos", "len"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        substr(ctx, inputs, unit)
    }))
}

fn substr(ctx: &mut KernelContext<'_>, inputs: [usize; 3], unit: Unit) -> Result<()> {
    let [input, starts, lengths] = inputs.map(|i| ctx.input(i));
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
    let out = ctx.output(0)?.try_fill_from(parts)?;
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
