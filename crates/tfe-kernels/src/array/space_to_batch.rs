//! `SpaceToBatchND` and `BatchToSpaceND`: blocks of space as more images of a batch, and back.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
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
        ..KernelDef::cpu(ops::SPACE_TO_BATCH_ND, build_to_batch)
    },
    KernelDef {
        types: &[
            ("T", DTypeSet::REAL),
            ("Tblock_shape", DTypeSet::INDEX),
            ("Tcrops", DTypeSet::INDEX),
        ],
        host_inputs: &["block_shape", "crops"],
        ..KernelDef::cpu(ops::BATCH_TO_SPACE_ND, build_to_space)
    },
];

fn build_to_batch(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let blocks = Blocks::new(ctx, "paddings", "Paddings")?;
        let padded = padded(ctx, &blocks)?;
        let dims = padded.dims();
        // As seen: the batch, for each dimension of space how many blocks and the size of one, the rest.
        let mut seen: Dims = smallvec![dims[0]];
        let mut shape: Dims = smallvec![times(dims[0], blocks.volume)?];
        for (i, (&block, &size)) in blocks.sizes.iter().zip(&dims[1..]).enumerate() {
            ensure!(
                size % block == 0,
                InvalidArgument,
                "padded_shape[{i}]={size} is not divisible by block_shape[{i}]={block}"
            );
            seen.extend([size / block, block]);
            shape.push(size / block);
        }
        let space = blocks.sizes.len();
        seen.extend_from_slice(&dims[1 + space..]);
        shape.extend_from_slice(&dims[1 + space..]);
        let within = (0..space).map(|i| 2 + 2 * i);
        let between = (0..space).map(|i| 1 + 2 * i);
        let order = within.chain([0]).chain(between);
        let order = order.chain(1 + 2 * space..seen.len());
        let out = permuted(ctx, &padded, &seen, order, &shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_to_space(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let blocks = Blocks::new(ctx, "crops", "Crops")?;
        let (input, space) = (ctx.input(0), blocks.sizes.len());
        let dims = input.dims();
        ensure!(
            dims[0] % blocks.volume == 0,
            InvalidArgument,
            "Input batch dimension ({}) is not divisible by product of block sizes ({})",
            dims[0],
            blocks.volume
        );
        // As seen: the size of a block in each dimension of space, the batch, how many blocks in each, the rest.
        let batch = dims[0] / blocks.volume;
        let mut seen: Dims = blocks.sizes.clone();
        seen.push(batch);
        seen.extend_from_slice(&dims[1..]);
        let mut whole: Dims = smallvec![batch];
        for (&block, &count) in blocks.sizes.iter().zip(&dims[1..]) {
            whole.push(times(block, count)?);
        }
        whole.extend_from_slice(&dims[1 + space..]);
        let pairs = (0..space).flat_map(|i| [space + 1 + i, i]);
        let order = [space].into_iter().chain(pairs);
        let order = order.chain(1 + 2 * space..seen.len());
        let out = permuted(ctx, input, &seen, order, &whole)?;
        let out = cropped(ctx, &out, &blocks.margins)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

type Dims = SmallVec<[i64; 8]>;

/// How blocks lie in space.
struct Blocks {
    /// The size of a block in each dimension of space.
    sizes: Dims,
    /// The places of a block.
    volume: i64,
    /// What is added or cut off before and after each dimension of space.
    margins: SmallVec<[[usize; 2]; 4]>,
}

impl Blocks {
    /// From inputs 1 and 2 and the rank of input 0; the second has that name, at the beginning of a sentence the other.
    fn new(ctx: &KernelContext<'_>, name: &str, title: &str) -> Result<Self> {
        let (input, sizes, margins) = (ctx.input(0), ctx.input(1), ctx.input(2));
        ensure!(
            sizes.rank() == 1,
            InvalidArgument,
            "block_shape rank should be 1 instead of {}",
            sizes.rank()
        );
        let space = sizes.num_elements();
        ensure!(
            input.rank() > space,
            InvalidArgument,
            "input rank should be >= {} instead of {}",
            space + 1,
            input.rank()
        );
        ensure!(
            *margins.dims() == [space as i64, 2],
            InvalidArgument,
            "{name} should have shape [{space}, 2] instead of {}",
            margins.shape()
        );
        let sizes = axes::integers(sizes)?;
        for (i, &size) in sizes.iter().enumerate() {
            ensure!(
                size > 0,
                InvalidArgument,
                "All values in block_shape must be positive, got value, {size} at index {i}."
            );
        }
        let volume = sizes.iter().try_fold(1, |n, &size| times(n, size))?;
        let pair = |&[before, after]: &[i64; 2]| match (before.try_into(), after.try_into()) {
            (Ok(before), Ok(after)) => Ok([before, after]),
            _ => Err(err!(InvalidArgument, "{title} must be non-negative")),
        };
        let margins = axes::integers(margins)?;
        let margins = margins.as_chunks().0.iter().map(pair);
        Ok(Self {
            margins: margins.collect::<Result<_>>()?,
            sizes,
            volume,
        })
    }
}

fn times(a: i64, b: i64) -> Result<i64> {
    a.checked_mul(b)
        .ok_or_else(|| err!(InvalidArgument, "{a} times {b} is 2**63 or more"))
}

/// The input with zeros around space.
fn padded(ctx: &KernelContext<'_>, blocks: &Blocks) -> Result<Tensor> {
    let input = ctx.input(0);
    if blocks.margins.iter().all(|&margin| margin == [0, 0]) {
        return Ok(input.clone());
    }
    let strides = strided::strides(input.dims());
    let around = |i: usize| match i.checked_sub(1).and_then(|i| blocks.margins.get(i)) {
        Some(&margin) => margin,
        None => [0, 0],
    };
    let mut dims = Dims::new();
    for (i, &dim) in input.dims().iter().enumerate() {
        let more: Option<i64> = around(i)
            .iter()
            .try_fold(dim, |dim, &margin| dim.checked_add_unsigned(margin as u64));
        let more = more.ok_or_else(|| {
            err!(
                InvalidArgument,
                "Paddings make dimension {i} 2**63 or larger"
            )
        })?;
        dims.push(more);
    }
    let runs = strides.iter().enumerate().map(|(i, &stride)| {
        let [before, after] = around(i);
        let middle = Run::of(input.shape().dim(i), 0, stride);
        smallvec![Run::gap(before), middle, Run::gap(after)]
    });
    moved(
        ctx,
        ctx.allocate(input.dtype(), Shape::new(&dims)?)?,
        input,
        None,
        &Runs::new(runs),
    )
}

/// The tensor without margins in space.
fn cropped(ctx: &KernelContext<'_>, whole: &Tensor, margins: &[[usize; 2]]) -> Result<Tensor> {
    let mut dims = Dims::from_slice(whole.dims());
    for (i, (dim, &[before, after])) in dims[1..].iter_mut().zip(margins).enumerate() {
        let left = dim
            .checked_sub_unsigned(before as u64)
            .and_then(|left| left.checked_sub_unsigned(after as u64))
            .unwrap_or(i64::MIN);
        ensure!(
            left >= 0,
            InvalidArgument,
            "cropped_shape[{i}]={left} must be non-negative"
        );
        *dim = left;
    }
    let begin = margins.iter().map(|&[before, _]| before);
    let begin = [0].into_iter().chain(begin).chain(std::iter::repeat(0));
    let walk = Strided::block(whole.dims(), begin, dims.iter().map(|&dim| dim as usize));
    strided::gather(ctx, whole, &walk, Shape::new(&dims)?)
}

/// The tensor, seen with these dimensions, in another order of them, as a tensor of a shape.
fn permuted(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    seen: &[i64],
    order: impl Iterator<Item = usize>,
    shape: &[i64],
) -> Result<Tensor> {
    let strides = strided::strides(seen);
    let walk = Strided::new(order.map(|i| (seen[i] as usize, strides[i])), 0);
    strided::gather(ctx, input, &walk, Shape::new(shape)?)
}
