//! `ResizeBilinear` and `ResizeNearestNeighbor`: images of another size, and the gradients.

use smallvec::{SmallVec, smallvec};
use tfe_core::memory::try_collect;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, bail, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::promote::{self, Floats};
use super::window;
use tfe_host::channels::{add, summed};
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;
use tfe_host::number::Number;
use tfe_host::{cost, fill, loops, parallel, scratch};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", IMAGES)],
        host_inputs: &["size"],
        ..KernelDef::host(ops::RESIZE_BILINEAR, rule, build_bilinear)
    },
    KernelDef::host(
        ops::RESIZE_BILINEAR_GRAD,
        rule_bilinear_grad,
        build_bilinear_grad,
    )
    .of(&[("T", DTypeSet::FLOAT)]),
    KernelDef {
        types: &[("T", IMAGES)],
        host_inputs: &["size"],
        ..KernelDef::host(ops::RESIZE_NEAREST_NEIGHBOR, rule, build_nearest)
    },
    KernelDef {
        types: &[("T", GRADIENTS)],
        host_inputs: &["size"],
        ..KernelDef::host(
            ops::RESIZE_NEAREST_NEIGHBOR_GRAD,
            rule_nearest_grad,
            build_nearest_grad,
        )
    },
];

const GRADIENTS: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::of(&[
    DataType::Uint8,
    DataType::Int8,
    DataType::Int32,
]));
const IMAGES: DTypeSet = GRADIENTS.union(DTypeSet::of(&[
    DataType::Int16,
    DataType::Int64,
    DataType::Uint16,
]));

/// How the pixels of the larger and the smaller image lie over each other.
#[derive(Clone, Copy)]
struct Alignment {
    corners: bool,
    half_pixels: bool,
}

impl Alignment {
    fn of(init: &OpInit<'_>) -> Result<Self> {
        Ok(Self {
            corners: init.attrs.bool("align_corners")?,
            half_pixels: init.attrs.bool("half_pixel_centers")?,
        })
    }

    fn one_of_both(self) -> Result<Self> {
        ensure!(
            !(self.corners && self.half_pixels),
            InvalidArgument,
            "If half_pixel_centers is True, align_corners must be False."
        );
        Ok(self)
    }

    /// The width of a pixel of `to` many in pixels of `from` many.
    fn scale(self, from: usize, to: usize) -> f32 {
        if self.corners && to > 1 {
            (from - 1) as f32 / (to - 1) as f32
        } else {
            from as f32 / to as f32
        }
    }

    /// Which of `from` pixels is next to each of `to`.
    fn nearest(self, from: usize, to: usize) -> Result<Vec<usize>> {
        let scale = self.scale(from, to);
        let place = |i: usize| {
            let shift = if self.half_pixels { 0.5 } else { 0.0 };
            let at = (i as f32 + shift) * scale;
            let at = if self.corners { at.round() } else { at.floor() };
            (at as usize).min(from - 1)
        };
        try_collect((0..to).map(place))
    }

    /// Between which of `from` pixels each of `to` lies, and how near to the second.
    fn between(self, from: usize, to: usize) -> Result<Vec<Between>> {
        let scale = self.scale(from, to);
        let place = |i: usize| {
            let at = if self.half_pixels {
                (i as f32 + 0.5) * scale - 0.5
            } else {
                i as f32 * scale
            };
            Between {
                first: (at.floor().max(0.0) as usize).min(from - 1),
                second: (at.ceil().max(0.0) as usize).min(from - 1),
                share: at - at.floor(),
            }
        };
        try_collect((0..to).map(place))
    }
}

/// A place between two pixels.
#[derive(Clone, Copy)]
struct Between {
    first: usize,
    second: usize,
    share: f32,
}

/// The four dimensions of images.
fn images(shape: &Shape, name: &str) -> Result<[usize; 4]> {
    ensure!(
        shape.rank() == 4,
        InvalidArgument,
        "{name} must be 4-dimensional{shape}"
    );
    Ok(dims(shape))
}

/// The four dimensions of images whose rank the rule has checked.
fn dims(shape: &Shape) -> [usize; 4] {
    std::array::from_fn(|i| shape.dim(i))
}

