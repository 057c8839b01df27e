//! `ListDiff`: the elements of a vector that another does not have, and where they are.

use tfe_core::memory::try_collect;
use tfe_core::{DTypeSet, DataType, Result, Shape, TString, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::groups::{Key, grouped, keys};
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[
        ("T", DTypeSet::REAL.union(DTypeSet::of(&[DataType::String]))),
        ("out_idx", DTypeSet::INDEX),
    ],
    ..KernelDef::host(ops::LIST_DIFF, rule, build)
}];

/// Vectors of as many elements as are new, which only the elements tell.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [x, y] = op.inputs(["x", "y"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        for (input, name) in [(x, "x"), (y, "y")] {
            call.of_rank(input, 1, || {
                err!(InvalidArgument, "{name} should be a 1D vector.")
            })?;
        }
        (0..2).for_each(|i| call.set_rank(i, 1));
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let index_type = init.attrs.dtype("out_idx")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (x, y) = (ctx.input(0), ctx.input(1));
        let rows = match x.dtype() {
            DataType::String => new_ones(x.as_slice::<TString>()?, y.as_slice::<TString>()?)?,
            _ => new_ones(&keys(x, y.num_elements())?, &keys(y, 0)?)?,
        };
        let shape = Shape::vector(rows.len());
        let out = ctx.output_of(0, shape.clone())?;
        let values = moved(ctx, out, x, None, &Rows::of(&rows, 1))?;
        let indices: Vec<_> = try_collect(rows.iter().map(|&row| row as i64))?;
        let indices = axes::tensor(ctx, index_type, shape, &indices)?;
        ctx.set_output(0, values);
        ctx.set_output(1, indices);
        Ok(())
    }))
}

/// Where the elements of `x` are that are equal to none of `y`.
fn new_ones<K: Key>(x: &[K], y: &[K]) -> Result<Vec<usize>> {
    // All together, in groups: those that no element of `y` is the first of.
    let all: Vec<&K> = try_collect(y.iter().chain(x))?;
    let groups = grouped(&all)?;
    let is_new = |&i: &usize| groups.firsts[groups.of[y.len() + i] as usize] >= y.len();
    try_collect((0..x.len()).filter(is_new))
}
