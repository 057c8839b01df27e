//! Assert: an error that shows tensors, unless a condition holds.

use tfe_core::{Result, bail, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::summary::{Style, summary};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::host(ops::ASSERT, rule, build)];

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let condition = op.input("condition")?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(condition, 0, || {
            let shape = call.shown(condition);
            err!(InvalidArgument, "In[0] should be a scalar: {shape}")
        })
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // A negative number means all.
    let limit = usize::try_from(init.attrs.int("summarize")?).unwrap_or(usize::MAX);
    let (condition, data) = (init.input("condition")?, init.list("data")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        if ctx.input(condition).scalar_value::<bool>()? {
            return Ok(());
        }
        let data = ctx.input_range(data.clone());
        let data = data.map(|tensor| {
            let text = summary(ctx.device(), tensor, Style::First(limit))?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        });
        let data = data.collect::<Result<Vec<_>>>()?;
        bail!(InvalidArgument, "assertion failed: {}", data.join(" "))
    }))
}
