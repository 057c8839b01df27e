//! `StringJoin`: the strings at each place of several tensors, joined by a separator; scalars stand at every place.

use smallvec::SmallVec;
use tfe_core::{Result, TString, Tensor, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::host(ops::STRING_JOIN, rule, build)];

/// The shape that all inputs have which are no scalars.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        let mut result: Option<(usize, SmallVec<[i64; 8]>)> = None;
        for i in 0..call.num_inputs() {
            let Some(dims) = call.dims(i).filter(|dims| !dims.is_empty()) else {
                continue;
            };
            let Some((first, result)) = &mut result else {
                result = Some((i, SmallVec::from_slice(dims)));
                continue;
            };
            let merged = result.iter().zip(dims).map(|(&a, &b)| dim::merge(a, b));
            *result = merged
                .collect::<Option<_>>()
                .filter(|_| result.len() == dims.len())
                .ok_or_else(|| {
                    let shapes = [*first, i].map(|i| call.shown(i));
                    err!(
                        InvalidArgument,
                        "Input shapes do not match: {} vs. {}",
                        shapes[0],
                        shapes[1]
                    )
                })?;
        }
        match result {
            Some((_, dims)) => call.set(0, &dims)?,
            None if (0..call.num_inputs()).all(|i| call.rank(i) == Some(0)) => call.set_scalar(0),
            None => {}
        }
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let separator = Box::<[u8]>::from(init.attrs.bytes("separator")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let out = join(ctx, &separator)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn join(ctx: &KernelContext<'_>, separator: &[u8]) -> Result<Tensor> {
    let out = ctx.output(0)?;
    let inputs = ctx
        .input_range(0..ctx.num_inputs())
        .map(|input| Ok((input.as_slice::<TString>()?, input.rank() == 0)))
        .collect::<Result<SmallVec<[_; 4]>>>()?;
    let joined = (0..out.shape().num_elements()).map(|i| {
        let parts = inputs.iter().enumerate();
        TString::concat(parts.flat_map(|(k, &(strings, is_scalar))| {
            let before = if k == 0 { &[] } else { separator };
            [before, strings[if is_scalar { 0 } else { i }].as_bytes()]
        }))
    });
    out.try_fill_from(joined)
}
