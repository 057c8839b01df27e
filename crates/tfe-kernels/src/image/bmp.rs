//! BMP without compression: 8 bits of gray, 24 of colour, or 32 with alpha.

use tfe_core::{Result, ensure};

use super::pixels::{Pixels, Samples};
use tfe_host::scratch;

/// Where the header has what is needed: the start of the pixels, width, height, bits of a pixel.
const FIELDS: usize = 32;

/// Decodes to `channels` channels (0: those of the image).
pub(super) fn decode(contents: &[u8], channels: usize) -> Result<Pixels> {
    ensure!(
        channels != 1,
        InvalidArgument,
        "`channels` must be 0, 3 or 4 for BMP, but got 1"
    );
    ensure!(
        contents.len() >= FIELDS,
        InvalidArgument,
        "Incomplete bmp content, requires at least {FIELDS} bytes, got {}",
        contents.len()
    );
    let field = |at: usize| {
        let bytes: [u8; 4] = std::array::from_fn(|i| contents[at + i]);
        i64::from(i32::from_le_bytes(bytes))
    };
    let (start, width, height) = (field(10), field(18), field(22));
    let bits = u16::from_le_bytes([contents[28], contents[29]]);
    let own = usize::from(bits / 8);
    ensure!(
        matches!(own, 1 | 3 | 4),
        InvalidArgument,
        "Number of channels inherent in the image must be 1, 3 or 4, was {own}"
    );
    ensure!(
        start >= 0 && width > 0 && height != 0,
        InvalidArgument,
        "a BMP image of {width} by {height} pixels, from byte {start} on, is not valid"
    );
    // Rows end at multiples of 4 bytes.
    let row = (width * own as i64 + 3) / 4 * 4;
    let size = start as i128 + i128::from(row) * i128::from(height.abs());
    ensure!(
        size == contents.len() as i128,
        InvalidArgument,
        "Input size should match (header_size + row_size * abs_height) but they differ by {}",
        contents.len() as i128 - size
    );
    let (width, rows) = (width as usize, height.unsigned_abs() as usize);
    let mut samples = scratch(width * rows * own)?;
    let data = &contents[start as usize..];
    for y in 0..rows {
        // The last row comes first, unless the height is negative.
        let at = if height > 0 { rows - 1 - y } else { y };
        for pixel in data[at * row as usize..][..width * own].chunks_exact(own) {
            match *pixel {
                [b, g, r] => samples.extend([r, g, b]),
                [b, g, r, a] => samples.extend([r, g, b, a]),
                _ => samples.extend(pixel),
            }
        }
    }
    let pixels = Pixels {
        width,
        height: rows,
        channels: own,
        frames: None,
        samples: Samples::Bytes(samples),
    };
    pixels.with_channels(if channels == 0 { own } else { channels })
}
