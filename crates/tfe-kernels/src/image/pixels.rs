//! Decoded pixels, and how they become the channels and the type that a client wants.

use smallvec::SmallVec;
use tfe_core::{DataType, Result, Shape, Tensor, ensure};
use tfe_device::KernelContext;

use tfe_host::{fill, loops, scratch};

/// An image, or several of one size.
#[derive(Debug)]
pub(super) struct Pixels {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) channels: usize,
    /// How many images there are, where the format can hold several.
    pub(super) frames: Option<usize>,
    pub(super) samples: Samples,
}

/// The samples of all pixels, row by row.
#[derive(Debug)]
pub(super) enum Samples {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

/// More pixels than this are refused, as in TensorFlow.
const MOST_PIXELS: u64 = 1 << 29;

/// Checks that an image is of a size that `len` bytes of compressed data can hold, `ratio` pixels a byte, before memory
/// for it is taken.
///
/// # Errors
/// `InvalidArgument`.
pub(super) fn check_size(
    format: &str,
    width: usize,
    height: usize,
    len: usize,
    ratio: usize,
) -> Result<()> {
    let pixels = (width as u64).saturating_mul(height as u64);
    ensure!(
        pixels > 0 && pixels < MOST_PIXELS,
        InvalidArgument,
        "{format} of {width} by {height} pixels is not supported"
    );
    ensure!(
        pixels <= (len as u64).saturating_mul(ratio as u64),
        InvalidArgument,
        "Invalid {format} data, size {len}: too short for {width} by {height} pixels"
    );
    Ok(())
}

impl Pixels {
    /// The same image with `to` channels: gray, with alpha, red, green and blue, with alpha.
    ///
    /// # Errors
    /// `ResourceExhausted`.
    pub(super) fn with_channels(self, to: usize) -> Result<Self> {
        if self.channels == to {
            return Ok(self);
        }
        let samples = match &self.samples {
            Samples::Bytes(from) => Samples::Bytes(mapped(from, self.channels, to, gray8)?),
            Samples::Words(from) => Samples::Words(mapped(from, self.channels, to, gray16)?),
        };
        Ok(Self {
            channels: to,
            samples,
            ..self
        })
    }

    /// Output 0, of the type that a client wants. Bytes that become words are multiplied by 256: only PNG has words, and widens its
    /// own bytes.
    ///
    /// # Errors
    /// `ResourceExhausted`.
    pub(super) fn into_tensor(self, ctx: &KernelContext<'_>) -> Result<Tensor> {
        let frames = self.frames.map(|n| n as i64);
        let image = [self.height, self.width, self.channels].map(|d| d as i64);
        let dims: SmallVec<[i64; 4]> = frames.into_iter().chain(image).collect();
        let out = ctx.output_of(0, Shape::new(&dims)?)?;
        match (ctx.output_dtype(0), &self.samples) {
            (DataType::Uint8, Samples::Bytes(x)) => fill(out, |dst| Ok(loops::map(dst, x, |x| x))),
            (DataType::Uint8, Samples::Words(x)) => {
                fill(out, |dst| Ok(loops::map(dst, x, |x| (x >> 8) as u8)))
            }
            (DataType::Uint16, Samples::Bytes(x)) => {
                fill(out, |dst| Ok(loops::map(dst, x, |x| u16::from(x) << 8)))
            }
            (DataType::Uint16, Samples::Words(x)) => fill(out, |dst| Ok(loops::map(dst, x, |x| x))),
            (_, Samples::Bytes(x)) => {
                let scale = 1.0 / f32::from(u8::MAX);
                fill(out, |dst| Ok(loops::map(dst, x, |x| f32::from(x) * scale)))
            }
            (_, Samples::Words(x)) => {
                let scale = 1.0 / f32::from(u16::MAX);
                fill(out, |dst| Ok(loops::map(dst, x, |x| f32::from(x) * scale)))
            }
        }
    }
}

/// A sample.
trait Sample: Copy + 'static {
    const MAX: Self;
}

impl Sample for u8 {
    const MAX: u8 = u8::MAX;
}

impl Sample for u16 {
    const MAX: u16 = u16::MAX;
}

fn mapped<S: Sample>(
    samples: &[S],
    from: usize,
    to: usize,
    gray: fn([S; 3]) -> S,
) -> Result<Vec<S>> {
    let mut out = scratch(samples.len() / from * to)?;
    for pixel in samples.chunks_exact(from) {
        let (rgb, alpha) = match *pixel {
            [y] => ([y; 3], S::MAX),
            [y, a] => ([y; 3], a),
            [r, g, b] => ([r, g, b], S::MAX),
            [r, g, b, a, ..] => ([r, g, b], a),
            [] => continue,
        };
        match to {
            1 | 2 => out.push(if from < 3 { rgb[0] } else { gray(rgb) }),
            _ => out.extend(rgb),
        }
        if to == 2 || to == 4 {
            out.push(alpha);
        }
    }
    Ok(out)
}

/// The brightness, in the arithmetic of libpng: weights of 15 bits.
fn gray8(rgb: [u8; 3]) -> u8 {
    (weighted(rgb.map(u32::from)) >> 15) as u8
}

fn gray16(rgb: [u16; 3]) -> u16 {
    ((weighted(rgb.map(u32::from)) + (1 << 14)) >> 15) as u16
}

fn weighted([r, g, b]: [u32; 3]) -> u32 {
    if r == g && g == b {
        return r << 15;
    }
    r * 9797 + g * 19234 + b * 3737
}