/// The rows and columns that an argument asks for, if they are known.
fn size(call: &Inference<'_>, i: usize, positive: &str) -> Result<Option<[i64; 2]>> {
    call.of_rank(i, 1, || {
        err!(
            InvalidArgument,
            "shape_t must be 1-dimensional{}",
            call.shown(i)
        )
    })?;
    let Some(sizes) = call.integers(i)? else {
        return Ok(None);
    };
    let &[rows, cols] = &sizes[..] else {
        bail!(
            InvalidArgument,
            "shape_t must have two elements{}",
            call.shown(i)
        );
    };
    ensure!(rows > 0 && cols > 0, InvalidArgument, "{positive}");
    Ok(Some([rows, cols]))
}

/// Images of the size that is asked for.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Alignment::of(op)?.one_of_both()?;
    let [input, to] = op.inputs(["images", "size"])?;
    Ok(window::rule([input], move |call, [from]| {
        let from = images(from, "input")?;
        let to = size(call, to, "output dimensions must be positive")?;
        ensure!(
            from[1] > 0 && from[2] > 0,
            InvalidArgument,
            "input image must be of non-zero size"
        );
        ensure!(
            from[3] > 0,
            InvalidArgument,
            "image must have at least one channel"
        );
        let shape =
            |[rows, cols]: [i64; 2]| Shape::new(&[from[0] as i64, rows, cols, from[3] as i64]);
        to.map(shape).transpose()
    }))
}

fn rule_nearest_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [grads, to] = op.inputs(["grads", "size"])?;
    Ok(window::rule([grads], move |call, [from]| {
        let [n, .., depth] = images(from, "input")?;
        let to = size(call, to, "shape_t's elements must be positive")?;
        let shape = |[rows, cols]: [i64; 2]| Shape::new(&[n as i64, rows, cols, depth as i64]);
        to.map(shape).transpose()
    }))
}

fn rule_bilinear_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Alignment::of(op)?.one_of_both()?;
    let [grads, original] = op.inputs(["grads", "original_image"])?;
    Ok(window::rule([grads, original], |_, [grads, original]| {
        let [n, rows, cols, depth] = images(grads, "input_grad")?;
        let [images, to_rows, to_cols, to_depth] = images(original, "original_image")?;
        for (dims, name) in [([to_rows, to_cols], "original"), ([rows, cols], "resized")] {
            ensure!(
                dims.iter().all(|&d| d > 0),
                InvalidArgument,
                "{name} dimensions must be positive"
            );
        }
        ensure!(
            n == images && depth == to_depth,
            InvalidArgument,
            "{grads} is no gradient of images of shape {original}"
        );
        Ok(Some(original.clone()))
    }))
}

fn build_nearest(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let ([n, rows, cols, depth], out) = (dims(ctx.input(0).shape()), ctx.output(0)?);
        let [_, out_rows, out_cols, _] = dims(out.shape());
        // Where there are no images, sizes may be any.
        let [out_rows, out_cols] = [out_rows, out_cols].map(|size| if n == 0 { 0 } else { size });
        let (ys, xs) = (
            alignment.nearest(rows, out_rows)?,
            alignment.nearest(cols, out_cols)?,
        );
        let pixels = ys.iter().flat_map(|y| xs.iter().map(move |x| y * cols + x));
        let mut places = scratch(ys.len().saturating_mul(xs.len()))?;
        places.extend(pixels);
        let all = Rows {
            rows: &places,
            list: places.len(),
            blocks: n,
            block: rows * cols,
            width: depth,
        };
        let out = moved(ctx, out, ctx.input(0), None, &all)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_bilinear(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    let floats = Floats::of(init.attrs.dtype("T")?)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let ([n, rows, cols, depth], out) = (dims(ctx.input(0).shape()), ctx.output(0)?);
        let [_, out_rows, out_cols, _] = dims(out.shape());
        let [out_rows, out_cols] = [out_rows, out_cols].map(|size| if n == 0 { 0 } else { size });
        let input = floats.convert(ctx, ctx.input(0))?;
        let input = input.as_slice::<f32>()?;
        let (ys, xs) = (
            alignment.between(rows, out_rows)?,
            alignment.between(cols, out_cols)?,
        );
        let (row, out_row) = (cols * depth, out_cols * depth);
        let out = fill(out, |dst| {
            Ok(parallel::write(
                ctx.device(),
                dst,
                out_row,
                cost::RANDOM_ACCESS,
                &|start, dst| {
                    loops::by_blocks(dst, out_row, |dst, range| {
                        let i = (start + range.start) / out_row;
                        let (image, y) = (i / out_rows * rows, ys[i % out_rows]);
                        let [above, below] =
                            [y.first, y.second].map(|y| &input[(image + y) * row..][..row]);
                        loops::tabulate(dst, |j| {
                            let (x, c) = (xs[j / depth], j % depth);
                            let [left, right] = [x.first * depth + c, x.second * depth + c];
                            let above = above[left] + (above[right] - above[left]) * x.share;
                            let below = below[left] + (below[right] - below[left]) * x.share;
                            above + (below - above) * y.share
                        })
                    })
                },
            ))
        })?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_nearest_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, alignment) = (init.attrs.dtype("T")?, Alignment::of(init)?);
    if DTypeSet::FLOAT.contains(dtype) {
        return promote::kernel(dtype, alignment, nearest_grad::<f32>, nearest_grad::<f64>);
    }
    dispatch!(dtype, [Uint8, Int8, Int32], |T| Ok(promote::as_is(
        alignment,
        nearest_grad::<T>
    )))
}

