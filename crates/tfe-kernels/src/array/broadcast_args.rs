//! `BroadcastArgs` and `BroadcastGradientArgs`: the shape that two shapes broadcast to, and the axes along which each is
//! repeated.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, Result, Shape, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", DTypeSet::INDEX)],
        host_inputs: &["s0", "s1"],
        host_outputs: &["r0"],
        ..KernelDef::cpu(ops::BROADCAST_ARGS, build_shape)
    },
    KernelDef {
        types: &[("T", DTypeSet::INDEX)],
        host_inputs: &["s0", "s1"],
        host_outputs: &["r0", "r1"],
        ..KernelDef::cpu(ops::BROADCAST_GRADIENT_ARGS, build_axes)
    },
];

type Sizes = SmallVec<[i64; 8]>;

fn build_shape(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shape: Sizes = aligned(ctx)?
            .iter()
            .map(|&[x, y]| if x == 1 { y } else { x })
            .collect();
        set(ctx, 0, &shape)
    }))
}

fn build_axes(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let pairs = aligned(ctx)?;
        // A dimension that is 1 on both sides is said to be repeated on both, unless the shapes are the same.
        let same = ctx.input(0).dims() == ctx.input(1).dims() && pairs.iter().all(|[x, y]| x == y);
        let repeated = |k: usize| -> Sizes {
            let ones = pairs.iter().enumerate();
            let ones = ones.filter(|(_, pair)| pair[k] == 1 && !same);
            ones.map(|(i, _)| i as i64).collect()
        };
        set(ctx, 0, &repeated(0))?;
        set(ctx, 1, &repeated(1))
    }))
}

/// The sizes along each dimension of the result; what a shape does not have is 1.
fn aligned(ctx: &KernelContext<'_>) -> Result<SmallVec<[[i64; 2]; 8]>> {
    let mut shapes: [Sizes; 2] = Default::default();
    for (i, shape) in shapes.iter_mut().enumerate() {
        let input = ctx.input(i);
        ensure!(
            input.rank() == 1,
            InvalidArgument,
            "In[{i}] must be a vector.{}",
            input.shape()
        );
        *shape = axes::integers(input)?;
    }
    let rank = shapes[0].len().max(shapes[1].len());
    let along =
        |shape: &Sizes, i: usize| (i + shape.len()).checked_sub(rank).map_or(1, |i| shape[i]);
    let mut pairs = SmallVec::new();
    for i in 0..rank {
        let [x, y] = [0, 1].map(|k| along(&shapes[k], i));
        if x != y && x != 1 && y != 1 {
            let [a, b] = shapes.map(|shape| {
                let sizes: Vec<_> = shape.iter().map(i64::to_string).collect();
                sizes.join(",")
            });
            bail!(InvalidArgument, "Incompatible shapes: [{a}] vs. [{b}]");
        }
        pairs.push([x, y]);
    }
    Ok(pairs)
}

fn set(ctx: &mut KernelContext<'_>, i: usize, values: &[i64]) -> Result<()> {
    let dtype = ctx.input(0).dtype();
    let out = axes::tensor(ctx, dtype, Shape::vector(values.len()), values)?;
    ctx.set_output(i, out);
    Ok(())
}
