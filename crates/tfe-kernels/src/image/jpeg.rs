//! JPEG, by the crate `libjpeg-turbo-rs`: of usual files, bit for bit what TensorFlow's library makes of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use libjpeg_turbo_rs::{DctMethod, DecodeLimits, Decoder, JpegError, PixelFormat, ScalingFactor};
use tfe_core::{Result, ensure, err};

use super::pixels::{Pixels, Samples, check_size};
use tfe_host::scratch;

/// Pixels that a byte can hold: a block of 64 takes a bit at least.
const RATIO: usize = 512;

/// How a file is decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct JpegOptions {
    /// How many pixels become one, in each direction.
    pub(super) ratio: u32,
    /// Whether the inverse cosine transform is the accurate one, or the fast one.
    pub(super) is_accurate: bool,
    /// Whether colors that are stored for several pixels are interpolated.
    pub(super) fancy_upscaling: bool,
    pub(super) recover_truncated: bool,
}

/// Decodes to `channels` channels; 0 means gray where the image is, and red, green and blue otherwise.
pub(super) fn decode(contents: &[u8], channels: usize, options: &JpegOptions) -> Result<Pixels> {
    let size = contents.len();
    let bad = |e: JpegError| err!(InvalidArgument, "Invalid JPEG data, size {size}: {e}");
    ensure!(
        channels != 4,
        InvalidArgument,
        "JPEG does not support 4 channels"
    );
    ensure!(
        options.recover_truncated || has_end(contents),
        InvalidArgument,
        "Invalid JPEG data, size {size}: it is truncated"
    );
    let limits = DecodeLimits {
        max_width: u16::MAX.into(),
        max_height: u16::MAX.into(),
        ..DecodeLimits::default()
    };
    let mut decoder = Decoder::new_with_limits(contents, limits).map_err(bad)?;
    let header = decoder.header();
    let (width, height) = (header.width(), header.height());
    ensure!(
        header.precision == 8,
        InvalidArgument,
        "Invalid JPEG data, size {size}: samples of {} bits are not supported",
        header.precision
    );
    check_size("JPEG", width, height, size, RATIO)?;
    let of_four_inks = header.components.len() == 4;
    let channels = match channels {
        0 if header.components.len() == 1 => 1,
        0 => 3,
        n => n,
    };
    ensure!(
        !of_four_inks || channels == 3,
        InvalidArgument,
        "Invalid JPEG data, size {size}: no {channels} channels can be made of it"
    );
    decoder.set_output_format(match channels {
        1 => PixelFormat::Grayscale,
        _ if of_four_inks => PixelFormat::Cmyk,
        _ => PixelFormat::Rgb,
    });
    decoder.set_scale(ScalingFactor::new(1, options.ratio));
    decoder.set_dct_method(if options.is_accurate {
        DctMethod::IsLow
    } else {
        DctMethod::IsFast
    });
    // Without fancy upscaling TensorFlow's library interpolates nothing, and converts colors on the way.
    decoder.set_fast_upsample(!options.fancy_upscaling);
    decoder.set_merged_upsample(!options.fancy_upscaling);
    // What is damaged is passed over, as TensorFlow's library does; what is missing was looked at above.
    decoder.set_lenient(true);
    // The crate has faults in what few files have, as inks of several sizes: they are the file's here.
    let image = catch_unwind(AssertUnwindSafe(|| decoder.decode_image()))
        .map_err(|_| {
            err!(
                InvalidArgument,
                "Invalid JPEG data, size {size}: not supported"
            )
        })?
        .map_err(bad)?;
    let samples = if of_four_inks {
        without_inks(&image.data, is_adobes(contents))?
    } else {
        image.data
    };
    ensure!(
        samples.len() == image.width * image.height * channels,
        InvalidArgument,
        "Invalid JPEG data, size {size}: no {channels} channels can be made of it"
    );
    Ok(Pixels {
        width: image.width,
        height: image.height,
        channels,
        frames: None,
        samples: Samples::Bytes(samples),
    })
}

/// The segments of a file up to its first image data: marker, what it carries, and what follows.
fn segments(contents: &[u8]) -> impl Iterator<Item = (u8, &[u8], &[u8])> {
    let mut rest = contents.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        // A marker may begin with any number of 0xff.
        while let [0xff, 0xff, ..] = rest {
            rest = &rest[1..];
        }
        let [0xff, marker, high, low, ..] = *rest else {
            return None;
        };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let data = rest.get(4..2 + length).unwrap_or_default();
        let after = rest.get(2 + length..).unwrap_or_default();
        rest = if marker == START_OF_SCAN { &[] } else { after };
        Some((marker, data, after))
    })
}

const START_OF_SCAN: u8 = 0xda;

/// Whether the image data has an end. Segments before it may hold anything, other images included.
fn has_end(contents: &[u8]) -> bool {
    const END: [u8; 2] = [0xff, 0xd9];
    segments(contents)
        .filter(|&(marker, ..)| marker == START_OF_SCAN)
        .any(|(.., after)| after.windows(2).any(|pair| pair == END))
}

/// Whether Adobe's programs wrote it, which store inks the other way round.
fn is_adobes(contents: &[u8]) -> bool {
    const APP14: u8 = 0xee;
    segments(contents).any(|(marker, data, _)| marker == APP14 && data.starts_with(b"Adobe"))
}

/// Cyan, magenta, yellow and black as red, green and blue.
fn without_inks(inks: &[u8], inverted: bool) -> Result<Vec<u8>> {
    let (pixels, _) = inks.as_chunks::<4>();
    let light = |ink: u8| u32::from(if inverted { ink } else { 255 - ink });
    let mix = |&[c, m, y, k]: &[u8; 4]| [c, m, y].map(|ink| (light(k) * light(ink) / 255) as u8);
    let mut samples = scratch(3 * pixels.len())?;
    samples.extend(pixels.iter().flat_map(mix));
    Ok(samples)
}