/// Each pixel of the gradient goes to the pixel of the image that it was next to.
fn nearest_grad<T: Number>(
    ctx: &KernelContext<'_>,
    alignment: &Alignment,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (shape, grad) = (ctx.output_shape(0)?.clone(), inputs[0].as_slice::<T>()?);
    let [_, to_rows, to_cols, _] = dims(&shape);
    let [_, rows, cols, depth] = if grad.is_empty() {
        [0; 4]
    } else {
        dims(inputs[0].shape())
    };
    let (ys, xs) = (
        alignment.nearest(to_rows, rows)?,
        alignment.nearest(to_cols, cols)?,
    );
    let image = shape.num_elements() / shape.dim(0).max(1);
    let out = summed(
        ctx,
        shape,
        image,
        cost::RANDOM_ACCESS,
        |start, sums: &mut [T]| {
            let first = start / image.max(1);
            for (i, sums) in (first..).zip(sums.chunks_exact_mut(image.max(1))) {
                for (row, y) in ys.iter().enumerate() {
                    for (col, x) in xs.iter().enumerate() {
                        let from = ((i * rows + row) * cols + col) * depth;
                        let to = (y * to_cols + x) * depth;
                        add(&mut sums[to..][..depth], &grad[from..][..depth]);
                    }
                }
            }
            Ok(())
        },
    )?;
    Ok(smallvec![out])
}

fn build_bilinear_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (alignment, dtype) = (Alignment::of(init)?, init.attrs.dtype("T")?);
    promote::kernel(dtype, alignment, bilinear_grad::<f32>, bilinear_grad::<f64>)
}

/// Each pixel of the gradient goes to the four that it was made of.
fn bilinear_grad<T: Number + From<f32>>(
    ctx: &KernelContext<'_>,
    alignment: &Alignment,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let (shape, grad) = (ctx.output_shape(0)?.clone(), inputs[0].as_slice::<f32>()?);
    let [_, to_rows, to_cols, _] = dims(&shape);
    let [_, rows, cols, depth] = if grad.is_empty() {
        [0; 4]
    } else {
        dims(inputs[0].shape())
    };
    let (ys, xs) = (
        alignment.between(to_rows, rows)?,
        alignment.between(to_cols, cols)?,
    );
    let image = shape.num_elements() / shape.dim(0).max(1);
    let out = summed(
        ctx,
        shape,
        image,
        4.0 * cost::RANDOM_ACCESS,
        |start, sums: &mut [T]| {
            let first = start / image.max(1);
            for (i, sums) in (first..).zip(sums.chunks_exact_mut(image.max(1))) {
                for (row, y) in ys.iter().enumerate() {
                    for (col, x) in xs.iter().enumerate() {
                        let from = ((i * rows + row) * cols + col) * depth;
                        let grad = &grad[from..][..depth];
                        for (place_y, share_y) in [(y.first, 1.0 - y.share), (y.second, y.share)] {
                            for (place_x, share_x) in
                                [(x.first, 1.0 - x.share), (x.second, x.share)]
                            {
                                let to = (place_y * to_cols + place_x) * depth;
                                for (sum, &g) in sums[to..][..depth].iter_mut().zip(grad) {
                                    *sum = sum.plus(T::from(g * share_y * share_x));
                                }
                            }
                        }
                    }
                }
            }
            Ok(())
        },
    )?;
    Ok(smallvec![out])
}
