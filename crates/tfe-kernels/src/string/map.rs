//! Functions of single strings: `StringLower`, `StringUpper`, `StringStrip`.

use std::borrow::Cow;

use tfe_core::{Result, TString, bail};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::utf8::trimmed;
use tfe_host::rules;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::STRING_LOWER, rules::like::<0>, lower),
    KernelDef::host(ops::STRING_UPPER, rules::like::<0>, upper),
    KernelDef::host(ops::STRING_STRIP, rules::like::<0>, strip),
];

type Map = for<'a> fn(&'a [u8]) -> Cow<'a, [u8]>;

fn lower(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(kernel(if is_utf8(init)? {
        |text| {
            String::from_utf8_lossy(text)
                .to_lowercase()
                .into_bytes()
                .into()
        }
    } else {
        |text| text.to_ascii_lowercase().into()
    }))
}

fn upper(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(kernel(if is_utf8(init)? {
        |text| {
            String::from_utf8_lossy(text)
                .to_uppercase()
                .into_bytes()
                .into()
        }
    } else {
        |text| text.to_ascii_uppercase().into()
    }))
}

fn strip(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(kernel(|text| trimmed(text).into()))
}

fn is_utf8(init: &KernelInit<'_>) -> Result<bool> {
    match init.attrs.str("encoding")? {
        "" => Ok(false),
        "utf-8" => Ok(true),
        other => bail!(
            InvalidArgument,
            "only utf-8 or '' (no encoding) is supported, received {other}"
        ),
    }
}

fn kernel(map: Map) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let strings = ctx.input(0);
        let mapped = strings.as_slice::<TString>()?.iter();
        let mapped = mapped.map(|s| TString::concat([&*map(s.as_bytes())]));
        let out = ctx.output(0)?.try_fill_from(mapped)?;
        ctx.set_output(0, out);
        Ok(())
    })
}
