//! Biases: a vector is added along the dimension of the channels.

use tfe_core::{DTypeSet, Result, Shape, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::elementwise::Elementwise;
use tfe_host::function::zip;
use tfe_host::number::Number;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::BIAS_ADD, |init| {
        let channels_first = init.attrs.str("data_format")? == "NCHW";
        build(init, channels_first)
    })
    .of(&[("T", DTypeSet::NUMBER)]),
    KernelDef::cpu(ops::BIAS_ADD_V1, |init| build(init, false)).of(&[("T", DTypeSet::NUMBER)]),
];

fn build(init: &KernelInit<'_>, channels_first: bool) -> Result<Box<dyn Kernel>> {
    let add = function!(init.attrs.dtype("T")?, Number, |T| zip(T::plus))?;
    let add = Elementwise::new(add, 0.2);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let fitted = fit(ctx.input(0).shape(), ctx.input(1).shape(), channels_first)?;
        add.run(ctx, &fitted)
    }))
}

fn fit(value: &Shape, bias: &Shape, channels_first: bool) -> Result<Broadcast<2>> {
    ensure!(
        value.rank() >= 2,
        InvalidArgument,
        "Input tensor must be at least 2D: {value}"
    );
    ensure!(
        bias.rank() == 1,
        InvalidArgument,
        "Biases must be 1D: {bias}"
    );
    let axis = if channels_first { 1 } else { value.rank() - 1 };
    ensure!(
        bias.dims()[0] == value.dims()[axis],
        InvalidArgument,
        "Must provide as many biases as the last dimension of the input tensor: {bias} vs. {value}"
    );
    let mut dims = vec![1; value.rank() - axis];
    dims[0] = bias.dims()[0];
    Broadcast::new([value, &Shape::new(&dims)?])
}
