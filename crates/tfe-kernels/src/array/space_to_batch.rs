//! `SpaceToBatchND` and `BatchToSpaceND`: blocks of space as more images of a batch, and back.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, Result, Shape, Tensor, bail, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::movement::moved;
use tfe_host::segmented_copy::{Run, Runs};
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[
            ("T", DTypeSet::REAL),
            ("Tblock_shape", DTypeSet::INDEX),
            ("Tpaddings", DTypeSet::INDEX),
        ],
        host_inputs: &["block_shape", "paddings"],
        ..KernelDef::host(ops::SPACE_TO_BATCH_ND, rule_to_batch, build_to_batch)
    },
    KernelDef {
        types: &[
            ("T", DTypeSet::REAL),
            ("Tblock_shape", DTypeSet::INDEX),
            ("Tcrops", DTypeSet::INDEX),
        ],
        host_inputs: &["block_shape", "crops"],
        ..KernelDef::host(ops::BATCH_TO_SPACE_ND, rule_to_space, build_to_space)
    },
];

fn rule_to_batch(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let inputs = op.inputs(["input", "block_shape", "paddings"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let Some((dims, blocks)) = checked(call, inputs, ["paddings", "Paddings"])? else {
            return Ok(());
        };
        let mut padded = Dims::from_slice(dims);
        for (dim, &[before, after]) in padded[1..].iter_mut().zip(&blocks.margins) {
            *dim = dim::add(dim::add(*dim, before)?, after)?;
        }
        padded[0] = dim::mul(padded[0], blocks.volume)?;
        for (i, (size, &block)) in padded[1..].iter_mut().zip(&blocks.sizes).enumerate() {
            ensure!(
                *size == dim::UNKNOWN || *size % block == 0,
                InvalidArgument,
                "padded_shape[{i}]={size} is not divisible by block_shape[{i}]={block}"
            );
            *size = dim::of(*size, block, i64::checked_div)?;
        }
        call.set(0, &padded)
    }))
}

fn rule_to_space(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let inputs = op.inputs(["input", "block_shape", "crops"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let Some((dims, blocks)) = checked(call, inputs, ["crops", "Crops"])? else {
            return Ok(());
        };
        let mut cropped = Dims::from_slice(dims);
        ensure!(
            dims[0] == dim::UNKNOWN || dims[0] % blocks.volume == 0,
            InvalidArgument,
            "Input batch dimension ({}) is not divisible by product of block sizes ({})",
            dims[0],
            blocks.volume
        );
        cropped[0] = dim::of(dims[0], blocks.volume, i64::checked_div)?;
        for (dim, &block) in cropped[1..].iter_mut().zip(&blocks.sizes) {
            *dim = dim::mul(block, *dim)?;
        }
        for (i, (dim, &[before, after])) in cropped[1..].iter_mut().zip(&blocks.margins).enumerate()
        {
            let Some(whole) = dim::known(*dim) else {
                continue;
            };
            *dim = whole.saturating_sub(before).saturating_sub(after);
            ensure!(
                *dim >= 0,
                InvalidArgument,
                "cropped_shape[{i}]={dim} must be non-negative"
            );
        }
        call.set(0, &cropped)
    }))
}

