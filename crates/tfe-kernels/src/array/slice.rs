//! `Slice`: a block of a tensor, from `begin` on and of a size in each dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::part;
use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Index", DTypeSet::INDEX)],
    host_inputs: &["begin", "size"],
    ..KernelDef::host(ops::SLICE, rule, build)
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

/// The sizes; one of -1 is all that is left.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, begin, size] = op.inputs(["input", "begin", "size"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let rank = call.rank(input);
        let fits = |i: usize| match (call.dims(i), rank) {
            (Some(&[n]), Some(rank)) => dim::merge(n, rank as i64).is_some(),
            (dims, _) => matches!(dims, None | Some([_])),
        };
        ensure!(
            fits(begin) && fits(size) && call.may_be_equal(begin, size),
            InvalidArgument,
            "Expected begin and size arguments to be 1-D tensors of size {}, but got shapes {} and {} instead.",
            rank.unwrap_or_default(),
            call.shown(begin),
            call.shown(size)
        );
        let entries = call.entries(begin).or(call.entries(size));
        let Some(rank) = rank.or(entries) else {
            return Ok(());
        };
        let unknown = || SmallVec::<[i64; 8]>::from_elem(dim::UNKNOWN, rank);
        let (dims, begins) = (call.dims(input), call.integers(begin)?);
        // An unknown size is said as all that is left is, which without a beginning is unknown too.
        let mut sizes = call.integers(size)?.unwrap_or_else(unknown);
        let all_left = call.value(size).is_some();
        for (i, size) in sizes.iter_mut().enumerate() {
            let whole = dims.and_then(|dims| dim::known(dims[i]));
            let begin = begins.as_ref().map(|begins| begins[i]);
            if let (Some(begin), Some(whole)) = (begin, whole) {
                ensure!(
                    (0..=whole).contains(&begin),
                    InvalidArgument,
                    "Expected begin[{i}] in [0, {whole}], but got {begin}"
                );
                if *size == -1 && all_left {
                    *size = whole - begin;
                }
            }
            let most = whole.map_or(i64::MAX, |whole| whole - begin.unwrap_or_default());
            ensure!(
                (dim::UNKNOWN..=most).contains(size),
                InvalidArgument,
                "Expected size[{i}] in [0, {most}], but got {size}"
            );
        }
        call.set(0, &sizes)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [input, begin] = init.inputs(["input", "begin"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, shape) = (ctx.input(input), ctx.output_shape(0)?);
        let begin = axes::integers(ctx.input(begin))?;
        let mut begin = begin.iter().map(|&b| b as usize).peekable();
        let is_rows = input.rank() > 0 && shape.dims()[1..] == input.dims()[1..];
        let view = if is_rows {
            let first = begin.peek().copied().unwrap_or_default();
            part::rows(input, first..first + shape.dim(0), shape)?
        } else {
            None
        };
        let out = match view {
            Some(view) => view,
            None => {
                let size = shape.dims().iter().map(|&n| n as usize);
                let walk = Strided::block(input.dims(), begin, size);
                strided::gather(ctx, input, &walk, shape.clone())?
            }
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}
