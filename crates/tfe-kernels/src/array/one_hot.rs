//! `OneHot`: for each index a vector that is `on` at that index and `off` elsewhere.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Word, ensure};
use tfe_device::{
    Device, Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim,
};
use tfe_ops::ops;

use tfe_host::movement::{Movement, moved};
use tfe_host::{axes, cost, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("TI", INDICES)],
    host_inputs: &["depth"],
    ..KernelDef::host(ops::ONE_HOT, rule, build)
}];

const INDICES: DTypeSet = DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Int8, DataType::Uint8]));
const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
]));

/// The shape of the indices with `depth` put in at the axis.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let given = op.attrs.int("axis")?;
    let [indices, depth, on, off] = op.inputs(["indices", "depth", "on_value", "off_value"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        if let Some(rank) = call.rank(indices) {
            ensure!(
                given == -1 || (0..=rank as i64).contains(&given),
                InvalidArgument,
                "Expected axis to be -1 or between [0, {}).  But received: {given}",
                rank + 1
            );
        }
        call.scalar(depth, "depth")?;
        call.scalar(on, "on_value")?;
        call.scalar(off, "off_value")?;
        let depth = call.integer(depth)?;
        ensure!(
            depth.is_none_or(|depth| depth >= 0),
            InvalidArgument,
            "depth must be non-negative, got: {}",
            depth.unwrap_or_default()
        );
        let Some(dims) = call.dims(indices) else {
            return Ok(());
        };
        let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
        let axis = usize::try_from(given).unwrap_or(dims.len());
        dims.insert(axis, depth.unwrap_or(dim::UNKNOWN));
        call.set(0, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let given = init.attrs.int("axis")?;
    let [indices, on, off] = init.inputs(["indices", "on_value", "off_value"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (shape, indices) = (ctx.output_shape(0)?, ctx.input(indices));
        let axis = usize::try_from(given).unwrap_or(indices.rank());
        let hot = OneHot {
            indices: &axes::integers(indices)?,
            depth: shape.dim(axis),
            suffix: shape.dims()[axis + 1..].iter().product::<i64>() as usize,
        };
        let out = moved(
            ctx,
            ctx.output(0)?,
            ctx.input(on),
            Some(ctx.input(off)),
            &hot,
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// Element 0 of the input where the vectors are `on`, gaps elsewhere.
struct OneHot<'a> {
    indices: &'a [i64],
    depth: usize,
    /// Neighbours along a vector are so far apart.
    suffix: usize,
}

impl Movement for OneHot<'_> {
    fn write<'a, W: Word>(
        &self,
        device: &dyn Device,
        source: &[W],
        gap: W,
        dst: &'a mut [MaybeUninit<W>],
    ) -> Result<&'a mut [W]> {
        let Self {
            indices,
            depth,
            suffix,
        } = *self;
        let block = depth * suffix;
        Ok(parallel::write(
            device,
            dst,
            block,
            cost::copy(size_of::<W>()),
            &|start, piece| {
                let piece = loops::repeat(piece, gap);
                let first = start / block.max(1);
                let blocks = piece.chunks_exact_mut(block.max(1));
                for (block, indices) in blocks.zip(indices[first * suffix..].chunks(suffix.max(1)))
                {
                    for (i, &index) in indices.iter().enumerate() {
                        if (0..depth as i64).contains(&index) {
                            block[index as usize * suffix + i] = source[0];
                        }
                    }
                }
                piece
            },
        ))
    }

    fn source(&self, i: usize) -> Option<usize> {
        let (block, within) = (
            i / (self.depth * self.suffix),
            i % (self.depth * self.suffix),
        );
        let index = self.indices[block * self.suffix + within % self.suffix];
        (index == (within / self.suffix) as i64).then_some(0)
    }
}
