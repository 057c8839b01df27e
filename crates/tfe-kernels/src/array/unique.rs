//! `Unique`, `UniqueV2` and their variants with counts: the different elements of a vector, or slices of a tensor, in the
//! order in which they first occur.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, TString, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::gather_rows::Rows;
use tfe_host::groups::{keys, slices};
use tfe_host::movement::moved;
use tfe_host::{axes, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: KEYS,
        ..KernelDef::host(ops::UNIQUE, |op| rule(op, None), |init| build(init, None))
    },
    KernelDef {
        types: KEYS,
        host_inputs: &["axis"],
        ..KernelDef::host(
            ops::UNIQUE_V2,
            |op| rule(op, Some(op.input("axis")?)),
            |init| build(init, Some(init.input("axis")?)),
        )
    },
    KernelDef {
        types: KEYS,
        ..KernelDef::host(
            ops::UNIQUE_WITH_COUNTS,
            |op| rule(op, None),
            |init| build(init, None),
        )
    },
    KernelDef {
        types: KEYS,
        host_inputs: &["axis"],
        ..KernelDef::host(
            ops::UNIQUE_WITH_COUNTS_V2,
            |op| rule(op, Some(op.input("axis")?)),
            |init| build(init, Some(init.input("axis")?)),
        )
    },
];

const KEYS: &[(&str, DTypeSet)] = &[
    (
        "T",
        DTypeSet::REAL.union(DTypeSet::of(&[DataType::Bool, DataType::String])),
    ),
    ("out_idx", DTypeSet::INDEX),
];

/// As many values as differ, the group of each slice, and perhaps how many are in each group.
fn rule(op: &OpInit<'_>, axis: Option<usize>) -> Result<Box<dyn Rule>> {
    let x = op.input("x")?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let given = given_axis(call, axis)?;
        (1..call.num_outputs()).for_each(|i| call.set_rank(i, 1));
        let Some(dims) = call.dims(x) else {
            return Ok(());
        };
        let rank = dims.len();
        let axis = match given {
            Given::Unknown => {
                call.set_rank(0, rank);
                return Ok(());
            }
            Given::None => {
                ensure!(rank == 1, InvalidArgument, "unique expects a 1D vector.");
                0
            }
            Given::Axis(axis) => axes::normalize(axis, rank)
                .ok_or_else(|| err!(InvalidArgument, "axis has to be between [0, {rank})"))?,
        };
        let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
        call.set(1, &[dims[axis]])?;
        dims[axis] = dim::UNKNOWN;
        call.set(0, &dims)
    }))
}

/// What an input says of the axis.
enum Given {
    Axis(i64),
    /// There is none: a vector is meant.
    None,
    Unknown,
}

/// The axis whose slices are compared.
fn given_axis(call: &Inference<'_>, axis: Option<usize>) -> Result<Given> {
    let Some(axis) = axis else {
        return Ok(Given::None);
    };
    call.of_rank(axis, 1, || {
        err!(InvalidArgument, "axis expects a 1D vector.")
    })?;
    match call.num_elements(axis) {
        Some(0) => Ok(Given::None),
        Some(1) => Ok(call.integer(axis)?.map_or(Given::Unknown, Given::Axis)),
        None => Ok(Given::Unknown),
        _ => bail!(
            InvalidArgument,
            "axis does not support input tensors larger than 1 elements"
        ),
    }
}

fn build(init: &KernelInit<'_>, axis: Option<usize>) -> Result<Box<dyn Kernel>> {
    let x = init.input("x")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(x);
        let axis = match axis {
            Some(axis) if ctx.input(axis).num_elements() > 0 => {
                axes::from_start(ctx.integer(axis)?, input.rank())
            }
            _ => 0,
        };
        if input.num_elements() == 0 {
            return of_nothing(ctx, x, axis);
        }
        let [outer, count, inner] = axes::around(input.dims(), axis);
        let groups = match input.dtype() {
            DataType::String => slices(input.as_slice::<TString>()?, [outer, count, inner])?,
            _ => slices(&keys(input, 0)?, [outer, count, inner])?,
        };
        let n = groups.firsts.len();
        let rows = Rows {
            rows: &groups.firsts,
            list: n,
            blocks: outer,
            block: count,
            width: inner,
        };
        let out = ctx.output_of(0, with(input.dims(), axis, n as i64)?)?;
        let values = moved(ctx, out, input, None, &rows)?;
        let dtype = ctx.output_dtype(1);
        let indices = axes::tensor(ctx, dtype, Shape::vector(count), &groups.of)?;
        if ctx.num_outputs() > 2 {
            let mut counts = scratch_of(0, n)?;
            for &group in &groups.of {
                counts[group as usize] += 1;
            }
            let counts = axes::tensor(ctx, dtype, Shape::vector(n), &counts)?;
            ctx.set_output(2, counts);
        }
        ctx.set_output(0, values);
        ctx.set_output(1, indices);
        Ok(())
    }))
}

/// The results for slices without elements: all are equal, however many there are.
fn of_nothing(ctx: &mut KernelContext<'_>, x: usize, axis: usize) -> Result<()> {
    let dims = ctx.input(x).dims();
    let count = dims[axis];
    let groups = count.min(1);
    let values = ctx.output_of(0, with(dims, axis, groups)?)?.zeroed();
    let indices = ctx.output(1)?.zeroed();
    if ctx.num_outputs() > 2 {
        let (dtype, shape) = (ctx.output_dtype(2), Shape::vector(groups as usize));
        let counts = axes::tensor(ctx, dtype, shape, &[count][..groups as usize])?;
        ctx.set_output(2, counts);
    }
    ctx.set_output(0, values);
    ctx.set_output(1, indices);
    Ok(())
}

/// A shape with that many along the axis.
fn with(dims: &[i64], axis: usize, n: i64) -> Result<Shape> {
    let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
    dims[axis] = n;
    Shape::new(&dims)
}
