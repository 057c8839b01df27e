//! `Slice`: a block of a tensor, from `begin` on and of a size in each dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::part;
use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Index", DTypeSet::INDEX)],
    host_inputs: &["begin", "size"],
    ..KernelDef::cpu(ops::SLICE, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let (begin, size) = block(input, ctx.input(1), ctx.input(2))?;
        let shape = Shape::new(&size)?;
        let inner = begin.iter().zip(&size).zip(input.dims()).skip(1);
        let is_rows = input.rank() > 0 && inner.clone().all(|((_, &size), &dim)| size == dim);
        let view = if is_rows {
            part::rows(input, begin[0]..begin[0] + shape.dim(0), &shape)?
        } else {
            None
        };
        let out = match view {
            Some(view) => view,
            None => {
                let size = size.iter().map(|&n| n as usize);
                let walk = Strided::block(input.dims(), begin, size);
                strided::gather(ctx, input, &walk, shape)?
            }
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}

type Block = (SmallVec<[usize; 8]>, SmallVec<[i64; 8]>);

/// Where the block begins and how large it is. A size of -1 is all that is left.
fn block(input: &Tensor, begin: &Tensor, size: &Tensor) -> Result<Block> {
    let rank = input.rank();
    ensure!(
        begin.rank() == 1 && begin.dims() == size.dims() && begin.num_elements() == rank,
        InvalidArgument,
        "Expected begin and size arguments to be 1-D tensors of size {rank}, but got shapes {} and {} instead.",
        begin.shape(),
        size.shape()
    );
    let (begin, mut size) = (axes::integers(begin)?, axes::integers(size)?);
    for (i, &dim) in input.dims().iter().enumerate() {
        let b = begin[i];
        ensure!(
            (0..=dim).contains(&b),
            InvalidArgument,
            "Expected begin[{i}] in [0, {dim}], but got {b}"
        );
        if size[i] == -1 {
            size[i] = dim - b;
        }
        ensure!(
            (0..=dim - b).contains(&size[i]),
            InvalidArgument,
            "Expected size[{i}] in [0, {}], but got {}",
            dim - b,
            size[i]
        );
    }
    Ok((begin.iter().map(|&b| b as usize).collect(), size))
}
