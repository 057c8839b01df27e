//! `BroadcastArgs` and `BroadcastGradientArgs`: the shape that two shapes broadcast to, and the axes along which each is
//! repeated.

use smallvec::SmallVec;
use tfe_core::memory::try_collect;
use tfe_core::{DTypeSet, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", DTypeSet::INDEX)],
        host_inputs: &["s0", "s1"],
        host_outputs: &["r0"],
        ..KernelDef::host(ops::BROADCAST_ARGS, shape_rule, build_shape)
    },
    KernelDef {
        types: &[("T", DTypeSet::INDEX)],
        host_inputs: &["s0", "s1"],
        host_outputs: &["r0", "r1"],
        ..KernelDef::host(ops::BROADCAST_GRADIENT_ARGS, axes_rule, build_axes)
    },
];

type Sizes = SmallVec<[i64; 8]>;

/// As many sizes as the longer shape has.
fn shape_rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        known(call)?;
        let ranks = call.num_elements(0).zip(call.num_elements(1));
        call.set(0, &[ranks.map_or(dim::UNKNOWN, |(a, b)| a.max(b))])
    }))
}

fn build_shape(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shapes = shapes(ctx)?;
        set(
            ctx,
            0,
            pairs(&shapes).map(|[x, y]| if x == 1 { y } else { x }),
        )
    }))
}

/// As many axes as there are, which the shapes tell.
fn axes_rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        let shapes = known(call)?;
        for k in 0..2 {
            let n = shapes.as_ref().map(|shapes| repeated(shapes, k).count());
            call.set(k, &[n.map_or(dim::UNKNOWN, |n| n as i64)])?;
        }
        Ok(())
    }))
}

fn build_axes(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shapes = shapes(ctx)?;
        (0..2).try_for_each(|k| set(ctx, k, repeated(&shapes, k)))
    }))
}

/// Both shapes, if they are known; they are vectors and fit together.
fn known(call: &Inference<'_>) -> Result<Option<[Sizes; 2]>> {
    for i in 0..2 {
        call.of_rank(i, 1, || {
            err!(
                InvalidArgument,
                "In[{i}] must be a vector.{}",
                call.shown(i)
            )
        })?;
    }
    let shapes = match (call.integers(0)?, call.integers(1)?) {
        (Some(a), Some(b)) => [a, b],
        _ => return Ok(None),
    };
    ensure!(
        pairs(&shapes).all(|[x, y]| x == y || x == 1 || y == 1),
        InvalidArgument,
        "Incompatible shapes: [{}] vs. [{}]",
        axes::listed(&shapes[0], ","),
        axes::listed(&shapes[1], ",")
    );
    Ok(Some(shapes))
}

fn shapes(ctx: &KernelContext<'_>) -> Result<[Sizes; 2]> {
    Ok([axes::integers(ctx.input(0))?, axes::integers(ctx.input(1))?])
}

/// The sizes along each dimension of the result; what a shape does not have is 1.
fn pairs(shapes: &[Sizes; 2]) -> impl Iterator<Item = [i64; 2]> {
    let rank = shapes[0].len().max(shapes[1].len());
    let along =
        move |shape: &Sizes, i: usize| (i + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]);
    (0..rank).map(move |i| [along(&shapes[0], i), along(&shapes[1], i)])
}

/// The axes along which shape `k` is repeated. A dimension that is 1 on both sides is said to be repeated on both, unless
/// the shapes are the same.
fn repeated(shapes: &[Sizes; 2], k: usize) -> impl Iterator<Item = i64> {
    let differ = shapes[0] != shapes[1];
    let ones = pairs(shapes)
        .enumerate()
        .filter(move |(_, pair)| differ && pair[k] == 1);
    ones.map(|(i, _)| i as i64)
}

fn set(ctx: &mut KernelContext<'_>, i: usize, values: impl Iterator<Item = i64>) -> Result<()> {
    let (dtype, shape) = (ctx.output_dtype(i), ctx.output_shape(i)?.clone());
    let out = axes::tensor(ctx, dtype, shape, &try_collect(values)?)?;
    ctx.set_output(i, out);
    Ok(())
}
