//! Updates of rows of a variable in place: `ResourceScatterAdd`, `ResourceScatterSub`, `ResourceScatterMin`,
//! `ResourceScatterMax`, `ResourceScatterUpdate`.

use tfe_core::{DTypeSet, DataType, Result, bail, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable, dim};
use tfe_ops::{OpId, ops};

use super::handle::handle;
use tfe_host::update::{self, Rows, Update};
use tfe_host::{axes, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    scatter(ops::RESOURCE_SCATTER_ADD, NUMBER, |init| {
        let dtype = init.attrs.dtype("dtype")?;
        kernel(
            init,
            dispatch!(dtype, Number, |T| Ok(update::add::<T> as Update))?,
        )
    }),
    scatter(ops::RESOURCE_SCATTER_SUB, NUMBER, |init| {
        let dtype = init.attrs.dtype("dtype")?;
        kernel(
            init,
            dispatch!(dtype, Number, |T| Ok(update::subtract::<T> as Update))?,
        )
    }),
    scatter(ops::RESOURCE_SCATTER_MIN, REAL, |init| {
        let dtype = init.attrs.dtype("dtype")?;
        kernel(
            init,
            dispatch!(dtype, Real, |T| Ok(update::lower::<T> as Update))?,
        )
    }),
    scatter(ops::RESOURCE_SCATTER_MAX, REAL, |init| {
        let dtype = init.attrs.dtype("dtype")?;
        kernel(
            init,
            dispatch!(dtype, Real, |T| Ok(update::raise::<T> as Update))?,
        )
    }),
    scatter(ops::RESOURCE_SCATTER_UPDATE, ASSIGNED, |init| {
        let update = dispatch!(
            init.attrs.dtype("dtype")?,
            [
                Half, Bfloat16, Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32,
                Uint64, Complex64, Complex128, Bool, String, Variant
            ],
            |T| Ok(update::assign::<T> as Update)
        )?;
        kernel(init, update)
    }),
];

type Types = &'static [(&'static str, DTypeSet)];

const NUMBER: Types = &[("dtype", DTypeSet::NUMBER), ("Tindices", DTypeSet::INDEX)];
const REAL: Types = &[("dtype", DTypeSet::REAL), ("Tindices", DTypeSet::INDEX)];
const ASSIGNED: Types = &[
    (
        "dtype",
        DTypeSet::NUMBER.union(DTypeSet::of(&[
            DataType::Bool,
            DataType::String,
            DataType::Variant,
        ])),
    ),
    ("Tindices", DTypeSet::INDEX),
];

const fn scatter(
    op: OpId,
    types: Types,
    build: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>,
) -> KernelDef {
    KernelDef {
        types,
        host_inputs: &["resource"],
        ..KernelDef::host(op, rules::unknown, build)
    }
}

fn kernel(init: &KernelInit<'_>, update: Update) -> Result<Box<dyn Kernel>> {
    let [resource, indices, updates] = init.inputs(["resource", "indices", "updates"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (indices, by) = (ctx.input(indices), ctx.input(updates));
        Variable::update(ctx.resources(), handle(ctx.input(resource))?, |variable| {
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
            // A row of an empty variable may be of more elements than can be counted.
            let width = dim::known(dim::product(row)).unwrap_or(0) as usize;
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
    }))
}
