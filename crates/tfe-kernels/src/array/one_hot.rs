//! `OneHot`: for each index a vector that is `on` at that index and `off` elsewhere.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, Word, ensure};
use tfe_device::{Device, Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::movement::{Movement, moved};
use tfe_host::{axes, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("TI", INDICES)],
    host_inputs: &["depth"],
    ..KernelDef::cpu(ops::ONE_HOT, build)
}];

const INDICES: DTypeSet = DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Int8, DataType::Uint8]));
const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let given = init.attrs.int("axis")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (indices, depth) = (ctx.input(0), ctx.input(1));
        let (on, off) = (ctx.input(2), ctx.input(3));
        let rank = indices.rank();
        ensure!(
            given == -1 || (0..=rank as i64).contains(&given),
            InvalidArgument,
            "Expected axis to be -1 or between [0, {}).  But received: {given}",
            rank + 1
        );
        for (input, name) in [(depth, "depth"), (on, "on_value"), (off, "off_value")] {
            ensure!(
                input.rank() == 0,
                InvalidArgument,
                "{name} must be a scalar, but got: {}",
                input.shape()
            );
        }
        let depth = axes::integers(depth)?[0];
        ensure!(
            depth >= 0,
            InvalidArgument,
            "depth must be non-negative, got: {depth}"
        );
        let axis = usize::try_from(given).unwrap_or(rank);
        let mut dims = SmallVec::<[i64; 8]>::from_slice(indices.dims());
        let suffix: i64 = dims[axis..].iter().product();
        dims.insert(axis, depth);
        let hot = OneHot {
            indices: &axes::integers(indices)?,
            depth: depth as usize,
            suffix: suffix as usize,
        };
        let out = moved(ctx, on, Some(off), &hot, Shape::new(&dims)?)?;
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
        let ns = 0.1 * size_of::<W>() as f64;
        Ok(parallel::write(device, dst, block, ns, &|start, piece| {
            let piece = loops::repeat(piece, gap);
            let first = start / block.max(1);
            let blocks = piece.chunks_exact_mut(block.max(1));
            for (block, indices) in blocks.zip(indices[first * suffix..].chunks(suffix.max(1))) {
                for (i, &index) in indices.iter().enumerate() {
                    if (0..depth as i64).contains(&index) {
                        block[index as usize * suffix + i] = source[0];
                    }
                }
            }
            piece
        }))
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
