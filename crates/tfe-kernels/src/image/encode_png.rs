//! `EncodePng`: images as files in memory.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError};
use tfe_core::{DTypeSet, DataType, Error, Result, Shape, TString, bail, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::owned::fill_owned;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::cpu(ops::ENCODE_PNG, build)
}];

const TYPES: DTypeSet = DTypeSet::of(&[DataType::Uint8, DataType::Uint16]);

/// The level of compression where none is asked for.
const USUAL: u8 = 6;

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
    let input = ctx.input(0);
    let &[ref batch @ .., height, width, channels] = input.dims() else {
        bail!(
            InvalidArgument,
            "images must be at least rank 3{}",
            input.shape()
        );
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        n => bail!(
            InvalidArgument,
            "image must have 1, 2, 3, or 4 channels, got {n}"
        ),
    };
    let batch = Shape::new(batch)?;
    let side = |n: i64| u32::try_from(n).ok().filter(|&n| n > 0);
    let (Some(width), Some(height)) = (side(width), side(height)) else {
        ensure!(
            batch.num_elements() == 0,
            InvalidArgument,
            "PNG cannot hold images of shape {}",
            input.shape()
        );
        ctx.set_output(0, fill_owned::<TString>(ctx, batch, [])?);
        return Ok(());
    };
    // PNG has the higher byte first.
    let (depth, bytes) = match input.dtype() {
        DataType::Uint16 => {
            let words = input.as_slice::<u16>()?.iter();
            (
                BitDepth::Sixteen,
                words.flat_map(|x| x.to_be_bytes()).collect(),
            )
        }
        _ => (BitDepth::Eight, input.as_slice::<u8>()?.to_vec()),
    };
    let image = (bytes.len() / batch.num_elements().max(1)).max(1);
    let files = bytes.chunks_exact(image).map(|pixels| {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.set_deflate_compression(level);
        let mut writer = encoder.write_header().map_err(|e| failed(&e))?;
        writer.write_image_data(pixels).map_err(|e| failed(&e))?;
        writer.finish().map_err(|e| failed(&e))?;
        TString::concat([&*file])
    });
    let files = fill_owned(ctx, batch, files)?;
    ctx.set_output(0, files);
    Ok(())
}

fn failed(e: &EncodingError) -> Error {
    err!(Internal, "PNG encoding failed: {e}")
}
