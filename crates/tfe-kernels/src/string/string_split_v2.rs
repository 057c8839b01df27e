//! `StringSplitV2`: the parts of strings between separators, as a sparse matrix.

use tfe_core::{Error, Result, Shape, TString, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_host::scratch;
use tfe_ops::ops;

use super::utf8::is_space;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::host(ops::STRING_SPLIT_V2, rule, build)];

/// As many parts as the strings have: only they tell.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, separator] = op.inputs(["input", "sep"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(input, 1, || {
            let shape = call.shown(input);
            err!(
                InvalidArgument,
                "input must be a vector, got shape: {shape}"
            )
        })?;
        call.of_rank(separator, 0, || {
            let shape = call.shown(separator);
            err!(InvalidArgument, "sep must be a scalar, got shape: {shape}")
        })?;
        call.set(0, &[dim::UNKNOWN, 2])?;
        call.set(1, &[dim::UNKNOWN])?;
        call.set(2, &[2])
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // A negative number means all.
    let splits = usize::try_from(init.attrs.int("maxsplit")?).unwrap_or(usize::MAX);
    let inputs = init.inputs(["input", "sep"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        split(ctx, inputs, splits)
    }))
}

fn split(ctx: &mut KernelContext<'_>, [input, separator]: [usize; 2], splits: usize) -> Result<()> {
    let input = ctx.input(input).as_slice::<TString>()?;
    let separator = ctx.input(separator).scalar_value::<TString>()?;
    let (mut parts, mut lens) = (Vec::new(), scratch(input.len())?);
    for text in input {
        let before = parts.len();
        match separator.as_bytes() {
            [] => at_spaces(text.as_bytes(), splits, &mut parts)?,
            separator => at_separators(text.as_bytes(), separator, splits, &mut parts)?,
        }
        lens.push(parts.len() - before);
    }
    let (n, columns) = (parts.len(), lens.iter().copied().max().unwrap_or(0));
    let indices = lens
        .iter()
        .enumerate()
        .flat_map(|(row, &len)| (0..len).flat_map(move |column| [row as i64, column as i64]));
    let indices = ctx
        .output_of(0, Shape::new(&[n as i64, 2])?)?
        .fill_from(indices)?;
    let values = parts.into_iter().map(|part| TString::concat([part]));
    let values = ctx.output_of(1, Shape::vector(n))?.try_fill_from(values)?;
    let shape = ctx
        .output(2)?
        .fill_from([input.len() as i64, columns as i64])?;
    for (i, result) in [indices, values, shape].into_iter().enumerate() {
        ctx.set_output(i, result);
    }
    Ok(())
}

/// Adds a part; there may be many more bytes of parts than of the string.
fn push<'a>(parts: &mut Vec<&'a [u8]>, part: &'a [u8]) -> Result<()> {
    parts.try_reserve(1).map_err(|_| exhausted(parts.len()))?;
    parts.push(part);
    Ok(())
}

fn exhausted(n: usize) -> Error {
    err!(
        ResourceExhausted,
        "OOM when splitting strings into more than {n} parts"
    )
}

fn at_separators<'a>(
    mut rest: &'a [u8],
    separator: &[u8],
    splits: usize,
    parts: &mut Vec<&'a [u8]>,
) -> Result<()> {
    for _ in 0..splits {
        let Some(end) = rest.windows(separator.len()).position(|w| w == separator) else {
            break;
        };
        push(parts, &rest[..end])?;
        rest = &rest[end + separator.len()..];
    }
    push(parts, rest)
}

/// Words between stretches of white space; what follows the last split is one part, be it empty.
fn at_spaces<'a>(text: &'a [u8], splits: usize, parts: &mut Vec<&'a [u8]>) -> Result<()> {
    if splits == 0 {
        return push(parts, text);
    }
    let from_word = |text: &'a [u8]| {
        let spaces = text.iter().take_while(|b| is_space(b)).count();
        &text[spaces..]
    };
    let mut rest = from_word(text);
    for _ in 0..splits {
        if rest.is_empty() {
            return Ok(());
        }
        let end = rest.iter().position(is_space).unwrap_or(rest.len());
        push(parts, &rest[..end])?;
        rest = from_word(&rest[end..]);
    }
    push(parts, rest)
}
