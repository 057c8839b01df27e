//! JPEG, by the crate `zune-jpeg`.

use tfe_core::{Result, ensure, err};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::decode::JpegOptions;
use super::pixels::{Pixels, Samples, check_size};

/// Pixels that a byte can hold: a block of 64 takes a bit at least.
const RATIO: usize = 512;

/// Decodes to `channels` channels; 0 means gray where the image is, and red, green and blue otherwise.
pub(super) fn decode(contents: &[u8], channels: usize, options: &JpegOptions) -> Result<Pixels> {
    let bad = |e: DecodeErrors| {
        err!(
            InvalidArgument,
            "Invalid JPEG data, size {}: {e:?}",
            contents.len()
        )
    };
    ensure!(
        channels != 4,
        InvalidArgument,
        "JPEG does not support 4 channels"
    );
    ensure!(
        options.recover_truncated || has_end(contents),
        InvalidArgument,
        "Invalid JPEG data, size {}: it is truncated",
        contents.len()
    );
    let limits = DecoderOptions::default()
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX));
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(contents), limits);
    decoder.decode_headers().map_err(bad)?;
    let info = decoder
        .info()
        .ok_or_else(|| err!(InvalidArgument, "Invalid JPEG data: no header"))?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    check_size("JPEG", width, height, contents.len(), RATIO)?;
    let channels = match channels {
        0 if info.components == 1 => 1,
        0 => 3,
        n => n,
    };
    let colors = if channels == 1 {
        ColorSpace::Luma
    } else {
        ColorSpace::RGB
    };
    decoder.set_options(limits.jpeg_set_out_colorspace(colors));
    let samples = decoder.decode().map_err(bad)?;
    ensure!(
        samples.len() == width * height * channels,
        InvalidArgument,
        "Invalid JPEG data, size {}: no {channels} channels can be made of it",
        contents.len()
    );
    let pixels = Pixels {
        width,
        height,
        channels,
        frames: None,
        samples: Samples::Bytes(samples),
    };
    Ok(if options.ratio == 1 {
        pixels
    } else {
        reduced(pixels, options.ratio)
    })
}

/// Whether the image data has an end.
fn has_end(contents: &[u8]) -> bool {
    const START_OF_SCAN: u8 = 0xda;
    const END: u8 = 0xd9;
    // Segments up to the first scan may hold anything, other images included.
    let mut rest = contents.get(2..).unwrap_or_default();
    while let [0xff, marker, high, low, ..] = *rest {
        if marker == 0xff {
            rest = &rest[1..];
            continue;
        }
        if marker == START_OF_SCAN {
            return rest.windows(2).any(|pair| pair == [0xff, END]);
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        rest = rest.get(2 + length..).unwrap_or_default();
    }
    false
}

/// The image with the means of squares of `ratio` pixels a side for pixels.
fn reduced(from: Pixels, ratio: usize) -> Pixels {
    let (width, height) = (from.width.div_ceil(ratio), from.height.div_ceil(ratio));
    let Samples::Bytes(samples) = &from.samples else {
        return from;
    };
    let mut means = Vec::with_capacity(width * height * from.channels);
    for y in 0..height {
        let rows = y * ratio..from.height.min((y + 1) * ratio);
        for x in 0..width {
            let columns = x * ratio..from.width.min((x + 1) * ratio);
            let n = (rows.len() * columns.len()) as u32;
            for c in 0..from.channels {
                let row = |y: usize| {
                    let at = |x: usize| samples[(y * from.width + x) * from.channels + c];
                    columns.clone().map(at).map(u32::from).sum::<u32>()
                };
                let sum: u32 = rows.clone().map(row).sum();
                means.push(((sum + n / 2) / n) as u8);
            }
        }
    }
    Pixels {
        width,
        height,
        samples: Samples::Bytes(means),
        ..from
    }
}
