//! Equality of the elements of two broadcast tensors, of any type.

use tfe_core::{DTypeSet, DataType, Result, Shape, TString};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::elementwise;
use tfe_host::function::{Function, compare};
use tfe_host::{fill, loops, narrow};

const TYPES: &[(&str, DTypeSet)] = &[(
    "T",
    DTypeSet::NUMBER
        .union(narrow::QUANTIZED)
        .union(DTypeSet::of(&[DataType::Bool, DataType::String])),
)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::EQUAL, |init| build(init, true)).of(TYPES),
    KernelDef::cpu(ops::NOT_EQUAL, |init| build(init, false)).of(TYPES),
];

/// The kernel that tells whether elements are equal, or that they are not.
fn build(init: &KernelInit<'_>, equal: bool) -> Result<Box<dyn Kernel>> {
    let kernel = match init.attrs.dtype("T")? {
        DataType::String => Box::new(move |ctx: &mut KernelContext<'_>| strings(ctx, equal)) as _,
        dtype => elementwise::kernel(function(dtype, equal)?, 0.2),
    };
    if init.attrs.bool("incompatible_shape_error")? {
        return Ok(kernel);
    }
    // Tensors of shapes that do not fit are unlike as a whole.
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        if Broadcast::new([ctx.input(0).shape(), ctx.input(1).shape()]).is_ok() {
            return kernel.compute(ctx);
        }
        let out = ctx.allocate(DataType::Bool, Shape::default())?;
        let out = fill(out, |dst| Ok(loops::repeat(dst, !equal)))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn function(dtype: DataType, equal: bool) -> Result<Function<2>> {
    let stored = match dtype {
        DataType::Bool => DataType::Uint8,
        _ => narrow::source(dtype),
    };
    if equal {
        function!(stored, Number, |T| compare(|a: T, b: T| a == b))
    } else {
        function!(stored, Number, |T| compare(|a: T, b: T| a != b))
    }
}

fn strings(ctx: &mut KernelContext<'_>, equal: bool) -> Result<()> {
    let (a, b) = (ctx.input(0), ctx.input(1));
    let fitted = Broadcast::new([a.shape(), b.shape()])?;
    let (a, b) = (a.as_slice::<TString>()?, b.as_slice::<TString>()?);
    let compared = fitted
        .places()
        .map(|[i, j]| (a[i].as_bytes() == b[j].as_bytes()) == equal);
    let out = ctx.allocate(DataType::Bool, fitted.shape)?;
    let out = out.fill_from(compared)?;
    ctx.set_output(0, out);
    Ok(())
}
