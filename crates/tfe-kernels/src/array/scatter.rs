//! Scatter ops: rows of updates written to, or combined with, the rows of a tensor that index vectors point to. The tensor
//! is one of zeros (`ScatterNd`) or given (`TensorScatterUpdate`, …).

use tfe_core::{DTypeSet, DataType, PartialShape, Result, bail, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::index_vectors::{Policy, vectors};
use tfe_host::bits;
use tfe_host::update::{self, Update, Updates, assignment, updated};

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

macro_rules! extrema {
    ($init:expr, $update:ident) => {{
        let dtype = $init.attrs.dtype("T")?;
        dispatch!(dtype, Real, |T| Ok((update::$update::<T> as Update, dtype)))
    }};
}

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES), ("Tindices", DTypeSet::INDEX)],
        host_inputs: &["shape"],
        ..KernelDef::host(ops::SCATTER_ND, rule_of_zeros, build_of_zeros)
    },
    KernelDef {
        types: &[("T", DTypeSet::NUMBER), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::host(ops::TENSOR_SCATTER_ADD, rule, |init| {
            build(init, sums!(init, add)?)
        })
    },
    KernelDef {
        types: &[("T", DTypeSet::REAL), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::host(ops::TENSOR_SCATTER_MAX, rule, |init| {
            build(init, extrema!(init, raise)?)
        })
    },
    KernelDef {
        types: &[("T", DTypeSet::REAL), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::host(ops::TENSOR_SCATTER_MIN, rule, |init| {
            build(init, extrema!(init, lower)?)
        })
    },
    KernelDef {
        types: &[("T", DTypeSet::NUMBER), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::host(ops::TENSOR_SCATTER_SUB, rule, |init| {
            build(init, sums!(init, subtract)?)
        })
    },
    KernelDef {
        types: &[("T", TYPES), ("Tindices", DTypeSet::INDEX)],
        ..KernelDef::host(ops::TENSOR_SCATTER_UPDATE, rule, |init| {
            build(init, assignment(init.attrs.dtype("T")?)?)
        })
    },
];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool, DataType::String]));

fn rule_of_zeros(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [indices, updates, shape] = op.inputs(["indices", "updates", "shape"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(shape, 1, || err!(InvalidArgument, "Shape must be a vector"))?;
        call.set_from_sizes(0, shape)?;
        let sizes = call.integers(shape)?;
        check(call, sizes.as_deref(), [indices, updates], true)
    }))
}

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [tensor, indices, updates] = op.inputs(["tensor", "indices", "updates"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.set_like(0, tensor);
        check(call, call.dims(tensor), [indices, updates], false)
    }))
}

/// Checks that there is an update for each index vector, of what it points to in a tensor of that shape.
fn check(
    call: &Inference<'_>,
    shape: Option<&[i64]>,
    [indices, updates]: [usize; 2],
    of_zeros: bool,
) -> Result<()> {
    for (i, name) in [(indices, "Indices"), (updates, "Updates")] {
        call.at_least_rank(i, 1, || {
            err!(
                InvalidArgument,
                "{name} shape must have rank at least one. Found:{}",
                call.shown(i)
            )
        })?;
    }
    let (Some(shape), Some((&depth, places)), Some(by)) = (
        shape,
        call.dims(indices).and_then(<[i64]>::split_last),
        call.dims(updates),
    ) else {
        return Ok(());
    };
    let rank = shape.len();
    let to = PartialShape::of(shape);
    ensure!(
        depth <= rank as i64,
        InvalidArgument,
        "index vectors of {depth} numbers do not fit the shape {to}"
    );
    let outer = places.len();
    let (indices, updates) = (call.shown(indices), call.shown(updates));
    if by
        .get(..outer)
        .is_none_or(|by| !dim::may_be_equal(by, places))
    {
        if of_zeros {
            bail!(
                InvalidArgument,
                "Dimensions [0,{outer}) of indices[shape={indices}] must match dimensions [0,{outer}) of updates[shape={updates}]"
            );
        }
        bail!(
            InvalidArgument,
            "Outer dimensions of indices and update must match. Indices shape: {indices}, updates shape:{updates}"
        );
    }
    if depth != dim::UNKNOWN && !dim::may_be_equal(&shape[depth as usize..], &by[outer..]) {
        if of_zeros {
            bail!(
                InvalidArgument,
                "Dimensions [{depth},{rank}) of input[shape={to}] must match dimensions [{outer},{}) of updates[shape={updates}]",
                by.len()
            );
        }
        bail!(
            InvalidArgument,
            "The inner {} dimensions of output.shape={to} must match the inner {} dimensions of updates.shape={updates}",
            rank as i64 - depth,
            by.len() - outer
        );
    }
    Ok(())
}

fn build_of_zeros(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // What is scattered to one place is added up: truth values are joined by or, strings one after the other.
    let how: Updates = match init.attrs.dtype("T")? {
        DataType::Bool => (update::either, DataType::Bool),
        DataType::String => (update::append, DataType::String),
        _ => sums!(init, add)?,
    };
    scatter(init, None, how)
}

/// The kernel that updates a copy of the input `tensor`, or the input itself if nobody else sees it.
fn build(init: &KernelInit<'_>, how: Updates) -> Result<Box<dyn Kernel>> {
    scatter(init, Some(init.input("tensor")?), how)
}

/// The kernel that updates input `tensor`, or zeros.
fn scatter(init: &KernelInit<'_>, tensor: Option<usize>, how: Updates) -> Result<Box<dyn Kernel>> {
    let policy = Policy::of(init)?;
    let [indices, updates] = init.inputs(["indices", "updates"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (given, by) = (ctx.input(indices), ctx.input(updates));
        let (shape, depth) = (ctx.output_shape(0)?, given.shape().dim(given.rank() - 1));
        let outer = &shape.dims()[..depth];
        let rows = vectors(given, outer, policy, by.num_elements(), || {
            format!("shape {shape}")
        })?;
        let to = match tensor {
            Some(tensor) => ctx.take_input(tensor),
            None => ctx.output(0)?.zeroed(),
        };
        let out = updated(to, ctx.input(updates), &rows, depth, how)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
