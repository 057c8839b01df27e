//! Updates of a whole variable in place: `AssignAddVariableOp`, `AssignSubVariableOp`, `ResourceApplyGradientDescent`.

use tfe_core::{DTypeSet, Result, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_ops::ops;

use super::handle::handle;
use tfe_host::update::{self, Rows, Update};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("dtype", DTypeSet::NUMBER)],
        host_inputs: &["resource"],
        ..KernelDef::cpu(ops::ASSIGN_ADD_VARIABLE_OP, add)
    },
    KernelDef {
        types: &[("dtype", DTypeSet::NUMBER)],
        host_inputs: &["resource"],
        ..KernelDef::cpu(ops::ASSIGN_SUB_VARIABLE_OP, subtract)
    },
    KernelDef {
        types: &[("T", DTypeSet::FLOAT.union(DTypeSet::COMPLEX))],
        host_inputs: &["var"],
        ..KernelDef::cpu(ops::RESOURCE_APPLY_GRADIENT_DESCENT, descend)
    },
];

fn add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let update = dispatch!(init.attrs.dtype("dtype")?, Number, |T| Ok(
        update::add::<T> as Update
    ))?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        assign(ctx, update)
    }))
}

fn subtract(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let update = dispatch!(init.attrs.dtype("dtype")?, Number, |T| Ok(
        update::subtract::<T> as Update
    ))?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        assign(ctx, update)
    }))
}

fn assign(ctx: &mut KernelContext<'_>, update: Update) -> Result<()> {
    let by = ctx.input(1);
    Variable::update(ctx.resources(), handle(ctx.input(0))?, |variable| {
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
}

fn descend(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    type Descend = fn(&mut Tensor, &Tensor, &Tensor) -> Result<()>;
    let descend = dispatch!(
        init.attrs.dtype("T")?,
        [Half, Bfloat16, Float, Double, Complex64, Complex128],
        |T| Ok(update::descend::<T> as Descend)
    )?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (rate, by) = (ctx.input(1), ctx.input(2));
        ensure!(
            rate.rank() == 0,
            InvalidArgument,
            "alpha is not a scalar: {}",
            rate.shape()
        );
        Variable::update(ctx.resources(), handle(ctx.input(0))?, |variable| {
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
