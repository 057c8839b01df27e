//! `Transpose`: the dimensions in another order.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tperm", DTypeSet::INDEX)],
    host_inputs: &["perm"],
    ..KernelDef::host(ops::TRANSPOSE, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
]));

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [x, perm] = op.inputs(["x", "perm"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(perm, 1, || {
            err!(
                InvalidArgument,
                "perm must be rank 1, got shape {}",
                call.shown(perm)
            )
        })?;
        let (rank, size) = (call.rank(x), call.num_elements(perm));
        if let (Some(rank), Some(size)) = (rank, size) {
            ensure!(
                rank as i64 == size,
                InvalidArgument,
                "transpose expects a vector of size {rank}. But input(1) is a vector of size {size}"
            );
        }
        let order = match call.integers(perm)? {
            Some(given) => Some(permutation(&given)?),
            None => None,
        };
        if let (Some(dims), Some(order)) = (call.dims(x), order) {
            let dims: SmallVec<[i64; 8]> = order.iter().map(|&axis| dims[axis]).collect();
            return call.set(0, &dims);
        }
        if let Some(rank) = rank.or(size.map(|size| size as usize)) {
            call.set_rank(0, rank);
        }
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [x, perm] = init.inputs(["x", "perm"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (x, shape) = (ctx.input(x), ctx.output_shape(0)?.clone());
        let (rank, strides) = (x.rank(), strided::strides(x.dims()));
        let perm = axes::integers(ctx.input(perm))?;
        let walk = perm.iter().map(|&axis| {
            let axis = axes::from_start(axis, rank);
            (x.shape().dim(axis), strides[axis])
        });
        let out = strided::gather(ctx, x, &Strided::new(walk, 0), shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// Which dimension of the input each dimension of the result is, all counted from the start.
fn permutation(given: &[i64]) -> Result<SmallVec<[usize; 8]>> {
    let rank = given.len();
    let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
    let mut order = SmallVec::new();
    for &axis in given {
        let axis = axes::normalize(axis, rank).ok_or_else(|| {
            let from_start = if axis < 0 {
                axis.saturating_add_unsigned(rank as u64)
            } else {
                axis
            };
            err!(
                InvalidArgument,
                "{from_start} is out of range [0 .. {rank})"
            )
        })?;
        seen[axis] = true;
        order.push(axis);
    }
    if let Some(missing) = seen.iter().position(|seen| !seen) {
        let given: SmallVec<[_; 8]> = given.iter().map(i64::to_string).collect();
        bail!(
            InvalidArgument,
            "{missing} is missing from {{{}}}.",
            given.join(",")
        );
    }
    Ok(order)
}
