//! `Where`: the index vectors of all elements that are not zero. (`where` is a keyword, hence the file's name.)

use tfe_core::{DTypeSet, DataType, Plain, Result, Shape, Tensor, dispatch};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool])))],
    ..KernelDef::cpu(ops::WHERE, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let find: Find = match init.attrs.dtype("T")? {
        DataType::Bool => nonzero::<bool>,
        number => dispatch!(number, Number, |T| Ok(nonzero::<T> as Find))?,
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let (positions, dims) = (find(input)?, input.dims());
        let mut index = vec![0; dims.len()];
        let mut indices = Vec::with_capacity(positions.len() * dims.len());
        for &position in &positions {
            axes::index_of(position, dims, &mut index);
            indices.extend_from_slice(&index);
        }
        let shape = Shape::new(&[positions.len() as i64, dims.len() as i64])?;
        let out = axes::tensor(ctx, DataType::Int64, shape, &indices)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

type Find = fn(&Tensor) -> Result<Vec<usize>>;

fn nonzero<T: Plain + PartialEq>(input: &Tensor) -> Result<Vec<usize>> {
    let elements = input.as_slice::<T>()?.iter().enumerate();
    let found = elements.filter(|&(_, &x)| x != T::default());
    Ok(found.map(|(i, _)| i).collect())
}
