//! `ResizeBilinear` and `ResizeNearestNeighbor`: images of another size, and the gradients.

use std::mem::MaybeUninit;

use tfe_core::{DTypeSet, DataType, Result, Tensor, Word, dispatch, ensure, err};
use tfe_device::{
    Device, Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim,
};
use tfe_host::movement::{Movement, moved};
use tfe_host::number::Number;
use tfe_host::sums::{add, summed};
use tfe_host::{Cursor, cost, fill, loops, parallel, scratch};
use tfe_ops::ops;

use super::promote::{self, Floats};
use super::window::four_dims;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", IMAGES)],
        host_inputs: &["size"],
        ..KernelDef::host(ops::RESIZE_BILINEAR, rule, build_bilinear)
    },
    KernelDef::host(
        ops::RESIZE_BILINEAR_GRAD,
        rule_of_bilinear_grad,
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
            rule_of_nearest_grad,
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
    fn of(op: &OpInit<'_>) -> Result<Self> {
        Ok(Self {
            corners: op.attrs.bool("align_corners")?,
            half_pixels: op.attrs.bool("half_pixel_centers")?,
        })
    }

    fn one_of_both(op: &OpInit<'_>) -> Result<Self> {
        let alignment = Self::of(op)?;
        ensure!(
            !(alignment.corners && alignment.half_pixels),
            InvalidArgument,
            "If half_pixel_centers is True, align_corners must be False."
        );
        Ok(alignment)
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
        let mut places = scratch(to)?;
        places.extend((0..to).map(place));
        Ok(places)
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
        let mut places = scratch(to)?;
        places.extend((0..to).map(place));
        Ok(places)
    }
}

/// A place between two pixels.
#[derive(Clone, Copy)]
struct Between {
    first: usize,
    second: usize,
    share: f32,
}

/// The four dimensions of images, as far as they are known.
fn images(call: &Inference<'_>, i: usize, name: &str) -> Result<[i64; 4]> {
    four_dims(call, i, |shape| {
        err!(InvalidArgument, "{name} must be 4-dimensional{shape}")
    })
}

/// The rows and columns that an input asks for, as far as they are known.
fn size(call: &Inference<'_>, i: usize, positive: &str) -> Result<[i64; 2]> {
    let shape = || call.shown(i);
    call.of_rank(i, 1, || {
        err!(InvalidArgument, "shape_t must be 1-dimensional{}", shape())
    })?;
    ensure!(
        matches!(call.dims(i), None | Some([2 | dim::UNKNOWN])),
        InvalidArgument,
        "shape_t must have two elements{}",
        shape()
    );
    let Some(size) = call.integers(i)? else {
        return Ok([dim::UNKNOWN; 2]);
    };
    ensure!(size.iter().all(|&n| n > 0), InvalidArgument, "{positive}");
    Ok([size[0], size[1]])
}

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Alignment::one_of_both(op)?;
    let [input, sizes] = op.inputs(["images", "size"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let [n, rows, cols, depth] = images(call, input, "input")?;
        let [out_rows, out_cols] = size(call, sizes, "output dimensions must be positive")?;
        ensure!(
            rows != 0 && cols != 0,
            InvalidArgument,
            "input image must be of non-zero size"
        );
        ensure!(
            depth != 0,
            InvalidArgument,
            "image must have at least one channel"
        );
        call.set(0, &[n, out_rows, out_cols, depth])
    }))
}

/// Pixels of images, each of which is one of the input's.
struct Nearest {
    ys: Vec<usize>,
    xs: Vec<usize>,
    /// The sizes of the images of the input, and the channels.
    rows: usize,
    cols: usize,
    depth: usize,
}

impl Nearest {
    /// Where row `i` of the result begins in the input.
    fn row(&self, i: usize) -> usize {
        let (image, row) = (i / self.ys.len(), i % self.ys.len());
        (image * self.rows + self.ys[row]) * self.cols * self.depth
    }
}

