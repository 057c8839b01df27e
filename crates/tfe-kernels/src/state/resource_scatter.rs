//! Updates of rows of a variable in place: `ResourceScatterAdd`, `ResourceScatterSub`, `ResourceScatterUpdate`.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_ops::ops;

use super::handle::handle;
use crate::host::axes;
use crate::host::update::{self, Rows, Update};

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
                tfe_core::bail!(InvalidArgument, "a scalar variable has no rows to update");
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
            let rows = rows_of(indices, rows)?;
            update(variable, by, Rows { rows: &rows, width })
        })
    })
}

/// The rows that indices mean, all below `len`.
fn rows_of(indices: &Tensor, len: i64) -> Result<SmallVec<[usize; 8]>> {
    let given = axes::integers(indices)?.into_iter().enumerate();
    let check = |(i, index): (usize, i64)| {
        ensure!(
            (0..len).contains(&index),
            InvalidArgument,
            "indices[{i}] = {index} is not in [0, {len})"
        );
        Ok(index as usize)
    };
    given.map(check).collect()
}
