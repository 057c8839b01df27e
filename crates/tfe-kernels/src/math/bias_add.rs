//! Biases: a vector is added along the dimension of the channels.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, Result, Shape, bail, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::cost;
use tfe_host::elementwise::Elementwise;
use tfe_host::function::zip;
use tfe_host::number::Number;

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::NUMBER)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(
        ops::BIAS_ADD,
        |op| rule(op, channels_first(op)?),
        |init| build(init, channels_first(init)?),
    )
    .of(TYPES),
    KernelDef::host(
        ops::BIAS_ADD_V1,
        |op| rule(op, false),
        |init| build(init, false),
    )
    .of(TYPES),
];

fn channels_first(op: &OpInit<'_>) -> Result<bool> {
    Ok(op.attrs.str("data_format")? == "NCHW")
}

/// The dimension of the channels of a value of that rank.
fn channels(rank: usize, channels_first: bool) -> usize {
    if channels_first { 1 } else { rank - 1 }
}

/// The shape of the value, which has as many channels as there are biases.
fn rule(op: &OpInit<'_>, channels_first: bool) -> Result<Box<dyn Rule>> {
    let [value, bias] = op.inputs(["value", "bias"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.at_least_rank(value, 2, || {
            err!(
                InvalidArgument,
                "Input tensor must be at least 2D: {}",
                call.shown(value)
            )
        })?;
        call.of_rank(bias, 1, || {
            err!(InvalidArgument, "Biases must be 1D: {}", call.shown(bias))
        })?;
        call.set_like(0, value);
        let (Some(dims), Some(&[biases])) = (call.dims(value), call.dims(bias)) else {
            return Ok(());
        };
        let axis = channels(dims.len(), channels_first);
        let Some(both) = dim::merge(dims[axis], biases) else {
            bail!(
                InvalidArgument,
                "Must provide as many biases as the last dimension of the input tensor: {} vs. {}",
                call.shown(bias),
                call.shown(value)
            );
        };
        if both != dims[axis] {
            let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
            dims[axis] = both;
            call.set(0, &dims)?;
        }
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>, channels_first: bool) -> Result<Box<dyn Kernel>> {
    let add = function!(init.attrs.dtype("T")?, Number, |T| zip(T::plus))?;
    let add = Elementwise::new(add, cost::ARITHMETIC);
    let [value, bias] = init.inputs(["value", "bias"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (value, bias) = (ctx.input(value).shape(), ctx.input(bias).shape());
        let mut dims: SmallVec<[i64; 8]> = SmallVec::from_elem(1, value.rank());
        dims[channels(value.rank(), channels_first)] = bias.dims()[0];
        let fitted = Broadcast::new([value, &Shape::new(&dims)?])?;
        add.run(ctx, &fitted)
    }))
}