impl Movement for Nearest {
    fn write<'a, W: Word>(
        &self,
        device: &dyn Device,
        source: &[W],
        _: W,
        dst: &'a mut [MaybeUninit<W>],
    ) -> Result<&'a mut [W]> {
        let (depth, row) = (self.depth, self.xs.len() * self.depth);
        let ns = cost::copy(size_of::<W>()) + cost::RANDOM_ACCESS / depth as f64;
        Ok(parallel::write(device, dst, row, ns, &|start, dst| {
            let (first, rows) = (start / row, dst.len() / row);
            let mut out = Cursor::new(dst);
            for i in first..first + rows {
                let from = &source[self.row(i)..][..self.cols * depth];
                for &x in &self.xs {
                    if depth == 1 {
                        out.push(from[x]);
                    } else {
                        out.copy(&from[x * depth..][..depth]);
                    }
                }
            }
            out.finish().expect("whole rows")
        }))
    }

    fn source(&self, i: usize) -> Option<usize> {
        let (pixel, channel) = (i / self.depth, i % self.depth);
        let (row, x) = (pixel / self.xs.len(), pixel % self.xs.len());
        Some(self.row(row) + self.xs[x] * self.depth + channel)
    }
}

fn build_nearest(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::one_of_both(init)?;
    let input = init.input("images")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, out) = (ctx.input(input), ctx.output(0)?);
        let out = if out.shape().num_elements() == 0 {
            out.zeroed()
        } else {
            let [rows, cols, depth] = [1, 2, 3].map(|i| input.shape().dim(i));
            let nearest = Nearest {
                ys: alignment.nearest(rows, out.shape().dim(1))?,
                xs: alignment.nearest(cols, out.shape().dim(2))?,
                rows,
                cols,
                depth,
            };
            moved(ctx, out, input, None, &nearest)?
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_bilinear(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::one_of_both(init)?;
    let floats = Floats::of(init.attrs.dtype("T")?)?;
    let input = init.input("images")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let out = bilinear(ctx, alignment, &floats, ctx.input(input))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn bilinear(
    ctx: &KernelContext<'_>,
    alignment: Alignment,
    floats: &Floats,
    input: &Tensor,
) -> Result<Tensor> {
    let out = ctx.output(0)?;
    if out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    let [rows, cols, depth] = [1, 2, 3].map(|i| input.shape().dim(i));
    let [out_rows, out_cols] = [1, 2].map(|i| out.shape().dim(i));
    let input = floats.convert(ctx, input)?;
    let input = input.as_slice::<f32>()?;
    let ys = alignment.between(rows, out_rows)?;
    let xs = alignment.between(cols, out_cols)?;
    let (row, out_row) = (cols * depth, out_cols * depth);
    let ns = cost::RANDOM_ACCESS;
    fill(out, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            out_row,
            ns,
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
    })
}

fn rule_of_nearest_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [grads, sizes] = op.inputs(["grads", "size"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let [n, _, _, depth] = images(call, grads, "input")?;
        let [rows, cols] = size(call, sizes, "shape_t's elements must be positive")?;
        call.set(0, &[n, rows, cols, depth])
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
) -> Result<Tensor> {
    let (out, grad) = (promote::output::<T>(ctx)?, inputs[0].as_slice::<T>()?);
    if grad.is_empty() || out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    let [rows, cols, depth] = [1, 2, 3].map(|i| inputs[0].shape().dim(i));
    let [to_rows, to_cols] = [1, 2].map(|i| out.shape().dim(i));
    let ys = alignment.nearest(to_rows, rows)?;
    let xs = alignment.nearest(to_cols, cols)?;
    let image = to_rows * to_cols * depth;
    let ns = cost::RANDOM_ACCESS;
    summed(ctx, out, image, ns, |start, sums: &mut [T]| {
        for (i, sums) in (start / image..).zip(sums.chunks_exact_mut(image)) {
            for (row, y) in ys.iter().enumerate() {
                for (col, x) in xs.iter().enumerate() {
                    let from = ((i * rows + row) * cols + col) * depth;
                    let to = (y * to_cols + x) * depth;
                    add(&mut sums[to..][..depth], &grad[from..][..depth]);
                }
            }
        }
        Ok(())
    })
}

fn rule_of_bilinear_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Alignment::one_of_both(op)?;
    let [grads, original] = op.inputs(["grads", "original_image"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let [n, rows, cols, depth] = images(call, grads, "input_grad")?;
        let [to_n, to_rows, to_cols, to_depth] = images(call, original, "original_image")?;
        for (dims, name) in [([to_rows, to_cols], "original"), ([rows, cols], "resized")] {
            ensure!(
                !dims.contains(&0),
                InvalidArgument,
                "{name} dimensions must be positive"
            );
        }
        let (Some(n), Some(depth)) = (dim::merge(n, to_n), dim::merge(depth, to_depth)) else {
            return Err(err!(
                InvalidArgument,
                "{} is no gradient of images of shape {}",
                call.shown(grads),
                call.shown(original)
            ));
        };
        call.set(0, &[n, to_rows, to_cols, depth])
    }))
}

