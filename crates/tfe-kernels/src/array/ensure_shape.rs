//! `EnsureShape`: its input, if that has the shape that is expected.

use tfe_core::{Result, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::host(ops::ENSURE_SHAPE, rule, build)];

/// What is known of the input and what is expected of it, together.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let expected = op.attrs.shape("shape")?.clone();
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let merged = match (call.dims(0), expected.dims()) {
            (Some(given), Some(expected_dims)) => dim::merge_all(given, expected_dims)
                .ok_or_else(|| {
                    err!(
                        InvalidArgument,
                        "Shape of tensor input {} is not compatible with expected shape {expected}.",
                        call.shown(0)
                    )
                })?,
            (Some(known), None) | (None, Some(known)) => known.into(),
            (None, None) => return Ok(()),
        };
        call.set(0, &merged)
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.take_input(0);
        ctx.set_output(0, input);
        Ok(())
    }))
}
