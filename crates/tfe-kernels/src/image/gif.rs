//! GIF, by the crate `gif`; frames are put together as TensorFlow does it.

use std::num::NonZeroU64;

use gif::{ColorOutput, DecodeOptions, DecodingError, Frame, MemoryLimit};
use tfe_core::{Result, bail, ensure, err};

use super::pixels::{Pixels, Samples};
use tfe_host::scratch;

/// Pixels that a byte can hold: a code of 12 bits stands for up to 4,096 of them.
const RATIO: usize = 2731;

/// A frame: its place, its width, and the colours of its pixels, `None` where what was there before shows through.
struct Patch {
    left: usize,
    top: usize,
    width: usize,
    pixels: Vec<Option<[u8; 3]>>,
}

/// The frames of a file. As in TensorFlow all of them, and not the header, say how large each image is.
#[derive(Default)]
struct Patches {
    patches: Vec<Patch>,
    width: usize,
    height: usize,
}

/// Decodes all frames, or only the first.
pub(super) fn decode(contents: &[u8], only_first: bool) -> Result<Pixels> {
    let Patches {
        patches,
        width,
        height,
    } = patches(contents, only_first)?;
    let size = width * height * 3;
    let mut bytes = scratch(size.saturating_mul(patches.len()))?;
    for patch in &patches {
        let start = bytes.len();
        match start.checked_sub(size) {
            Some(last) => bytes.extend_from_within(last..),
            None => bytes.resize(size, 0),
        }
        let image = &mut bytes[start..];
        let rows = patch
            .pixels
            .chunks_exact(patch.width)
            .take(height.saturating_sub(patch.top));
        for (y, row) in rows.enumerate() {
            let at = (y + patch.top) * width + patch.left;
            for (x, color) in row
                .iter()
                .enumerate()
                .take(width.saturating_sub(patch.left))
            {
                if let Some(color) = color {
                    image[3 * (at + x)..][..3].copy_from_slice(color);
                }
            }
        }
    }
    Ok(Pixels {
        width,
        height,
        channels: 3,
        frames: Some(patches.len()),
        samples: Samples::Bytes(bytes),
    })
}

fn patches(contents: &[u8], only_first: bool) -> Result<Patches> {
    let len = contents.len();
    let bad = |e: DecodingError| err!(InvalidArgument, "Invalid GIF data (size {len}): {e}");
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    let most = NonZeroU64::new((len as u64).saturating_mul(RATIO as u64));
    options.set_memory_limit(most.map_or(MemoryLimit::Unlimited, MemoryLimit::Bytes));
    let mut decoder = options.read_info(contents).map_err(bad)?;
    let mut all = Patches::default();
    loop {
        let colors = decoder.global_palette().map(<[u8]>::to_vec);
        match decoder.read_next_frame() {
            Ok(Some(frame)) => {
                all.width = all.width.max(frame.width.into());
                all.height = all.height.max(frame.height.into());
                let count = all.patches.len();
                if count == 0 || !only_first {
                    all.patches.push(patch(frame, colors.as_deref(), count)?);
                }
            }
            Ok(None) => break,
            // A file that ends too early has the frames that are whole.
            Err(e) if all.patches.is_empty() || matches!(e, DecodingError::Format(_)) => {
                return Err(bad(e));
            }
            Err(_) => break,
        }
    }
    ensure!(
        !all.patches.is_empty(),
        InvalidArgument,
        "Invalid GIF data (size {len}): it has no frame"
    );
    Ok(all)
}

fn patch(frame: &Frame<'_>, colors: Option<&[u8]>, index: usize) -> Result<Patch> {
    let Some(colors) = frame.palette.as_deref().or(colors) else {
        bail!(
            InvalidArgument,
            "Invalid GIF data, missing color map for frame {index}"
        );
    };
    let (colors, _) = colors.as_chunks::<3>();
    let [width, height, left, top] =
        [frame.width, frame.height, frame.left, frame.top].map(usize::from);
    ensure!(
        width > 0 && height > 0 && frame.buffer.len() == width * height,
        InvalidArgument,
        "Invalid GIF data, frame {index} is not complete"
    );
    let mut pixels = scratch(frame.buffer.len())?;
    for &i in &*frame.buffer {
        let color = colors.get(usize::from(i)).copied();
        ensure!(
            color.is_some() || frame.transparent == Some(i),
            InvalidArgument,
            "Invalid GIF data, found color index {i} outside of color map range {}",
            colors.len()
        );
        pixels.push(color.filter(|_| frame.transparent != Some(i)));
    }
    Ok(Patch {
        left,
        top,
        width,
        pixels,
    })
}