fn build_bilinear_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::one_of_both(init)?;
    let dtype = init.attrs.dtype("T")?;
    promote::kernel(dtype, alignment, bilinear_grad::<f32>, bilinear_grad::<f64>)
}

/// Each pixel of the gradient goes to the four that it was made of.
fn bilinear_grad<T: Number + From<f32>>(
    ctx: &KernelContext<'_>,
    alignment: &Alignment,
    inputs: &[Tensor],
) -> Result<Tensor> {
    let (out, grad) = (promote::output::<T>(ctx)?, inputs[0].as_slice::<f32>()?);
    if out.shape().num_elements() == 0 {
        return Ok(out.zeroed());
    }
    let [rows, cols, depth] = [1, 2, 3].map(|i| inputs[0].shape().dim(i));
    let [to_rows, to_cols] = [1, 2].map(|i| out.shape().dim(i));
    let ys = alignment.between(to_rows, rows)?;
    let xs = alignment.between(to_cols, cols)?;
    let image = to_rows * to_cols * depth;
    let ns = 2.0 * cost::RANDOM_ACCESS;
    summed(ctx, out, image, ns, |start, sums: &mut [T]| {
        for (i, sums) in (start / image..).zip(sums.chunks_exact_mut(image)) {
            for (row, y) in ys.iter().enumerate() {
                for (col, x) in xs.iter().enumerate() {
                    let from = ((i * rows + row) * cols + col) * depth;
                    let grad = &grad[from..][..depth];
                    for (place_y, share_y) in [(y.first, 1.0 - y.share), (y.second, y.share)] {
                        for (place_x, share_x) in [(x.first, 1.0 - x.share), (x.second, x.share)] {
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
    })
}

#[cfg(test)]
mod tests {
    use tfe_core::{Code, Shape};

    use crate::testing::run;

    use super::*;

    fn resize(op: &str, dims: &[i64], size: [i32; 2]) -> Result<Tensor> {
        let images = Tensor::zeros(DataType::Float, Shape::new(dims)?)?;
        let size = Tensor::vector(&size)?;
        Ok(run(op, &[], vec![images, size])?.remove(0))
    }

    #[test]
    fn images_without_elements_cost_nothing_and_too_large_ones_are_refused() {
        for op in [
            "ResizeBilinear",
            "ResizeNearestNeighbor",
            "ResizeNearestNeighborGrad",
        ] {
            let none = resize(op, &[0, 1 << 40, 1, 1], [200_000, 200_000]).expect("no elements");
            assert_eq!(none.dims(), [0, 200_000, 200_000, 1], "{op}");
            let e = resize(op, &[1, 1, 1, 1], [i32::MAX, i32::MAX]).expect_err("too many");
            assert_eq!(e.code(), Code::ResourceExhausted, "{op}");
        }
        let zeros = resize("ResizeNearestNeighborGrad", &[2, 0, 1 << 40, 1], [2, 1]);
        assert_eq!(
            zeros
                .expect("no gradient")
                .as_slice::<f32>()
                .expect("floats"),
            [0.0; 4]
        );
        let none = || Tensor::zeros(DataType::Float, Shape::new(&[0, 1 << 30, 1 << 30, 1])?);
        let inputs = vec![none().expect("no memory"), none().expect("no memory")];
        let out = run("ResizeBilinearGrad", &[], inputs).expect("no elements");
        assert_eq!(out[0].dims(), [0, 1 << 30, 1 << 30, 1]);
    }
}
