//! `Reshape`: the same elements in another shape, sharing the memory.

use tfe_core::{DTypeSet, Error, Result, Shape, Tensor, bail, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tshape", DTypeSet::INDEX)],
    host_inputs: &["shape"],
    ..KernelDef::cpu(ops::RESHAPE, build)
}];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shape = wanted(ctx.input(0), ctx.input(1))?;
        let out = ctx.take_input(0).reshaped(shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The shape that is asked for, by a vector or the size of the only dimension; of one size at most is said -1, which is what the others leave.
fn wanted(input: &Tensor, sizes: &Tensor) -> Result<Shape> {
    ensure!(
        sizes.rank() <= 1,
        InvalidArgument,
        "sizes input must be 1-D, not {}",
        sizes.shape()
    );
    let mut dims = axes::integers(sizes)?;
    let mut unknown = None;
    for (i, &size) in dims.iter().enumerate() {
        match (size, unknown) {
            (-1, Some(first)) => bail!(
                InvalidArgument,
                "Only one input size may be -1, not both {first} and {i}"
            ),
            (-1, None) => unknown = Some(i),
            (..=-2, _) => bail!(InvalidArgument, "Size {i} must be non-negative, not {size}"),
            _ => {}
        }
    }
    if let Some(i) = unknown {
        dims[i] = left(input.shape(), &dims)?;
    }
    let shape = Shape::new(&dims).map_err(|_| too_many(&dims))?;
    let count = input.num_elements();
    ensure!(
        shape.num_elements() == count,
        InvalidArgument,
        "Input to reshape is a tensor with {count} values, but the requested shape has {}",
        shape.num_elements()
    );
    Ok(shape)
}

/// What the sizes other than -1 leave of a shape. Where one is 0, the zeros on both sides do not count: only the others
/// can say anything.
fn left(input: &Shape, sizes: &[i64]) -> Result<i64> {
    let empty = sizes.contains(&0);
    let mut known = sizes.iter().filter(|&&size| size > 0);
    let product = known.try_fold(1i64, |n, &size| n.checked_mul(size));
    let product = product.ok_or_else(|| too_many(sizes))?;
    let counted = input.dims().iter().filter(|&&dim| dim > 0 || !empty);
    let count: i64 = counted.product();
    ensure!(
        count % product == 0 || (empty && input.dims().contains(&0)),
        InvalidArgument,
        "Input to reshape is a tensor with {count} values, but the requested shape requires a multiple of {product}"
    );
    Ok(count / product)
}

fn too_many(sizes: &[i64]) -> Error {
    let sizes: Vec<_> = sizes.iter().map(i64::to_string).collect();
    err!(
        InvalidArgument,
        "Shape [{}] has too many elements",
        sizes.join(", ")
    )
}
