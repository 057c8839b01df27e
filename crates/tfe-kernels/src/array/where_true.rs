//! `Where`: the index vectors of all elements that are not zero. (`where` is a keyword, hence the file's name.)

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Plain, Result, Shape, Tensor, dispatch};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::{Cursor, axes, fill, scratch};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool])))],
    ..KernelDef::host(ops::WHERE, rule, build)
}];

/// As many rows as there are elements that are not zero, which only the elements tell.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        let rank = call.rank(0).map_or(dim::UNKNOWN, |rank| rank as i64);
        call.set(0, &[dim::UNKNOWN, rank])
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let find: Find = match init.attrs.dtype("T")? {
        DataType::Bool => nonzero::<bool>,
        number => dispatch!(number, Number, |T| Ok(nonzero::<T> as Find))?,
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let (positions, dims) = (find(input)?, input.dims());
        let out = ctx.output_of(0, Shape::new(&[positions.len() as i64, dims.len() as i64])?)?;
        let mut index: SmallVec<[i64; 8]> = SmallVec::from_elem(0, dims.len());
        let out = fill(out, |dst| {
            let mut out = Cursor::new(dst);
            for &position in &positions {
                axes::index_of(position, dims, &mut index);
                out.copy(&index);
            }
            out.finish()
        })?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

type Find = fn(&Tensor) -> Result<Vec<usize>>;

/// Counts first, so that no more memory is taken than there are positions.
fn nonzero<T: Plain + PartialEq>(input: &Tensor) -> Result<Vec<usize>> {
    let elements = input.as_slice::<T>()?;
    let is_true = |x: &T| *x != T::default();
    let mut positions = scratch(elements.iter().filter(|x| is_true(x)).count())?;
    positions.extend((0..elements.len()).filter(|&i| is_true(&elements[i])));
    Ok(positions)
}
