//! `SpaceToDepth` and `DepthToSpace`: square blocks of an image as more channels, and back.

use tfe_core::{DTypeSet, DataType, Result, bail, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES.union(DTypeSet::of(&[DataType::Qint8])))],
        ..KernelDef::host(ops::SPACE_TO_DEPTH, rule_to_depth, build_to_depth)
    },
    KernelDef {
        types: &[("T", TYPES)],
        ..KernelDef::host(ops::DEPTH_TO_SPACE, rule_to_space, build_to_space)
    },
];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
]));

fn rule_to_depth(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let block = block_size(op)?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let Some([batch, height, width, depth]) = image(call, "should be 4 instead of")? else {
            return Ok(());
        };
        ensure!(
            [height, width]
                .iter()
                .all(|&d| d == dim::UNKNOWN || d % block == 0),
            InvalidArgument,
            "Image width {width} and height {height} should be divisible by block_size: {block}"
        );
        let blocks = |d: i64| dim::of(d, block, i64::checked_div);
        let depth = dim::mul(dim::mul(block, block)?, depth)?;
        call.set(0, &[batch, blocks(height)?, blocks(width)?, depth])
    }))
}

fn rule_to_space(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let block = block_size(op)?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let Some([batch, height, width, depth]) = image(call, "should be: 4 instead of:")? else {
            return Ok(());
        };
        let squared = block.saturating_mul(block);
        ensure!(
            depth == dim::UNKNOWN || depth % squared == 0,
            InvalidArgument,
            "Input depth dimension {depth} should be divisible by: {squared}"
        );
        let depth = dim::of(depth, squared, i64::checked_div)?;
        call.set(
            0,
            &[
                batch,
                dim::mul(height, block)?,
                dim::mul(width, block)?,
                depth,
            ],
        )
    }))
}

/// The dimensions of the input, unless nothing is known of them; `should` is for the message about another rank.
fn image(call: &mut Inference<'_>, should: &str) -> Result<Option<[i64; 4]>> {
    call.set_rank(0, 4);
    match call.dims(0) {
        None => Ok(None),
        Some(&[batch, height, width, depth]) => Ok(Some([batch, height, width, depth])),
        Some(dims) => bail!(InvalidArgument, "Input rank {should} {}", dims.len()),
    }
}

fn block_size(op: &OpInit<'_>) -> Result<i64> {
    let format = op.attrs.str("data_format")?;
    ensure!(
        format == "NHWC",
        NotFound,
        "there is no kernel of {} with data_format \"{format}\"",
        op.spec.name()
    );
    op.attrs.int("block_size")
}

fn build_to_depth(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let block = init.attrs.int("block_size")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (from, to) = (ctx.input(0).dims(), ctx.output_shape(0)?.dims());
        swapped(ctx, [from[0], to[1], block, to[2], block, from[3]])
    }))
}

fn build_to_space(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let block = init.attrs.int("block_size")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (from, to) = (ctx.input(0).dims(), ctx.output_shape(0)?.dims());
        swapped(ctx, [from[0], from[1], from[2], block, block, to[3]])
    }))
}

/// Sets the input, seen in six dimensions, with those in the middle swapped.
fn swapped(ctx: &mut KernelContext<'_>, dims: [i64; 6]) -> Result<()> {
    let strides = strided::strides(&dims);
    let walk = [0, 1, 3, 2, 4, 5].map(|i| (dims[i] as usize, strides[i]));
    let shape = ctx.output_shape(0)?.clone();
    let out = strided::gather(ctx, ctx.input(0), &Strided::new(walk, 0), shape)?;
    ctx.set_output(0, out);
    Ok(())
}
