//! `ReverseSequence`: the first elements of each sequence of a batch in the opposite order, as many as each is long.

use tfe_core::{DTypeSet, DataType, Result, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tlen", DTypeSet::INDEX)],
    ..KernelDef::cpu(ops::REVERSE_SEQUENCE, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool, DataType::String]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (seq_dim, batch_dim) = (init.attrs.int("seq_dim")?, init.attrs.int("batch_dim")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (seq, batch) = check(ctx, seq_dim, batch_dim)?;
        let input = ctx.input(0);
        let lengths = axes::integers(ctx.input(1))?;
        // A row is what lies below both dimensions.
        let (outer, inner) = input.dims().split_at(seq.max(batch) + 1);
        let width = inner.iter().product::<i64>() as usize;
        let stride = outer[seq + 1..].iter().product::<i64>();
        let mut index = vec![0; outer.len()];
        let rows = (0..outer.iter().product::<i64>()).map(|row| {
            axes::index_of(row as usize, outer, &mut index);
            let (at, length) = (index[seq], lengths[index[batch] as usize]);
            let from = if at < length { length - 1 - at } else { at };
            (row + (from - at) * stride) as usize
        });
        let rows: Vec<_> = rows.collect();
        let movement = Rows::of(&rows, width);
        let out = moved(
            ctx,
            ctx.allocate(input.dtype(), input.shape().clone())?,
            input,
            None,
            &movement,
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The dimensions along which sequences run and are counted, once all is as it should be.
fn check(ctx: &KernelContext<'_>, seq_dim: i64, batch_dim: i64) -> Result<(usize, usize)> {
    let (input, lengths) = (ctx.input(0), ctx.input(1));
    let rank = input.rank() as i64;
    ensure!(
        lengths.rank() == 1,
        InvalidArgument,
        "seq_lengths must be 1-dim, not {}",
        lengths.rank()
    );
    ensure!(
        batch_dim != seq_dim,
        InvalidArgument,
        "batch_dim == seq_dim == {seq_dim}"
    );
    for (name, dim) in [("seq_dim", seq_dim), ("batch_dim", batch_dim)] {
        ensure!(dim >= 0, InvalidArgument, "Invalid {name} {dim}");
        ensure!(
            dim < rank,
            InvalidArgument,
            "{name} must be < input rank ( {dim} vs. {rank})"
        );
    }
    let (seq, batch) = (seq_dim as usize, batch_dim as usize);
    let dims = input.dims();
    ensure!(
        lengths.num_elements() as i64 == dims[batch],
        InvalidArgument,
        "Length of seq_lengths != input.dims({batch}), ({} vs. {})",
        lengths.num_elements(),
        dims[batch]
    );
    for (i, length) in axes::integers(lengths)?.into_iter().enumerate() {
        ensure!(length >= 0, InvalidArgument, "seq_lens({i}) < 0");
        ensure!(
            length <= dims[seq],
            InvalidArgument,
            "seq_lens({i}) > input.dims({seq})"
        );
    }
    Ok((seq, batch))
}
