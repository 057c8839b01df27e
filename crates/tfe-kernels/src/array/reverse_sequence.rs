//! `ReverseSequence`: the first elements of each sequence of a batch in the opposite order, as many as each is long.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;
use tfe_host::scratch;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tlen", DTypeSet::INDEX)],
    ..KernelDef::host(ops::REVERSE_SEQUENCE, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool, DataType::String]));

/// Sequences run along one dimension and are counted along another.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (seq, batch) = (op.attrs.int("seq_dim")?, op.attrs.int("batch_dim")?);
    let [input, lengths] = op.inputs(["input", "seq_lengths"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.rank(lengths).is_none_or(|rank| rank == 1),
            InvalidArgument,
            "seq_lengths must be 1-dim, not {}",
            call.rank(lengths).unwrap_or_default()
        );
        ensure!(
            batch != seq,
            InvalidArgument,
            "batch_dim == seq_dim == {seq}"
        );
        for (name, axis) in [("seq_dim", seq), ("batch_dim", batch)] {
            ensure!(axis >= 0, InvalidArgument, "Invalid {name} {axis}");
            let rank = call.rank(input).map_or(i64::MAX, |rank| rank as i64);
            ensure!(
                axis < rank,
                InvalidArgument,
                "{name} must be < input rank ( {axis} vs. {rank})"
            );
        }
        if let (Some(dims), Some(&[n])) = (call.dims(input), call.dims(lengths)) {
            let size = dims[batch as usize];
            ensure!(
                dim::merge(n, size).is_some(),
                InvalidArgument,
                "Length of seq_lengths != input.dims({batch}), ({n} vs. {size})"
            );
        }
        call.set_like(0, input);
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [seq, batch] = ["seq_dim", "batch_dim"].map(|name| init.attrs.int(name));
    let (seq, batch) = (seq? as usize, batch? as usize);
    let [input, lengths] = init.inputs(["input", "seq_lengths"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let dims = ctx.output_shape(0)?.clone();
        let dims = dims.dims();
        let given = axes::integers(ctx.input(lengths))?;
        for (i, &length) in given.iter().enumerate() {
            ensure!(length >= 0, InvalidArgument, "seq_lens({i}) < 0");
            ensure!(
                length <= dims[seq],
                InvalidArgument,
                "seq_lens({i}) > input.dims({seq})"
            );
        }
        if dims.contains(&0) {
            // There may be any number of rows.
            let same = ctx.take_input(input);
            ctx.set_output(0, same);
            return Ok(());
        }
        // A row is what lies below both dimensions.
        let (outer, inner) = dims.split_at(seq.max(batch) + 1);
        let width = inner.iter().product::<i64>() as usize;
        let stride = outer[seq + 1..].iter().product::<i64>();
        let mut index: SmallVec<[i64; 8]> = SmallVec::from_elem(0, outer.len());
        let count = outer.iter().product::<i64>();
        let mut rows = scratch(count as usize)?;
        rows.extend((0..count).map(|row| {
            axes::index_of(row as usize, outer, &mut index);
            let (at, length) = (index[seq], given[index[batch] as usize]);
            let from = if at < length { length - 1 - at } else { at };
            (row + (from - at) * stride) as usize
        }));
        let out = moved(
            ctx,
            ctx.output(0)?,
            ctx.input(input),
            None,
            &Rows::of(&rows, width),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
