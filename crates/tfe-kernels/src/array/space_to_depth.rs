//! `SpaceToDepth` and `DepthToSpace`: square blocks of an image as more channels, and back.

use tfe_core::{DTypeSet, DataType, Result, Shape, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES.union(DTypeSet::of(&[DataType::Qint8])))],
        ..KernelDef::cpu(ops::SPACE_TO_DEPTH, build_to_depth)
    },
    KernelDef {
        types: &[("T", TYPES)],
        ..KernelDef::cpu(ops::DEPTH_TO_SPACE, build_to_space)
    },
];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
]));

fn build_to_depth(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let block = block_size(init)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let &[batch, height, width, depth] = input.dims() else {
            bail!(
                InvalidArgument,
                "Input rank should be 4 instead of {}",
                input.rank()
            );
        };
        ensure!(
            height % block == 0 && width % block == 0,
            InvalidArgument,
            "Image width {width} and height {height} should be divisible by block_size: {block}"
        );
        let (height, width) = (height / block, width / block);
        let from = [batch, height, block, width, block, depth];
        let to = Shape::new(&[batch, height, width, block * block * depth])?;
        swapped(ctx, from, to)
    }))
}

fn build_to_space(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let block = block_size(init)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let &[batch, height, width, depth] = input.dims() else {
            bail!(
                InvalidArgument,
                "Input rank should be: 4 instead of: {}",
                input.rank()
            );
        };
        let squared = block.saturating_mul(block);
        ensure!(
            depth % squared == 0,
            InvalidArgument,
            "Input depth dimension {depth} should be divisible by: {squared}"
        );
        let depth = depth / squared;
        let sizes = [height.checked_mul(block), width.checked_mul(block)];
        let [Some(tall), Some(wide)] = sizes else {
            bail!(
                InvalidArgument,
                "an image of {} is too large for blocks of {block}",
                input.shape()
            );
        };
        let from = [batch, height, width, block, block, depth];
        swapped(ctx, from, Shape::new(&[batch, tall, wide, depth])?)
    }))
}

fn block_size(init: &KernelInit<'_>) -> Result<i64> {
    let format = init.attrs.str("data_format")?;
    ensure!(
        format == "NHWC",
        NotFound,
        "there is no kernel of {} with data_format \"{format}\"",
        init.spec.name()
    );
    init.attrs.int("block_size")
}

/// Sets the input, seen in six dimensions, with those in the middle swapped.
fn swapped(ctx: &mut KernelContext<'_>, dims: [i64; 6], shape: Shape) -> Result<()> {
    let strides = strided::strides(&dims);
    let walk = [0, 1, 3, 2, 4, 5].map(|i| (dims[i] as usize, strides[i]));
    let out = strided::gather(ctx, ctx.input(0), &Strided::new(walk, 0), shape)?;
    ctx.set_output(0, out);
    Ok(())
}
