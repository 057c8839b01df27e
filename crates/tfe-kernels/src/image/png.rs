//! PNG, by the crate `png`.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};
use tfe_core::{Error, Result, err};

use super::pixels::{Pixels, Samples, check_size};
use tfe_host::{scratch, scratch_of};

/// Pixels that a byte can hold: zlib packs up to 1,032 bytes of up to 8 pixels into one.
const RATIO: usize = 8 * 1032;

/// Decodes to `channels` channels (0: those of the image). Samples of 16 bits are words, and others where `wide` asks
/// for that.
pub(super) fn decode(contents: &[u8], channels: usize, wide: bool) -> Result<Pixels> {
    let bad = |e: DecodingError| invalid(contents, &e);
    let mut decoder = Decoder::new_with_limits(Cursor::new(contents), Limits { bytes: 1 << 26 });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(bad)?;
    let info = reader.info();
    let (width, height) = (info.width as usize, info.height as usize);
    check_size("PNG", width, height, contents.len(), RATIO)?;
    // A transparent colour makes a palette have alpha, but no other image.
    let own = match info.color_type {
        ColorType::Indexed if info.trns.is_some() => 4,
        ColorType::Indexed => 3,
        other => other.samples(),
    };
    let size = reader.output_buffer_size().ok_or_else(|| {
        err!(
            InvalidArgument,
            "PNG of {width} by {height} pixels is too large"
        )
    })?;
    let mut bytes = scratch_of(0, size)?;
    let frame = reader.next_frame(&mut bytes).map_err(bad)?;
    bytes.truncate(frame.buffer_size());
    reader.finish().map_err(bad)?;
    let samples = match frame.bit_depth {
        BitDepth::Sixteen => Samples::Words(words(bytes.as_chunks().0, u16::from_be_bytes)?),
        _ => Samples::Bytes(bytes),
    };
    let mut pixels = Pixels {
        width,
        height,
        channels: frame.color_type.samples(),
        frames: None,
        samples,
    }
    .with_channels(if channels == 0 { own } else { channels })?;
    if let (Samples::Bytes(bytes), true) = (&pixels.samples, wide) {
        pixels.samples = Samples::Words(words(bytes, |x| u16::from(x) * 257)?);
    }
    Ok(pixels)
}

fn words<T: Copy>(samples: &[T], word: impl Fn(T) -> u16) -> Result<Vec<u16>> {
    let mut words = scratch(samples.len())?;
    words.extend(samples.iter().map(|&sample| word(sample)));
    Ok(words)
}

fn invalid(contents: &[u8], e: &DecodingError) -> Error {
    err!(
        InvalidArgument,
        "Invalid PNG data, size {}: {e}",
        contents.len()
    )
}
