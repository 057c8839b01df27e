//! `VariableShape`: the dimensions of a variable's value.

use num_traits::NumCast;
use tfe_core::{DTypeSet, Plain, Result, Shape, dispatch, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, Variable};
use tfe_ops::ops;

use super::handle::handle;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("out_type", DTypeSet::INDEX)],
    host_inputs: &["input"],
    host_outputs: &["output"],
    ..KernelDef::host(ops::VARIABLE_SHAPE, rule, build)
}];

fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        call.set_rank(0, 1);
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("out_type")?, Index, |T| Ok(Box::new(
        shape::<T>
    )))
}

fn shape<T: Plain + NumCast>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let shape = Variable::update(ctx.resources(), handle(ctx.input(0))?, |variable| {
        Ok(variable.shape().clone())
    })?;
    let dims = shape.dims().iter().map(|&d| {
        T::from(d).ok_or_else(|| {
            err!(
                InvalidArgument,
                "dimension {d} of the variable does not fit {}",
                T::DTYPE
            )
        })
    });
    let dims = dims.collect::<Result<Vec<_>>>()?;
    let out = ctx.output_of(0, Shape::vector(dims.len()))?;
    let out = out.fill_from(dims)?;
    ctx.set_output(0, out);
    Ok(())
}
