//! Scatter ops: rows of updates written to, or combined with, the rows of a tensor that index vectors point to. The tensor
//! is one of zeros (`ScatterNd`) or given (`TensorScatterUpdate`, …).

use tfe_core::{
    DTypeSet, DataType, ResourceHandle, Result, Shape, TString, Tensor, Variant, dispatch, ensure,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::index_vectors::{Policy, vectors};
use tfe_host::update::{self, Rows, Update};
use tfe_host::{axes, bits};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES), ("Tindices", DTypeSet::INDEX)],
        host_inputs: &["shape"],
        ..KernelDef::cpu(ops::SCATTER_ND, build_of_zeros)
    },
    KernelDef {
        types: &[("T", DTypeSet::NUMBER), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::cpu(ops::TENSOR_SCATTER_ADD, build_add)
    },
    KernelDef {
        types: &[("T", DTypeSet::REAL), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::cpu(ops::TENSOR_SCATTER_MAX, build_max)
    },
    KernelDef {
        types: &[("T", DTypeSet::REAL), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::cpu(ops::TENSOR_SCATTER_MIN, build_min)
    },
    KernelDef {
        types: &[("T", DTypeSet::NUMBER), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::cpu(ops::TENSOR_SCATTER_SUB, build_sub)
    },
    KernelDef {
        types: &[("T", TYPES), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::cpu(ops::TENSOR_SCATTER_UPDATE, build_update)
    },
];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool, DataType::String]));

/// The update with the type that it takes tensors for.
pub(super) type Updates = (Update, DataType);

macro_rules! sums {
    ($init:expr, $update:ident) => {{
        let dtype = bits::unsigned($init.attrs.dtype("T")?);
        dispatch!(
            dtype,
            [
                Half, Bfloat16, Float, Double, Complex64, Complex128, Uint8, Uint16, Uint32, Uint64
            ],
            |T| Ok((update::$update::<T> as Update, dtype))
        )
    }};
}

fn build_of_zeros(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let policy = Policy::of(init)?;
    // What is scattered to one place is added up: truth values are joined by or, strings one after the other.
    let (update, dtype): Updates = match init.attrs.dtype("T")? {
        DataType::Bool => (update::either, DataType::Bool),
        DataType::String => (update::append, DataType::String),
        _ => sums!(init, add)?,
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (indices, updates, sizes) = (ctx.input(0), ctx.input(1), ctx.input(2));
        ensure!(sizes.rank() == 1, InvalidArgument, "Shape must be a vector");
        let shape = Shape::new(&axes::integers(sizes)?)?;
        let depth = depth(&shape, indices, updates)?;
        let outer = indices.rank() - 1;
        ensure!(
            updates.dims().starts_with(&indices.dims()[..outer]),
            InvalidArgument,
            "Dimensions [0,{outer}) of indices[shape={}] must match dimensions [0,{outer}) of updates[shape={}]",
            indices.shape(),
            updates.shape()
        );
        ensure!(
            shape.dims().get(depth..) == Some(&updates.dims()[outer..]),
            InvalidArgument,
            "Dimensions [{depth},{}) of input[shape={shape}] must match dimensions [{outer},{}) of updates[shape={}]",
            shape.rank(),
            updates.rank(),
            updates.shape()
        );
        let rows = vectors(
            indices,
            &shape.dims()[..depth],
            policy,
            updates.num_elements(),
            || format!("shape {shape}"),
        )?;
        let to = ctx.allocate(updates.dtype(), shape)?.zeroed();
        let out = updated(to, updates, &rows, depth, (update, dtype))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    of_tensor(init, sums!(init, add)?)
}

fn build_sub(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    of_tensor(init, sums!(init, subtract)?)
}

fn build_max(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let update = dispatch!(dtype, Real, |T| Ok(update::raise::<T> as Update))?;
    of_tensor(init, (update, dtype))
}

fn build_min(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let update = dispatch!(dtype, Real, |T| Ok(update::lower::<T> as Update))?;
    of_tensor(init, (update, dtype))
}

fn build_update(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    of_tensor(init, assignment(init.attrs.dtype("T")?)?)
}

/// The update that writes new rows over old ones.
pub(super) fn assignment(dtype: DataType) -> Result<Updates> {
    Ok(match dtype {
        DataType::String => (update::assign::<TString>, dtype),
        DataType::Resource => (update::assign::<ResourceHandle>, dtype),
        DataType::Variant => (update::assign::<Variant>, dtype),
        plain => {
            let dtype = bits::of_width(plain);
            dispatch!(dtype, [Uint8, Uint16, Uint32, Uint64, Complex128], |T| Ok(
                (update::assign::<T> as Update, dtype)
            ))?
        }
    })
}

/// The kernel that updates a copy of input 0, or the input itself if nobody else sees it.
fn of_tensor(init: &KernelInit<'_>, update: Updates) -> Result<Box<dyn Kernel>> {
    let policy = Policy::of(init)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (tensor, indices, updates) = (ctx.input(0), ctx.input(1), ctx.input(2));
        let shape = tensor.shape();
        let depth = depth(shape, indices, updates)?;
        let outer = indices.rank() - 1;
        ensure!(
            updates.dims().starts_with(&indices.dims()[..outer]),
            InvalidArgument,
            "Outer dimensions of indices and update must match. Indices shape: {}, updates shape:{}",
            indices.shape(),
            updates.shape()
        );
        let inner = shape.rank().saturating_sub(depth);
        ensure!(
            shape.dims().get(depth..) == Some(&updates.dims()[outer..]),
            InvalidArgument,
            "The inner {inner} dimensions of output.shape={shape} must match the inner {} dimensions of updates.shape={}",
            updates.rank() - outer,
            updates.shape()
        );
        let rows = vectors(
            indices,
            &shape.dims()[..depth],
            policy,
            updates.num_elements(),
            || format!("shape {shape}"),
        )?;
        let to = ctx.take_input(0);
        let out = updated(to, ctx.input(2), &rows, depth, update)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// How many dimensions an index vector speaks of.
fn depth(shape: &Shape, indices: &Tensor, updates: &Tensor) -> Result<usize> {
    for (input, name) in [(indices, "Indices"), (updates, "Updates")] {
        ensure!(
            input.rank() >= 1,
            InvalidArgument,
            "{name} shape must have rank at least one. Found:{}",
            input.shape()
        );
    }
    let depth = indices.shape().dim(indices.rank() - 1);
    ensure!(
        depth <= shape.rank(),
        InvalidArgument,
        "index vectors of {depth} numbers do not fit the shape {shape}"
    );
    Ok(depth)
}

/// The tensor with rows of it updated: those are what lies below its first dimensions.
pub(super) fn updated(
    to: Tensor,
    by: &Tensor,
    rows: &[usize],
    depth: usize,
    (update, dtype): Updates,
) -> Result<Tensor> {
    let own = to.dtype();
    let width = to.dims()[depth..].iter().product::<i64>() as usize;
    let mut to = bits::taken_for(to, dtype)?;
    let by = bits::taken_for(by.clone(), dtype)?;
    update(&mut to, &by, Rows { rows, width })?;
    bits::taken_for(to, own)
}
