//! `VariableShape`: the dimensions of a variable's value.

use num_traits::NumCast;
use tfe_core::{DTypeSet, Plain, Result, Shape, dispatch, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_ops::ops;

use super::handle::handle;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("out_type", DTypeSet::INDEX)],
    host_inputs: &["input"],
    host_outputs: &["output"],
    ..KernelDef::cpu(ops::VARIABLE_SHAPE, build)
}];

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
    let out = ctx.allocate(T::DTYPE, Shape::vector(dims.len()))?;
    let out = out.fill_from(dims)?;
    ctx.set_output(0, out);
    Ok(())
}
