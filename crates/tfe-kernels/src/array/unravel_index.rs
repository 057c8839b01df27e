//! `UnravelIndex`: the index vectors of elements of a dense array.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::{axes, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tidx", DTypeSet::INDEX)],
    ..KernelDef::host(ops::UNRAVEL_INDEX, rule, build)
}];

/// A row for each dimension of the array, with a column for each index of a vector of them.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let dtype = op.attrs.dtype("Tidx")?;
    let [indices, dims] = op.inputs(["indices", "dims"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.rank(indices).is_none_or(|rank| rank <= 1),
            InvalidArgument,
            "The indices can only be scalar or vector, got \"{}\"",
            call.shown(indices)
        );
        call.of_rank(dims, 1, || {
            err!(
                InvalidArgument,
                "The dims can only be 1-D, got \"{}\"",
                call.shown(dims)
            )
        })?;
        let sizes = call.integers(dims)?;
        if let Some(i) = sizes.iter().flatten().position(|&size| size == 0) {
            bail!(
                InvalidArgument,
                "Input dims cannot contain a dim of zero, but dims contains zero at index {i}"
            );
        }
        ensure!(
            call.num_elements(indices) != Some(0),
            InvalidArgument,
            "received empty tensor indices"
        );
        if let Some(sizes) = sizes {
            let array = Shape::new(&sizes)?;
            ensure!(
                dtype == DataType::Int64 || i32::try_from(array.num_elements()).is_ok(),
                InvalidArgument,
                "Input dims product is causing integer overflow: {array}"
            );
        }
        let rank = call.num_elements(dims).unwrap_or(dim::UNKNOWN);
        match call.dims(indices) {
            Some(&[n]) => call.set(0, &[rank, n]),
            Some(_) => call.set(0, &[rank]),
            None => Ok(()),
        }
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [indices, dims] = init.inputs(["indices", "dims"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (indices, shape) = (ctx.input(indices), ctx.output_shape(0)?.clone());
        let sizes = axes::integers(ctx.input(dims))?;
        let count: i64 = sizes.iter().product();
        let n = indices.num_elements();
        let mut index: SmallVec<[i64; 8]> = SmallVec::from_elem(0, sizes.len());
        let mut vectors = scratch_of(0, shape.num_elements())?;
        for (i, at) in axes::integers(indices)?.into_iter().enumerate() {
            ensure!(
                (0..count).contains(&at),
                InvalidArgument,
                "index is out of bound as with dims"
            );
            axes::index_of(at as usize, &sizes, &mut index);
            for (d, &v) in index.iter().enumerate() {
                vectors[d * n + i] = v;
            }
        }
        let out = axes::tensor(ctx, ctx.output_dtype(0), shape, &vectors)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
