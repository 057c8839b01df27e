//! `ResizeBilinear` and `ResizeNearestNeighbor`: images of another size, and the gradients.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::promote::{self, Floats};
use super::sums::{add, summed};
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;
use tfe_host::number::Number;
use tfe_host::{axes, fill, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", IMAGES)],
        host_inputs: &["size"],
        ..KernelDef::cpu(ops::RESIZE_BILINEAR, build_bilinear)
    },
    KernelDef::cpu(ops::RESIZE_BILINEAR_GRAD, build_bilinear_grad).of(&[("T", DTypeSet::FLOAT)]),
    KernelDef {
        types: &[("T", IMAGES)],
        host_inputs: &["size"],
        ..KernelDef::cpu(ops::RESIZE_NEAREST_NEIGHBOR, build_nearest)
    },
    KernelDef {
        types: &[("T", GRADIENTS)],
        host_inputs: &["size"],
        ..KernelDef::cpu(ops::RESIZE_NEAREST_NEIGHBOR_GRAD, build_nearest_grad)
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
    fn of(init: &KernelInit<'_>) -> Result<Self> {
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
    fn nearest(self, from: usize, to: usize) -> Vec<usize> {
        let scale = self.scale(from, to);
        let place = |i: usize| {
            let shift = if self.half_pixels { 0.5 } else { 0.0 };
            let at = (i as f32 + shift) * scale;
            let at = if self.corners { at.round() } else { at.floor() };
            (at as usize).min(from - 1)
        };
        (0..to).map(place).collect()
    }

    /// Between which of `from` pixels each of `to` lies, and how near to the second.
    fn between(self, from: usize, to: usize) -> Vec<Between> {
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
        (0..to).map(place).collect()
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
    Ok(std::array::from_fn(|i| shape.dim(i)))
}

/// The rows and columns that an argument asks for.
fn size(tensor: &Tensor, positive: &str) -> Result<[usize; 2]> {
    ensure!(
        tensor.rank() == 1,
        InvalidArgument,
        "shape_t must be 1-dimensional{}",
        tensor.shape()
    );
    match axes::integers(tensor)?[..] {
        [rows, cols] => {
            ensure!(rows > 0 && cols > 0, InvalidArgument, "{positive}");
            Ok([rows as usize, cols as usize])
        }
        _ => Err(tfe_core::err!(
            InvalidArgument,
            "shape_t must have two elements{}",
            tensor.shape()
        )),
    }
}

/// The dimensions of images to resize, and the size that they get.
fn given(ctx: &KernelContext<'_>) -> Result<([usize; 4], [usize; 2])> {
    let from = images(ctx.input(0).shape(), "input")?;
    let to = size(ctx.input(1), "output dimensions must be positive")?;
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
    Ok((from, to))
}

fn build_nearest(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?.one_of_both()?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let ([n, rows, cols, depth], [out_rows, out_cols]) = given(ctx)?;
        let shape = Shape::new(&[n, out_rows, out_cols, depth].map(|d| d as i64))?;
        let (ys, xs) = (
            alignment.nearest(rows, out_rows),
            alignment.nearest(cols, out_cols),
        );
        let pixels: Vec<usize> = ys
            .iter()
            .flat_map(|y| xs.iter().map(move |x| y * cols + x))
            .collect();
        let all = Rows {
            rows: &pixels,
            list: pixels.len(),
            blocks: n,
            block: rows * cols,
            width: depth,
        };
        let out = moved(
            ctx,
            ctx.allocate(ctx.input(0).dtype(), shape)?,
            ctx.input(0),
            None,
            &all,
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_bilinear(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?.one_of_both()?;
    let floats = Floats::of(init.attrs.dtype("T")?)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let ([n, rows, cols, depth], [out_rows, out_cols]) = given(ctx)?;
        let shape = Shape::new(&[n, out_rows, out_cols, depth].map(|d| d as i64))?;
        let input = floats.convert(ctx, ctx.input(0))?;
        let input = input.as_slice::<f32>()?;
        let (ys, xs) = (
            alignment.between(rows, out_rows),
            alignment.between(cols, out_cols),
        );
        let (row, out_row) = (cols * depth, out_cols * depth);
        let out = fill(ctx.allocate(DataType::Float, shape)?, |dst| {
            Ok(parallel::write(
                ctx.device(),
                dst,
                out_row,
                1.0,
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
    let [n, rows, cols, depth] = images(inputs[0].shape(), "input")?;
    let [to_rows, to_cols] = size(&inputs[1], "shape_t's elements must be positive")?;
    let grad = inputs[0].as_slice::<T>()?;
    let (ys, xs) = (
        alignment.nearest(to_rows, rows),
        alignment.nearest(to_cols, cols),
    );
    let shape = Shape::new(&[n, to_rows, to_cols, depth].map(|d| d as i64))?;
    let image = to_rows * to_cols * depth;
    let out = summed(ctx, shape, image, 1.0, |start, sums: &mut [T]| {
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
    })?;
    Ok(smallvec![out])
}

fn build_bilinear_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?.one_of_both()?;
    let dtype = init.attrs.dtype("T")?;
    promote::kernel(dtype, alignment, bilinear_grad::<f32>, bilinear_grad::<f64>)
}

/// Each pixel of the gradient goes to the four that it was made of.
fn bilinear_grad<T: Number + From<f32>>(
    ctx: &KernelContext<'_>,
    alignment: &Alignment,
    inputs: &[Tensor],
) -> Result<SmallVec<[Tensor; 2]>> {
    let [n, rows, cols, depth] = images(inputs[0].shape(), "input_grad")?;
    let [images, to_rows, to_cols, to_depth] = images(inputs[1].shape(), "original_image")?;
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
        "{} is no gradient of images of shape {}",
        inputs[0].shape(),
        inputs[1].shape()
    );
    let grad = inputs[0].as_slice::<f32>()?;
    let (ys, xs) = (
        alignment.between(to_rows, rows),
        alignment.between(to_cols, cols),
    );
    let image = to_rows * to_cols * depth;
    let out = summed(
        ctx,
        inputs[1].shape().clone(),
        image,
        4.0,
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
        },
    )?;
    Ok(smallvec![out])
}
