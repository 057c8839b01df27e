//! `StringFormat`: a template with summaries of tensors in place of its placeholders.

use tfe_core::{Result, TString, Tensor, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::rules;
use tfe_host::summary::{Style, summary};

pub(super) const KERNELS: &[KernelDef] =
    &[KernelDef::host(ops::STRING_FORMAT, rules::scalars, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (template, placeholder) = (
        init.attrs.bytes("template")?,
        init.attrs.bytes("placeholder")?,
    );
    let pieces = pieces(template, placeholder);
    // A negative number means all.
    let ends = usize::try_from(init.attrs.int("summarize")?).unwrap_or(usize::MAX);
    let inputs = init.attrs.type_list("T")?.len();
    ensure!(
        pieces.len() - 1 == inputs,
        InvalidArgument,
        "num placeholders in template and num inputs must match: {} vs. {inputs}",
        pieces.len() - 1
    );
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let summaries = ctx
            .input_range(0..ctx.num_inputs())
            .map(|input| summary(ctx.device(), input, Style::Ends(ends)));
        // Bounded: by the number of inputs.
        let summaries = summaries.collect::<Result<Vec<_>>>()?;
        let rest = summaries.iter().zip(&pieces[1..]);
        let rest = rest.flat_map(|(summary, piece)| [&**summary, &**piece]);
        let text = TString::concat(std::iter::once(&*pieces[0]).chain(rest))?;
        ctx.set_output(0, Tensor::scalar(text)?);
        Ok(())
    }))
}

/// The template between its placeholders. As in TensorFlow, an empty placeholder is between all its bytes.
fn pieces(mut template: &[u8], placeholder: &[u8]) -> Vec<Box<[u8]>> {
    if placeholder.is_empty() && !template.is_empty() {
        return template.iter().map(|&byte| [byte].into()).collect();
    }
    let mut pieces = Vec::new();
    let n = placeholder.len().max(1);
    while let Some(end) = template.windows(n).position(|w| w == placeholder) {
        pieces.push(template[..end].into());
        template = &template[end + n..];
    }
    pieces.push(template.into());
    pieces
}
