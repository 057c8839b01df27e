//! `StringJoin`: the strings at each place of several tensors, joined by a separator; scalars stand at every place.

use smallvec::SmallVec;
use tfe_core::{Result, Shape, TString, Tensor, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::owned::fill_owned;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::cpu(ops::STRING_JOIN, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let separator = Box::<[u8]>::from(init.attrs.bytes("separator")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let out = join(ctx, &separator)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn join(ctx: &KernelContext<'_>, separator: &[u8]) -> Result<Tensor> {
    let shape = result_shape(ctx)?;
    let inputs = ctx
        .input_range(0..ctx.num_inputs())
        .map(|input| Ok((input.as_slice::<TString>()?, input.rank() == 0)))
        .collect::<Result<SmallVec<[_; 4]>>>()?;
    let joined = (0..shape.num_elements()).map(|i| {
        TString::concat(
            inputs
                .iter()
                .enumerate()
                .flat_map(|(k, &(strings, is_scalar))| {
                    let before = if k == 0 { &[] } else { separator };
                    [before, strings[if is_scalar { 0 } else { i }].as_bytes()]
                }),
        )
    });
    fill_owned(ctx, shape, joined)
}

/// The shape that all inputs have which are no scalars.
fn result_shape(ctx: &KernelContext<'_>) -> Result<Shape> {
    let mut shape: Option<&Shape> = None;
    for input in ctx
        .input_range(0..ctx.num_inputs())
        .filter(|input| input.rank() > 0)
    {
        let first = *shape.get_or_insert(input.shape());
        ensure!(
            first == input.shape(),
            InvalidArgument,
            "Input shapes do not match: {first} vs. {}",
            input.shape()
        );
    }
    Ok(shape.cloned().unwrap_or_default())
}
