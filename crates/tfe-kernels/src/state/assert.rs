//! Assert: an error that shows tensors, unless a condition holds.

use tfe_core::{Result, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::summary::{Style, summary};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef::cpu(ops::ASSERT, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // A negative number means all.
    let limit = usize::try_from(init.attrs.int("summarize")?).unwrap_or(usize::MAX);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let condition = ctx.input(0);
        ensure!(
            condition.rank() == 0,
            InvalidArgument,
            "In[0] should be a scalar: {}",
            condition.shape()
        );
        if condition.scalar_value::<bool>()? {
            return Ok(());
        }
        let data = ctx.input_range(1..ctx.num_inputs());
        let data = data.map(|tensor| {
            let text = summary(ctx.device(), tensor, Style::First(limit))?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        });
        let data = data.collect::<Result<Vec<_>>>()?;
        bail!(InvalidArgument, "assertion failed: {}", data.join(" "))
    }))
}
