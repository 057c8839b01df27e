//! When work is worth more than one thread, and how it is cut.

use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use tfe_core::Result;
use tfe_device::Device;

use crate::{loops, pool};

/// The least work, in nanoseconds, that pays for waking another thread.
const GRAIN_NS: f64 = 50_000.0;
/// Pieces a thread: more than one, so that a thread that comes late takes less.
const PIECES_A_THREAD: usize = 4;

/// The length of pieces to cut `n` units of work into; `n` itself when one thread should do it all.
///
/// `unit_ns` is a rough estimate for one unit on one thread.
pub fn piece_len(device: &dyn Device, n: usize, unit_ns: f64) -> usize {
    // The cheap question first: this is asked on every call.
    if (n as f64) * unit_ns < 2.0 * GRAIN_NS {
        return n;
    }
    let threads = device.parallelism();
    if threads < 2 {
        return n;
    }
    let least = (GRAIN_NS / unit_ns).ceil().max(1.0) as usize;
    n.div_ceil(threads * PIECES_A_THREAD).max(least).min(n)
}

/// Writes `dst` on as many threads as its size is worth.
///
/// `write(start, piece)` writes the elements from `start` on; pieces start at multiples of `unit` elements. `element_ns`
/// is a rough estimate for one element.
pub fn write<'a, U: Send>(
    device: &dyn Device,
    dst: &'a mut [MaybeUninit<U>],
    unit: usize,
    element_ns: f64,
    write: &loops::WritePiece<'_, U>,
) -> &'a mut [U] {
    let unit = unit.max(1);
    let units = dst.len().div_ceil(unit);
    let piece = piece_len(device, units, element_ns * unit as f64);
    if piece >= units {
        return write(0, dst);
    }
    let mut slots = Some(dst);
    let mut written = None;
    device.install(&mut || {
        written = slots
            .take()
            .map(|dst| loops::write_pieces(dst, piece * unit, write));
    });
    written.expect("a device runs the work that it is given, once")
}

/// Writes the piece of a slice that begins at an element, unless it fails.
pub type TryWritePiece<'f, U> =
    dyn for<'b> Fn(usize, &'b mut [MaybeUninit<U>]) -> Result<&'b mut [U]> + Sync + 'f;

/// As [`write`](fn@write), of pieces that may fail.
///
/// # Errors
/// That of a piece.
pub fn try_write<'a, U: Copy + Default + Send>(
    device: &dyn Device,
    dst: &'a mut [MaybeUninit<U>],
    unit: usize,
    element_ns: f64,
    write_piece: &TryWritePiece<'_, U>,
) -> Result<&'a mut [U]> {
    let failure = Mutex::new(None);
    let written = write(device, dst, unit, element_ns, &|start, dst| {
        let done = loops::attempt(dst, |dst| write_piece(start, dst));
        done.unwrap_or_else(|(error, dst)| {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            loops::repeat(dst, U::default())
        })
    });
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(written), Err)
}

/// Runs `work` on mutable pieces of `data` of `piece` elements (the last may be shorter), all at once.
pub fn for_pieces<T: Send>(
    device: &dyn Device,
    data: &mut [T],
    piece: usize,
    work: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    let piece = piece.max(1);
    if data.len() <= piece {
        return work(0, data);
    }
    let pieces: Vec<_> = data.chunks_mut(piece).map(Mutex::new).collect();
    device.install(&mut || {
        pool::for_each(pieces.len(), &|i| {
            let mut data = pieces[i].lock().expect("nobody else takes this piece");
            work(i * piece, &mut data);
        });
    });
}
