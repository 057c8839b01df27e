//! `UnravelIndex`: the index vectors of elements of a dense array.

use tfe_core::{DTypeSet, DataType, Result, Shape, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tidx", DTypeSet::INDEX)],
    ..KernelDef::cpu(ops::UNRAVEL_INDEX, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("Tidx")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (indices, dims) = (ctx.input(0), ctx.input(1));
        ensure!(
            indices.rank() <= 1,
            InvalidArgument,
            "The indices can only be scalar or vector, got \"{}\"",
            indices.shape()
        );
        ensure!(
            dims.rank() == 1,
            InvalidArgument,
            "The dims can only be 1-D, got \"{}\"",
            dims.shape()
        );
        let sizes = axes::integers(dims)?;
        for (i, size) in sizes.iter().enumerate() {
            ensure!(
                *size != 0,
                InvalidArgument,
                "Input dims cannot contain a dim of zero, but dims contains zero at index {i}"
            );
        }
        ensure!(
            indices.num_elements() > 0,
            InvalidArgument,
            "received empty tensor indices"
        );
        let array = Shape::new(&sizes)?;
        ensure!(
            dtype == DataType::Int64 || i32::try_from(array.num_elements()).is_ok(),
            InvalidArgument,
            "Input dims product is causing integer overflow: {array}"
        );
        let given = axes::integers(indices)?;
        let n = given.len();
        let mut index = vec![0; sizes.len()];
        let mut vectors = vec![0; sizes.len() * n];
        for (i, &at) in given.iter().enumerate() {
            ensure!(
                (0..array.num_elements() as i64).contains(&at),
                InvalidArgument,
                "index is out of bound as with dims"
            );
            axes::index_of(at as usize, &sizes, &mut index);
            index
                .iter()
                .enumerate()
                .for_each(|(d, &v)| vectors[d * n + i] = v);
        }
        let shape = match indices.rank() {
            0 => Shape::vector(sizes.len()),
            _ => Shape::new(&[sizes.len() as i64, n as i64])?,
        };
        let out = axes::tensor(ctx, dtype, shape, &vectors)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
