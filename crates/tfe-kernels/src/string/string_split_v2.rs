//! `StringSplitV2`: the parts of strings between separators, as a sparse matrix.

use tfe_core::{DataType, Result, Shape, TString, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::utf8::is_space;
use tfe_host::owned::fill_owned;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::cpu(ops::STRING_SPLIT_V2, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // A negative number means all.
    let splits = usize::try_from(init.attrs.int("maxsplit")?).unwrap_or(usize::MAX);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        split(ctx, splits)
    }))
}

fn split(ctx: &mut KernelContext<'_>, splits: usize) -> Result<()> {
    let (input, separator) = (ctx.input(0), ctx.input(1));
    ensure!(
        input.rank() == 1,
        InvalidArgument,
        "input must be a vector, got shape: {}",
        input.shape()
    );
    ensure!(
        separator.rank() == 0,
        InvalidArgument,
        "sep must be a scalar, got shape: {}",
        separator.shape()
    );
    let separator = separator.scalar_value::<TString>()?;
    let (mut parts, mut indices, mut columns) = (Vec::new(), Vec::new(), 0);
    for (row, text) in input.as_slice::<TString>()?.iter().enumerate() {
        let before = parts.len();
        match separator.as_bytes() {
            [] => at_spaces(text.as_bytes(), splits, &mut parts),
            separator => at_separators(text.as_bytes(), separator, splits, &mut parts),
        }
        let here = parts.len() - before;
        columns = columns.max(here);
        indices.extend((0..here).flat_map(|column| [row as i64, column as i64]));
    }
    let n = parts.len();
    let values = parts.into_iter().map(|part| TString::concat([part]));
    let values = fill_owned(ctx, Shape::vector(n), values)?;
    let at = ctx.allocate(DataType::Int64, Shape::new(&[n as i64, 2])?)?;
    let at = at.fill_from(indices)?;
    let shape = ctx.allocate(DataType::Int64, Shape::vector(2))?;
    let shape = shape.fill_from([input.num_elements() as i64, columns as i64])?;
    for (i, result) in [at, values, shape].into_iter().enumerate() {
        ctx.set_output(i, result);
    }
    Ok(())
}

fn at_separators<'a>(
    mut rest: &'a [u8],
    separator: &[u8],
    splits: usize,
    parts: &mut Vec<&'a [u8]>,
) {
    for _ in 0..splits {
        let Some(end) = rest.windows(separator.len()).position(|w| w == separator) else {
            break;
        };
        parts.push(&rest[..end]);
        rest = &rest[end + separator.len()..];
    }
    parts.push(rest);
}

/// Words between stretches of white space; what follows the last split is one part, be it empty.
fn at_spaces<'a>(text: &'a [u8], splits: usize, parts: &mut Vec<&'a [u8]>) {
    if splits == 0 {
        return parts.push(text);
    }
    let from_word = |text: &'a [u8]| {
        let spaces = text.iter().take_while(|b| is_space(b)).count();
        &text[spaces..]
    };
    let mut rest = from_word(text);
    for _ in 0..splits {
        if rest.is_empty() {
            return;
        }
        let end = rest.iter().position(is_space).unwrap_or(rest.len());
        parts.push(&rest[..end]);
        rest = from_word(&rest[end..]);
    }
    parts.push(rest);
}
