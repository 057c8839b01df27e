//! Updates of rows of a variable in place: `ResourceScatterAdd`, `ResourceScatterSub`, `ResourceScatterMin`,
//! `ResourceScatterMax`, `ResourceScatterUpdate`.

use tfe_core::{DTypeSet, DataType, Result, Shape, bail, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_ops::ops;

use super::handle::handle;
use tfe_host::axes;
use tfe_host::update::{self, Rows, Update};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("dtype", DTypeSet::NUMBER), ("Tindices", DTypeSet::INDEX)],
        host_inputs: &["resource"],
        ..KernelDef::cpu(ops::RESOURCE_SCATTER_ADD, add)
    },
    KernelDef {
        types: &[("dtype", DTypeSet::NUMBER), ("Tindices", DTypeSet::INDEX)],
        host_inputs: &["resource"],
        ..KernelDef::cpu(ops::RESOURCE_SCATTER_SUB, subtract)
    },
    KernelDef {
        types: &[("dtype", DTypeSet::REAL), ("Tindices", DTypeSet::INDEX)],
        host_inputs: &["resource"],
        ..KernelDef::cpu(ops::RESOURCE_SCATTER_MIN, lower)
    },
    KernelDef {
        types: &[("dtype", DTypeSet::REAL), ("Tindices", DTypeSet::INDEX)],
        host_inputs: &["resource"],
        ..KernelDef::cpu(ops::RESOURCE_SCATTER_MAX, raise)
    },
    KernelDef {
        types: &[("dtype", ASSIGNED), ("Tindices", DTypeSet::INDEX)],
        host_inputs: &["resource"],
        ..KernelDef::cpu(ops::RESOURCE_SCATTER_UPDATE, assign)
    },
];

const ASSIGNED: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Variant,
]));

fn add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let update = dispatch!(init.attrs.dtype("dtype")?, Number, |T| Ok(
        update::add::<T> as Update
    ))?;
    Ok(kernel(update))
}

fn subtract(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("dtype")?;
    let update = dispatch!(dtype, Number, |T| Ok(update::subtract::<T> as Update))?;
    Ok(kernel(update))
}

fn lower(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("dtype")?;
    let update = dispatch!(dtype, Real, |T| Ok(update::lower::<T> as Update))?;
    Ok(kernel(update))
}

fn raise(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("dtype")?;
    let update = dispatch!(dtype, Real, |T| Ok(update::raise::<T> as Update))?;
    Ok(kernel(update))
}

fn assign(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let update = dispatch!(
        init.attrs.dtype("dtype")?,
        [
            Half, Bfloat16, Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32,
            Uint64, Complex64, Complex128, Bool, String, Variant
        ],
        |T| Ok(update::assign::<T> as Update)
    )?;
    Ok(kernel(update))
}

fn kernel(update: Update) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let (indices, by) = (ctx.input(1), ctx.input(2));
        Variable::update(ctx.resources(), handle(ctx.input(0))?, |variable| {
            ensure!(
                variable.dtype() == by.dtype(),
                InvalidArgument,
                "DType of scatter resource and updates does not match: {} and {}",
                variable.dtype(),
                by.dtype()
            );
            let Some((&rows, row)) = variable.dims().split_first() else {
                bail!(InvalidArgument, "a scalar variable has no rows to update");
            };
            let width = Shape::new(row)?.num_elements();
            ensure!(
                by.rank() == 0 || by.dims() == [indices.dims(), row].concat(),
                InvalidArgument,
                "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape {}, indices.shape {}, params.shape {}",
                by.shape(),
                indices.shape(),
                variable.shape()
            );
            // All of them before any row is written: a call that fails changes nothing.
            let rows = axes::rows(indices, rows)?;
            update(variable, by, Rows { rows: &rows, width })
        })
    })
}