fn build_to_batch(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [input, sizes, paddings] = init.inputs(["input", "block_shape", "paddings"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let blocks = Blocks::new(
            axes::integers(ctx.input(sizes))?,
            &axes::integers(ctx.input(paddings))?,
        )?;
        let padded = padded(ctx, ctx.input(input), &blocks.margins)?;
        let (dims, shape) = (padded.dims(), ctx.output_shape(0)?);
        // As seen: the batch, for each dimension of space how many blocks and the size of one, the rest.
        let space = blocks.sizes.len();
        let mut seen: Dims = smallvec![dims[0]];
        for (&block, &count) in blocks.sizes.iter().zip(&shape.dims()[1..]) {
            seen.extend([count, block]);
        }
        seen.extend_from_slice(&dims[1 + space..]);
        let within = (0..space).map(|i| 2 + 2 * i);
        let between = (0..space).map(|i| 1 + 2 * i);
        let order = within.chain([0]).chain(between);
        let order = order.chain(1 + 2 * space..seen.len());
        let out = permuted(ctx, &padded, &seen, order, shape.clone())?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_to_space(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [input, sizes, crops] = init.inputs(["input", "block_shape", "crops"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let blocks = Blocks::new(
            axes::integers(ctx.input(sizes))?,
            &axes::integers(ctx.input(crops))?,
        )?;
        let (input, shape) = (ctx.input(input), ctx.output_shape(0)?);
        let (dims, space) = (input.dims(), blocks.sizes.len());
        // As seen: the size of a block in each dimension of space, the batch, how many blocks in each, the rest.
        let mut seen: Dims = blocks.sizes.clone();
        seen.push(shape.dims()[0]);
        seen.extend_from_slice(&dims[1..]);
        let mut whole = Dims::from_slice(shape.dims());
        for (whole, &[before, after]) in whole[1..].iter_mut().zip(&blocks.margins) {
            *whole += before + after;
        }
        let pairs = (0..space).flat_map(|i| [space + 1 + i, i]);
        let order = [space].into_iter().chain(pairs);
        let order = order.chain(1 + 2 * space..seen.len());
        let whole = permuted(ctx, input, &seen, order, Shape::new(&whole)?)?;
        let begin = blocks.margins.iter().map(|&[before, _]| before as usize);
        let begin = [0].into_iter().chain(begin).chain(std::iter::repeat(0));
        let size = shape.dims().iter().map(|&size| size as usize);
        let walk = Strided::block(whole.dims(), begin, size);
        let out = strided::gather(ctx, &whole, &walk, shape.clone())?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

type Dims = SmallVec<[i64; 8]>;

/// What is added or cut off before and after each dimension of space.
type Margins = SmallVec<[[i64; 2]; 4]>;

/// How blocks lie in space.
struct Blocks {
    /// The size of a block in each dimension of space.
    sizes: Dims,
    /// The places of a block.
    volume: i64,
    margins: Margins,
}

impl Blocks {
    fn new(sizes: Dims, margins: &[i64]) -> Result<Self> {
        Ok(Self {
            volume: sizes.iter().try_fold(1, |n, &size| dim::mul(n, size))?,
            sizes,
            margins: SmallVec::from_slice(margins.as_chunks().0),
        })
    }
}

/// The dimensions of the input and the blocks, if the values of both other inputs are known. The last input has that
/// name, at the beginning of a sentence the other.
fn checked<'a>(
    call: &mut Inference<'a>,
    [input, sizes, margins]: [usize; 3],
    [name, title]: [&str; 2],
) -> Result<Option<(&'a [i64], Blocks)>> {
    let rank = call.rank(input);
    ensure!(
        call.rank(sizes).is_none_or(|rank| rank == 1),
        InvalidArgument,
        "block_shape rank should be 1 instead of {}",
        call.rank(sizes).unwrap_or_default()
    );
    if let Some(space) = call.num_elements(sizes) {
        ensure!(
            rank.is_none_or(|rank| rank as i64 > space),
            InvalidArgument,
            "input rank should be >= {} instead of {}",
            space + 1,
            rank.unwrap_or_default()
        );
        ensure!(
            call.dims(margins)
                .is_none_or(|dims| dim::may_be_equal(dims, &[space, 2])),
            InvalidArgument,
            "{name} should have shape [{space}, 2] instead of {}",
            call.shown(margins)
        );
    }
    if let Some(rank) = rank {
        call.set_rank(0, rank);
    }
    let (Some(sizes), Some(margins)) = (call.integers(sizes)?, call.integers(margins)?) else {
        return Ok(None);
    };
    if let Some(i) = sizes.iter().position(|&size| size <= 0) {
        bail!(
            InvalidArgument,
            "All values in block_shape must be positive, got value, {} at index {i}.",
            sizes[i]
        );
    }
    let blocks = Blocks::new(sizes, &margins)?;
    ensure!(
        margins.iter().all(|&margin| margin >= 0),
        InvalidArgument,
        "{title} must be non-negative"
    );
    Ok(call.dims(input).map(|dims| (dims, blocks)))
}

/// The tensor with zeros around space.
fn padded(ctx: &KernelContext<'_>, input: &Tensor, margins: &[[i64; 2]]) -> Result<Tensor> {
    if margins.iter().all(|&margin| margin == [0, 0]) {
        return Ok(input.clone());
    }
    let strides = strided::strides(input.dims());
    let around = |i: usize| match i.checked_sub(1).and_then(|i| margins.get(i)) {
        Some(&margin) => margin,
        None => [0, 0],
    };
    let dims: Dims = input
        .dims()
        .iter()
        .enumerate()
        .map(|(i, dim)| dim + around(i).iter().sum::<i64>())
        .collect();
    let runs = strides.iter().enumerate().map(|(i, &stride)| {
        let [before, after] = around(i).map(|margin| Run::gap(margin as usize));
        smallvec![before, Run::of(input.shape().dim(i), 0, stride), after]
    });
    moved(
        ctx,
        ctx.allocate(input.dtype(), Shape::new(&dims)?)?,
        input,
        None,
        &Runs::new(runs),
    )
}

/// The tensor, seen with these dimensions, in another order of them, as a tensor of a shape.
fn permuted(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    seen: &[i64],
    order: impl Iterator<Item = usize>,
    shape: Shape,
) -> Result<Tensor> {
    let strides = strided::strides(seen);
    let walk = Strided::new(order.map(|i| (seen[i] as usize, strides[i])), 0);
    strided::gather(ctx, input, &walk, shape)
}
