//! `Transpose`: the dimensions in another order.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tperm", DTypeSet::INDEX)],
    host_inputs: &["perm"],
    ..KernelDef::cpu(ops::TRANSPOSE, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
]));

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let order = permutation(input, ctx.input(1))?;
        let strides = strided::strides(input.dims());
        let dims: SmallVec<[i64; 8]> = order.iter().map(|&axis| input.dims()[axis]).collect();
        let walk = order
            .iter()
            .map(|&axis| (input.shape().dim(axis), strides[axis]));
        let out = strided::gather(ctx, input, &Strided::new(walk, 0), Shape::new(&dims)?)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// Which dimension of the input each dimension of the result is.
fn permutation(input: &Tensor, perm: &Tensor) -> Result<SmallVec<[usize; 8]>> {
    let rank = input.rank();
    ensure!(
        perm.rank() == 1,
        InvalidArgument,
        "perm must be rank 1, got shape {}",
        perm.shape()
    );
    ensure!(
        perm.num_elements() == rank,
        InvalidArgument,
        "transpose expects a vector of size {rank}. But input(1) is a vector of size {}",
        perm.num_elements()
    );
    let given = axes::integers(perm)?;
    let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
    let mut order = SmallVec::new();
    for &axis in &given {
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
        let given: Vec<_> = given.iter().map(i64::to_string).collect();
        return Err(err!(
            InvalidArgument,
            "{missing} is missing from {{{}}}.",
            given.join(",")
        ));
    }
    Ok(order)
}
