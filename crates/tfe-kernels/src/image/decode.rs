//! `DecodeImage`, `DecodePng`, `DecodeJpeg`, `DecodeGif`, `DecodeBmp`: pixels of a file in memory.
//!
//! Each of the ops takes other formats as well; which, and how many dimensions come out, is TensorFlow's choice.

use tfe_core::{DataType, Result, TString, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, OpInit, Rule, dim};
use tfe_ops::ops;

use super::jpeg::JpegOptions;
use super::pixels::Pixels;
use super::{bmp, gif, jpeg, png};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(
        ops::DECODE_IMAGE,
        |op| rule(image(op)?),
        |op| kernel(image(op)?),
    ),
    KernelDef::host(ops::DECODE_PNG, |op| rule(png(op)?), |op| kernel(png(op)?)),
    KernelDef::host(
        ops::DECODE_JPEG,
        |op| rule(jpeg(op)?),
        |op| kernel(jpeg(op)?),
    ),
    KernelDef::host(ops::DECODE_GIF, |op| rule(gif(op)?), |op| kernel(gif(op)?)),
    KernelDef::host(ops::DECODE_BMP, |op| rule(bmp(op)?), |op| kernel(bmp(op)?)),
];

/// The formats, by how files begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Png,
    Jpeg,
    Gif,
    Bmp,
}

impl Format {
    fn of(contents: &[u8]) -> Result<Self> {
        Ok(match contents {
            [] => bail!(InvalidArgument, "Input is empty."),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'G', b'I', b'F', b'8', ..] => Self::Gif,
            [b'B', b'M', ..] => Self::Bmp,
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => {
                bail!(Unimplemented, "images in the format WebP are not supported")
            }
            _ => bail!(
                InvalidArgument,
                "Unknown image file format. One of JPEG, PNG, GIF, BMP required."
            ),
        })
    }
}

/// What a client wants of the pixels.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// 0: those of the image.
    channels: usize,
    dtype: DataType,
    /// How an animation comes out.
    frames: Frames,
    jpeg: JpegOptions,
    /// Whether BMP is taken, and whether the others are.
    bmp: bool,
    others: bool,
}

/// The frames of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frames {
    /// All of them, in four dimensions; one of any other image.
    Always,
    /// All of them, in four dimensions; any other image has three.
    OfGif,
    /// The first.
    First,
    /// One that is the only one.
    Only,
}

const WANTED: Wanted = Wanted {
    channels: 0,
    dtype: DataType::Uint8,
    frames: Frames::Only,
    jpeg: JpegOptions {
        ratio: 1,
        is_accurate: false,
        fancy_upscaling: true,
        recover_truncated: false,
    },
    bmp: false,
    others: true,
};

fn image(op: &OpInit<'_>) -> Result<Wanted> {
    let all = op.attrs.bool("expand_animations")?;
    Ok(Wanted {
        channels: channels(op)?,
        dtype: op.attrs.dtype("dtype")?,
        frames: if all { Frames::OfGif } else { Frames::First },
        bmp: true,
        ..WANTED
    })
}

fn png(op: &OpInit<'_>) -> Result<Wanted> {
    Ok(Wanted {
        channels: channels(op)?,
        dtype: op.attrs.dtype("dtype")?,
        ..WANTED
    })
}

fn jpeg(op: &OpInit<'_>) -> Result<Wanted> {
    let ratio = op.attrs.int("ratio")?;
    ensure!(
        matches!(ratio, 1 | 2 | 4 | 8),
        InvalidArgument,
        "ratio must be 1, 2, 4, or 8, got {ratio}"
    );
    let method = op.attrs.str("dct_method")?;
    ensure!(
        matches!(method, "" | "INTEGER_FAST" | "INTEGER_ACCURATE"),
        InvalidArgument,
        "dct_method must be one of {{'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}}, got '{method}'"
    );
    Ok(Wanted {
        channels: channels(op)?,
        jpeg: JpegOptions {
            ratio: ratio as u32,
            is_accurate: method == "INTEGER_ACCURATE",
            fancy_upscaling: op.attrs.bool("fancy_upscaling")?,
            recover_truncated: op.attrs.bool("try_recover_truncated")?,
        },
        ..WANTED
    })
}

fn gif(_: &OpInit<'_>) -> Result<Wanted> {
    Ok(Wanted {
        channels: 3,
        frames: Frames::Always,
        ..WANTED
    })
}

fn bmp(op: &OpInit<'_>) -> Result<Wanted> {
    Ok(Wanted {
        channels: channels(op)?,
        bmp: true,
        others: false,
        ..WANTED
    })
}

fn channels(op: &OpInit<'_>) -> Result<usize> {
    let channels = op.attrs.int("channels")?;
    ensure!(
        matches!(channels, 0 | 1 | 3 | 4),
        InvalidArgument,
        "`channels` must be 0, 1, 3 or 4 but got {channels}"
    );
    Ok(channels as usize)
}

/// The file tells rows and columns, and the channels unless a client wants a number of them.
fn rule(wanted: Wanted) -> Result<Box<dyn Rule>> {
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(0, 0, || {
            let shape = call.shown(0);
            err!(
                InvalidArgument,
                "`contents` must be scalar but got shape{shape}"
            )
        })?;
        let channels = match wanted.channels {
            0 => dim::UNKNOWN,
            n => n as i64,
        };
        let dims = [dim::UNKNOWN, dim::UNKNOWN, dim::UNKNOWN, channels];
        match wanted.frames {
            Frames::Always => call.set(0, &dims),
            Frames::First | Frames::Only => call.set(0, &dims[1..]),
            Frames::OfGif => Ok(()),
        }
    }))
}

fn kernel(wanted: Wanted) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let contents = ctx.input(0).scalar_value::<TString>()?;
        let pixels = decode(contents.as_bytes(), &wanted)?.into_tensor(ctx)?;
        ctx.set_output(0, pixels);
        Ok(())
    }))
}

fn decode(contents: &[u8], wanted: &Wanted) -> Result<Pixels> {
    let format = Format::of(contents)?;
    let taken = if format == Format::Bmp {
        wanted.bmp
    } else {
        wanted.others
    };
    ensure!(
        taken,
        InvalidArgument,
        "Trying to decode {format:?} format using a wrong op. Use DecodeImage or the op of the format."
    );
    let wide = wanted.dtype != DataType::Uint8;
    let mut pixels = match format {
        Format::Png => png::decode(contents, wanted.channels, wide),
        Format::Jpeg => jpeg::decode(contents, wanted.channels, &wanted.jpeg),
        Format::Bmp => bmp::decode(contents, wanted.channels),
        Format::Gif => {
            ensure!(
                matches!(wanted.channels, 0 | 3),
                InvalidArgument,
                "channels must be 0 or 3 for GIF, got {}",
                wanted.channels
            );
            gif::decode(contents, wanted.frames == Frames::First)
        }
    }?;
    match (wanted.frames, pixels.frames) {
        (Frames::Always, frames) => pixels.frames = frames.or(Some(1)),
        (Frames::Only, Some(n)) if n > 1 => bail!(
            InvalidArgument,
            "Got {n} frames, but animated gifs can only be decoded by DecodeGif or DecodeImage"
        ),
        (Frames::OfGif, _) => {}
        (Frames::Only | Frames::First, _) => pixels.frames = None,
    }
    Ok(pixels)
}
