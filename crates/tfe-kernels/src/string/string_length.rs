//! `StringLength`: how many bytes or UTF-8 characters each string has.

use tfe_core::{Result, TString};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_host::rules;
use tfe_ops::ops;

use super::utf8::Unit;

pub(super) const KERNELS: &[KernelDef] =
    &[KernelDef::host(ops::STRING_LENGTH, rules::like::<0>, build)];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let unit = Unit::of(init.attrs.str("unit")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let strings = ctx.input(0);
        let lengths = strings
            .as_slice::<TString>()?
            .iter()
            .map(|s| unit.count(s.as_bytes()) as i32);
        let out = ctx.output(0)?.fill_from(lengths)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
