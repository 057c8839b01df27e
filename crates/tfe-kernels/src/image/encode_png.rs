//! `EncodePng`: images as files in memory.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError};
use tfe_core::{DTypeSet, DataType, Error, Result, TString, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::scratch;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::host(ops::ENCODE_PNG, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::of(&[DataType::Uint8, DataType::Uint16]);

/// The level of compression where none is asked for.
const USUAL: u8 = 6;

/// A file for each image.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        let Some(dims) = call.dims(0) else {
            return Ok(());
        };
        let &[ref batch @ .., height, width, channels] = dims else {
            bail!(
                InvalidArgument,
                "images must be at least rank 3{}",
                call.shown(0)
            );
        };
        ensure!(
            matches!(channels, 1..=4 | dim::UNKNOWN),
            InvalidArgument,
            "image must have 1, 2, 3, or 4 channels, got {channels}"
        );
        let is_side = |n: i64| n == dim::UNKNOWN || (1..=u32::MAX.into()).contains(&n);
        ensure!(
            is_side(width) && is_side(height) || matches!(dim::product(batch), 0 | dim::UNKNOWN),
            InvalidArgument,
            "PNG cannot hold images of shape {}",
            call.shown(0)
        );
        call.set(0, batch)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let level = match init.attrs.int("compression")? {
        -1 => DeflateCompression::Level(USUAL),
        0 => DeflateCompression::NoCompression,
        level @ 1..=9 => DeflateCompression::Level(level as u8),
        level => bail!(
            InvalidArgument,
            "compression should be in [-1,9], got {level}"
        ),
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        encode(ctx, level)
    }))
}

fn encode(ctx: &mut KernelContext<'_>, level: DeflateCompression) -> Result<()> {
    let (out, input) = (ctx.output(0)?, ctx.input(0));
    let batch = out.shape().num_elements();
    if batch == 0 {
        ctx.set_output(0, out.zeroed());
        return Ok(());
    }
    let &[.., height, width, channels] = input.dims() else {
        bail!(
            Internal,
            "the rule lets no images of {} through",
            input.shape()
        );
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    };
    let is_wide = input.dtype() == DataType::Uint16;
    let depth = if is_wide {
        BitDepth::Sixteen
    } else {
        BitDepth::Eight
    };
    let size = input.num_elements() / batch;
    let files = (0..batch).map(|i| {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width as u32, height as u32);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.set_deflate_compression(level);
        let mut writer = encoder.write_header().map_err(|e| failed(&e))?;
        if is_wide {
            // PNG has the higher byte first.
            let mut bytes = scratch(2 * size)?;
            let words = &input.as_slice::<u16>()?[i * size..][..size];
            bytes.extend(words.iter().flat_map(|x| x.to_be_bytes()));
            writer.write_image_data(&bytes)
        } else {
            writer.write_image_data(&input.as_slice()?[i * size..][..size])
        }
        .map_err(|e| failed(&e))?;
        writer.finish().map_err(|e| failed(&e))?;
        TString::concat([&*file])
    });
    let files = out.try_fill_from(files)?;
    ctx.set_output(0, files);
    Ok(())
}

fn failed(e: &EncodingError) -> Error {
    err!(Internal, "PNG encoding failed: {e}")
}
