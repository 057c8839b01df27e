//! `CropAndResize`: parts of images, each brought to the same size.

use tfe_core::{DTypeSet, DataType, Result, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use super::promote::Floats;
use tfe_host::{axes, cost, fill, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    host_inputs: &["crop_size"],
    ..KernelDef::host(ops::CROP_AND_RESIZE, rule, build)
}];

/// What the op allows.
const TYPES: DTypeSet = DTypeSet::of(&[
    DataType::Uint8,
    DataType::Uint16,
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Half,
    DataType::Float,
    DataType::Double,
]);

#[derive(Clone, Copy)]
struct Method {
    nearest: bool,
    /// What lies outside of images.
    outside: f32,
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let floats = Floats::of(init.attrs.dtype("T")?)?;
    let method = Method {
        nearest: init.attrs.str("method")? == "nearest",
        outside: init.attrs.float("extrapolation_value")?,
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        crop(ctx, &floats, method)
    }))
}

/// As many images as boxes, of the size that is asked for.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [images, boxes, box_images, size] =
        op.inputs(["image", "boxes", "box_ind", "crop_size"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(images, 4, || {
            err!(
                InvalidArgument,
                "input image must be 4-D{}",
                call.shown(images)
            )
        })?;
        let depth = call.dims(images).map_or(dim::UNKNOWN, |dims| dims[3]);
        ensure!(
            call.dims(images)
                .is_none_or(|dims| dims[1] != 0 && dims[2] != 0),
            InvalidArgument,
            "image dimensions must be positive"
        );
        call.of_rank(boxes, 2, || {
            err!(
                InvalidArgument,
                "boxes must be 2-D, got: {}",
                call.shown(boxes)
            )
        })?;
        let [n, columns] = call
            .dims(boxes)
            .map_or([dim::UNKNOWN; 2], |dims| [dims[0], dims[1]]);
        ensure!(
            dim::merge(columns, 4).is_some(),
            InvalidArgument,
            "boxes must have 4 columns"
        );
        call.of_rank(box_images, 1, || {
            err!(
                InvalidArgument,
                "box_indices must be rank 1 but is shape {}",
                call.shown(box_images)
            )
        })?;
        let of = call.dims(box_images).map_or(dim::UNKNOWN, |dims| dims[0]);
        let n = dim::merge(n, of)
            .ok_or_else(|| err!(InvalidArgument, "box_index has incompatible shape"))?;
        call.of_rank(size, 1, || {
            err!(
                InvalidArgument,
                "crop_size must be 1-D, got: {}",
                call.shown(size)
            )
        })?;
        let [height, width] = match call.integers(size)?.as_deref() {
            None => [dim::UNKNOWN; 2],
            Some(&[height, width]) => {
                ensure!(
                    height > 0 && width > 0,
                    InvalidArgument,
                    "crop dimensions must be positive"
                );
                [height, width]
            }
            Some(_) => bail!(
                InvalidArgument,
                "crop_size must have two elements{}",
                call.shown(size)
            ),
        };
        call.set(0, &[n, height, width, depth])
    }))
}

fn crop(ctx: &mut KernelContext<'_>, floats: &Floats, method: Method) -> Result<()> {
    let (images, boxes, box_images) = (ctx.input(0), ctx.input(1), ctx.input(2));
    let [n, rows, cols, depth] = std::array::from_fn(|i| images.shape().dim(i));
    let [_, height, width, _] = std::array::from_fn(|i| ctx.output_shape(0).map(|s| s.dim(i)));
    let (height, width) = (height?, width?);
    let boxes = boxes.as_slice::<f32>()?.as_chunks::<4>().0;
    let box_images = axes::integers(box_images)?;
    ensure!(
        box_images.iter().all(|i| (0..n as i64).contains(i)),
        OutOfRange,
        "box_index has values outside [0, batch_size)"
    );
    ensure!(
        boxes.iter().flatten().all(|v| v.is_finite()),
        InvalidArgument,
        "Boxes contains at least one element that is not finite"
    );
    let images = floats.convert(ctx, images)?;
    let images = images.as_slice::<f32>()?;
    let (row, crop_row) = (cols * depth, width * depth);
    let out = fill(ctx.output(0)?, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            crop_row,
            cost::RANDOM_ACCESS,
            &|start, dst| {
                loops::by_blocks(dst, crop_row.max(1), |dst, range| {
                    let i = (start + range.start) / crop_row;
                    let (b, y) = (i / height, i % height);
                    let [y1, x1, y2, x2] = boxes[b];
                    let y = place(y1, y2, y, height, rows);
                    let image = &images[box_images[b] as usize * rows * row..][..rows * row];
                    loops::tabulate(dst, |j| {
                        let (x, c) = (place(x1, x2, j / depth, width, cols), j % depth);
                        let (Some(y), Some(x)) = (y, x) else {
                            return method.outside;
                        };
                        let pixel =
                            |y: f32, x: f32| image[y as usize * row + x as usize * depth + c];
                        if method.nearest {
                            return pixel(y.round(), x.round());
                        }
                        let (top, left) = (y.floor(), x.floor());
                        let (bottom, right) = (y.ceil(), x.ceil());
                        let between = |a: f32, b: f32, share: f32| a + (b - a) * share;
                        let above = between(pixel(top, left), pixel(top, right), x - left);
                        let below = between(pixel(bottom, left), pixel(bottom, right), x - left);
                        between(above, below, y - top)
                    })
                })
            },
        ))
    })?;
    ctx.set_output(0, out);
    Ok(())
}

/// Where pixel `i` of `n` lies among `size` pixels, of which the part from `first` to `last` is taken; `None` outside.
fn place(first: f32, last: f32, i: usize, n: usize, size: usize) -> Option<f32> {
    let end = (size - 1) as f32;
    let at = if n > 1 {
        let scale = (last - first) * end / (n - 1) as f32;
        first * end + i as f32 * scale
    } else {
        0.5 * (first + last) * end
    };
    (0.0..=end).contains(&at).then_some(at)
}
