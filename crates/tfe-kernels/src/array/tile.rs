//! `Tile`: a tensor several times along each dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, Result, Shape, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tmultiples", DTypeSet::INDEX)],
    host_inputs: &["multiples"],
    ..KernelDef::cpu(ops::TILE, build)
}];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let (input, multiples) = (ctx.input(0), ctx.input(1));
        ensure!(
            multiples.rank() == 1 && multiples.num_elements() == input.rank(),
            InvalidArgument,
            "Expected multiples argument to be a vector of length {} but got length {}",
            input.rank(),
            multiples.num_elements()
        );
        let multiples = axes::integers(multiples)?;
        let mut dims = SmallVec::<[i64; 8]>::new();
        for (i, (&multiple, &dim)) in multiples.iter().zip(input.dims()).enumerate() {
            ensure!(
                multiple >= 0,
                InvalidArgument,
                "Expected multiples[{i}] >= 0, but got {multiple}"
            );
            dims.push(dim.checked_mul(multiple).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "{multiple} times {dim} along axis {i} is 2**63 or more"
                )
            })?);
        }
        let shape = Shape::new(&dims)?;
        let strides = strided::strides(input.dims());
        let sizes = input.dims().iter().zip(&strides);
        let walk = multiples
            .iter()
            .zip(sizes)
            .flat_map(|(&m, (&dim, &stride))| [(m as usize, 0), (dim as usize, stride)]);
        let out = strided::gather(ctx, input, &Strided::new(walk, 0), shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
