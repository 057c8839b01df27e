//! `ReverseV2`: the indices of some dimensions in the opposite order.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["axis"],
    ..KernelDef::cpu(ops::REVERSE_V2, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool, DataType::String]));

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let reversed = reversed(input, ctx.input(1))?;
        let strides = strided::strides(input.dims());
        let mut start = 0;
        let dims = reversed.iter().enumerate().map(|(i, &reversed)| {
            let (len, stride) = (input.shape().dim(i), strides[i]);
            if reversed {
                start += (len - 1) * stride as usize;
                (len, -stride)
            } else {
                (len, stride)
            }
        });
        let dims: SmallVec<[_; 8]> = dims.collect();
        let out = strided::gather(
            ctx,
            input,
            &Strided::new(dims, start),
            input.shape().clone(),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// Which dimensions are to be reversed.
fn reversed(input: &Tensor, axes: &Tensor) -> Result<SmallVec<[bool; 8]>> {
    let rank = input.rank();
    let mut reversed: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
    if input.num_elements() == 0 || rank == 0 {
        // Nothing changes places, whatever the axes: TensorFlow does not look at them.
        return Ok(reversed);
    }
    ensure!(
        axes.rank() == 1,
        InvalidArgument,
        "'dims' must be 1-dimension, not {}",
        axes.rank()
    );
    for (i, given) in axes::integers(axes)?.into_iter().enumerate() {
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
    Ok(reversed)
}
