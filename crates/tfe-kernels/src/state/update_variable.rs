//! Updates of a whole variable in place: `AssignAddVariableOp`, `AssignSubVariableOp`, `ResourceApplyGradientDescent`.

use tfe_core::{DTypeSet, Result, Tensor, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, Variable};
use tfe_host::rules;
use tfe_ops::ops;

use super::handle::handle;
use tfe_host::update::{self, Rows, Update};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("dtype", DTypeSet::NUMBER)],
        host_inputs: &["resource"],
        ..KernelDef::host(ops::ASSIGN_ADD_VARIABLE_OP, rules::unknown, add)
    },
    KernelDef {
        types: &[("dtype", DTypeSet::NUMBER)],
        host_inputs: &["resource"],
        ..KernelDef::host(ops::ASSIGN_SUB_VARIABLE_OP, rules::unknown, subtract)
    },
    KernelDef {
        types: &[("T", DTypeSet::FLOAT.union(DTypeSet::COMPLEX))],
        host_inputs: &["var"],
        ..KernelDef::host(ops::RESOURCE_APPLY_GRADIENT_DESCENT, descend_rule, descend)
    },
];

fn add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let update = dispatch!(init.attrs.dtype("dtype")?, Number, |T| Ok(
        update::add::<T> as Update
    ))?;
    kernel(init, update)
}

fn subtract(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let update = dispatch!(init.attrs.dtype("dtype")?, Number, |T| Ok(
        update::subtract::<T> as Update
    ))?;
    kernel(init, update)
}

fn kernel(init: &KernelInit<'_>, update: Update) -> Result<Box<dyn Kernel>> {
    let [resource, value] = init.inputs(["resource", "value"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let by = ctx.input(value);
        Variable::update(ctx.resources(), handle(ctx.input(resource))?, |variable| {
            ensure!(
                variable.dtype() == by.dtype(),
                InvalidArgument,
                "DType of variable handle and value does not match: {} and {}",
                variable.dtype(),
                by.dtype()
            );
            ensure!(
                variable.shape() == by.shape(),
                InvalidArgument,
                "Cannot update variable with shape {} using a Tensor with shape {}, shapes must be equal.",
                variable.shape(),
                by.shape()
            );
            let all = Rows {
                rows: &[0],
                width: by.num_elements(),
            };
            update(variable, by, all)
        })
    }))
}

/// No output; the learning rate is a scalar.
fn descend_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let rate = op.input("alpha")?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(rate, 0, || {
            let shape = call.shown(rate);
            err!(InvalidArgument, "alpha is not a scalar: {shape}")
        })
    }))
}

fn descend(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    type Descend = fn(&mut Tensor, &Tensor, &Tensor) -> Result<()>;
    let descend = dispatch!(
        init.attrs.dtype("T")?,
        [Half, Bfloat16, Float, Double, Complex64, Complex128],
        |T| Ok(update::descend::<T> as Descend)
    )?;
    let [var, rate, delta] = init.inputs(["var", "alpha", "delta"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (rate, by) = (ctx.input(rate), ctx.input(delta));
        Variable::update(ctx.resources(), handle(ctx.input(var))?, |variable| {
            ensure!(
                variable.dtype() == by.dtype(),
                InvalidArgument,
                "the variable is of type {} but delta of {}",
                variable.dtype(),
                by.dtype()
            );
            ensure!(
                variable.shape() == by.shape(),
                InvalidArgument,
                "var and delta do not have the same shape {} {}",
                variable.shape(),
                by.shape()
            );
            descend(variable, rate, by)
        })
    }))
}
