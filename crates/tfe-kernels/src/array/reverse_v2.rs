//! `ReverseV2`: the indices of some dimensions in the opposite order.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["axis"],
    ..KernelDef::host(ops::REVERSE_V2, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool, DataType::String]));

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [tensor, axis] = op.inputs(["tensor", "axis"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.set_like(0, tensor);
        let (Some(rank), Some(1..)) = (call.rank(tensor), call.num_elements(tensor)) else {
            // Without elements nothing changes places, whatever the axes: TensorFlow does not look at them.
            return Ok(());
        };
        if rank == 0 {
            return Ok(());
        }
        ensure!(
            call.rank(axis).is_none_or(|rank| rank == 1),
            InvalidArgument,
            "'dims' must be 1-dimension, not {}",
            call.rank(axis).unwrap_or_default()
        );
        let mut reversed: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
        for (i, given) in call.integers(axis)?.into_iter().flatten().enumerate() {
            let axis = axes::normalize(given, rank).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "'axis'[{i}] = {given} is out of valid range [0, {}",
                    rank - 1
                )
            })?;
            ensure!(
                !std::mem::replace(&mut reversed[axis], true),
                InvalidArgument,
                "axis {axis} specified more than once."
            );
        }
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [tensor, axis] = init.inputs(["tensor", "axis"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, shape) = (ctx.input(tensor), ctx.output_shape(0)?.clone());
        if shape.num_elements() == 0 || shape.rank() == 0 {
            let same = ctx.take_input(tensor);
            ctx.set_output(0, same);
            return Ok(());
        }
        let sizes = input.dims().iter().map(|&d| d as usize);
        let mut dims: SmallVec<[_; 8]> = sizes.zip(strided::strides(input.dims())).collect();
        let mut start = 0;
        for axis in axes::integers(ctx.input(axis))? {
            let (len, stride) = &mut dims[axes::from_start(axis, shape.rank())];
            start += (*len - 1) * *stride as usize;
            *stride = -*stride;
        }
        let out = strided::gather(ctx, input, &Strided::new(dims, start), shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
