//! `BroadcastArgs` and `BroadcastGradientArgs`: the shape that two shapes broadcast to, and the axes along which each is
//! repeated.

use tfe_core::{DTypeSet, Result, Shape, bail, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::{axes, scratch};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", DTypeSet::INDEX)],
        host_inputs: &["s0", "s1"],
        host_outputs: &["r0"],
        ..KernelDef::host(ops::BROADCAST_ARGS, rule, build)
    },
    KernelDef {
        types: &[("T", DTypeSet::INDEX)],
        host_inputs: &["s0", "s1"],
        host_outputs: &["r0", "r1"],
        ..KernelDef::host(ops::BROADCAST_GRADIENT_ARGS, rule_of_axes, build_axes)
    },
];

/// As many sizes as the longer shape has.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        vectors(call)?;
        let longer = |a: i64, b: i64| Some(a.max(b));
        let [a, b] = [0, 1].map(|i| call.num_elements(i).unwrap_or(dim::UNKNOWN));
        call.set(0, &[dim::of(a, b, longer)?])
    }))
}

/// As many axes as a shape is repeated along.
fn rule_of_axes(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        vectors(call)?;
        let counts = match (call.integers(0)?, call.integers(1)?) {
            (Some(a), Some(b)) => repeated([&a, &b])?.map(|axes| axes.len() as i64),
            _ => [dim::UNKNOWN; 2],
        };
        call.set(0, &[counts[0]])?;
        call.set(1, &[counts[1]])
    }))
}

fn vectors(call: &Inference<'_>) -> Result<()> {
    (0..2).try_for_each(|i| {
        call.of_rank(i, 1, || {
            err!(
                InvalidArgument,
                "In[{i}] must be a vector.{}",
                call.shown(i)
            )
        })
    })
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let [a, b] = [axes::integers(ctx.input(0))?, axes::integers(ctx.input(1))?];
        let pairs = aligned([&a, &b])?;
        let mut shape = scratch(pairs.len())?;
        shape.extend(pairs.iter().map(|&[a, b]| if a == 1 { b } else { a }));
        set(ctx, 0, &shape)
    }))
}

fn build_axes(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let [a, b] = [axes::integers(ctx.input(0))?, axes::integers(ctx.input(1))?];
        let [a, b] = repeated([&a, &b])?;
        set(ctx, 0, &a)?;
        set(ctx, 1, &b)
    }))
}

/// The axes of the result along which each of two shapes is repeated.
fn repeated(shapes: [&[i64]; 2]) -> Result<[Vec<i64>; 2]> {
    let pairs = aligned(shapes)?;
    let mut repeated = [scratch(pairs.len())?, scratch(pairs.len())?];
    // A dimension that is 1 on both sides is said to be repeated on both, unless the shapes are the same.
    if shapes[0] != shapes[1] {
        for (k, axes) in repeated.iter_mut().enumerate() {
            let axis = |(i, pair): (usize, &[i64; 2])| (pair[k] == 1).then_some(i as i64);
            axes.extend(pairs.iter().enumerate().filter_map(axis));
        }
    }
    Ok(repeated)
}

/// The sizes along each dimension of the result; what a shape does not have is 1.
fn aligned(shapes: [&[i64]; 2]) -> Result<Vec<[i64; 2]>> {
    let rank = shapes[0].len().max(shapes[1].len());
    let mut pairs = scratch(rank)?;
    for i in 0..rank {
        let pair = shapes.map(|shape| (i + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]));
        if pair[0] != pair[1] && !pair.contains(&1) {
            let [a, b] = shapes.map(|shape| {
                let sizes: Vec<_> = shape.iter().map(i64::to_string).collect();
                sizes.join(",")
            });
            bail!(InvalidArgument, "Incompatible shapes: [{a}] vs. [{b}]");
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

fn set(ctx: &mut KernelContext<'_>, i: usize, values: &[i64]) -> Result<()> {
    let out = axes::tensor(
        ctx,
        ctx.output_dtype(i),
        Shape::vector(values.len()),
        values,
    )?;
    ctx.set_output(i, out);
    Ok(())
}
