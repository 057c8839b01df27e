//! Loops that write fresh memory, and the proof that they wrote all of it.
#![expect(
    unsafe_code,
    reason = "turns slots that were all written into elements"
)]

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Mutex;

use smallvec::SmallVec;
use tfe_core::{DataType, Error, Plain, Result, Tensor, TensorUninit, Word, ensure};

use crate::pool;

/// The tensor whose elements `write` writes: it gets the slots, and returns the same memory as elements.
///
/// # Errors
/// Those of `write`; `InvalidArgument` when the tensor has another type, `Internal` when other memory came back.
pub fn fill<T: Plain>(
    mut out: TensorUninit,
    write: impl for<'a> FnOnce(&'a mut [MaybeUninit<T>]) -> Result<&'a mut [T]>,
) -> Result<Tensor> {
    let slots = out.as_uninit::<T>()?;
    let wanted = (slots.as_ptr().addr(), slots.len());
    let written = write(slots)?;
    same_memory(wanted, written)?;
    // SAFETY: `written` is the whole memory of `out` as initialised elements: nothing else has its address and length.
    Ok(unsafe { out.assume_init() })
}

/// As [`fill`], for code that moves elements of plain types unseen, as words of their width.
///
/// # Errors
/// Those of `write`; `Internal` when the elements are no words of that width or other memory came back.
pub fn fill_words<W: Word>(
    mut out: TensorUninit,
    write: impl for<'a> FnOnce(&'a mut [MaybeUninit<W>]) -> Result<&'a mut [W]>,
) -> Result<Tensor> {
    let slots = out.as_uninit_words::<W>()?;
    let wanted = (slots.as_ptr().addr(), slots.len());
    let written = write(slots)?;
    same_memory(wanted, written)?;
    // SAFETY: as in `fill`; words are valid elements of every plain type but bool, whose readers check them.
    Ok(unsafe { out.assume_init() })
}

/// As [`fill`], for code that is compiled once for all plain types and writes bytes.
///
/// # Errors
/// Those of `write`; `Internal` when the elements are not plain or other memory came back.
pub fn fill_bytes(
    mut out: TensorUninit,
    write: impl for<'a> FnOnce(&'a mut [MaybeUninit<u8>]) -> Result<&'a mut [u8]>,
) -> Result<Tensor> {
    let slots = out.as_uninit_bytes()?;
    let wanted = (slots.as_ptr().addr(), slots.len());
    let written = write(slots)?;
    same_memory(wanted, written)?;
    // SAFETY: as in `fill_words`.
    Ok(unsafe { out.assume_init() })
}

/// Bytes as the elements that they are.
///
/// # Panics
/// When they are not aligned or no whole number of elements: faults of the kernel.
#[inline(always)]
pub fn elements<T: Plain>(bytes: &[u8]) -> &[T] {
    const { assert!(!is_bool::<T>(), "not every byte is a bool: read u8") };
    let data = bytes.as_ptr().cast::<T>();
    assert!(data.is_aligned() && bytes.len().is_multiple_of(size_of::<T>()));
    // SAFETY: aligned, initialised, within `bytes`; every bit pattern is a number.
    unsafe { std::slice::from_raw_parts(data, bytes.len() / size_of::<T>()) }
}

/// Bytes to be written as the elements to be written there.
///
/// # Panics
/// As [`elements`].
#[inline(always)]
pub fn slots<T: Plain>(bytes: &mut [MaybeUninit<u8>]) -> &mut [MaybeUninit<T>] {
    let data = bytes.as_mut_ptr().cast::<MaybeUninit<T>>();
    assert!(data.is_aligned() && bytes.len().is_multiple_of(size_of::<T>()));
    // SAFETY: aligned, within `bytes`, and nothing need be initialised.
    unsafe { std::slice::from_raw_parts_mut(data, bytes.len() / size_of::<T>()) }
}

/// Written elements as bytes.
#[inline(always)]
pub fn written<T: Plain>(elements: &mut [T]) -> &mut [u8] {
    const { assert!(!is_bool::<T>(), "a bool must not become another byte") };
    // SAFETY: plain elements are initialised bytes without gaps, and every bit pattern is one, whatever is written.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

const fn is_bool<T: Plain>() -> bool {
    matches!(T::DTYPE, DataType::Bool)
}

fn same_memory<T>(wanted: (usize, usize), written: &[T]) -> Result<()> {
    ensure!(
        (written.as_ptr().addr(), written.len()) == wanted,
        Internal,
        "a kernel wrote {} of {} elements",
        written.len(),
        wanted.1
    );
    Ok(())
}

/// Writes a slice from its beginning to its end, piece by piece.
pub struct Cursor<'a, T> {
    slots: &'a mut [MaybeUninit<T>],
    written: usize,
}

impl<'a, T: Copy> Cursor<'a, T> {
    /// At the beginning of `slots`.
    pub fn new(slots: &'a mut [MaybeUninit<T>]) -> Self {
        Self { slots, written: 0 }
    }

    /// How many elements are still to be written.
    pub fn remaining(&self) -> usize {
        self.slots.len() - self.written
    }

    /// Writes `values`.
    ///
    /// # Panics
    /// When fewer slots remain.
    pub fn copy(&mut self, values: &[T]) {
        self.slots[self.written..][..values.len()].write_copy_of_slice(values);
        self.written += values.len();
    }

    /// Writes `value` `n` times.
    ///
    /// # Panics
    /// When fewer slots remain.
    pub fn repeat(&mut self, value: T, n: usize) {
        repeat(&mut self.slots[self.written..][..n], value);
        self.written += n;
    }

    /// Writes one value.
    ///
    /// # Panics
    /// When no slot remains.
    pub fn push(&mut self, value: T) {
        self.slots[self.written].write(value);
        self.written += 1;
    }

    /// The slice, all written.
    ///
    /// # Errors
    /// `Internal` when some of it is not.
    pub fn finish(self) -> Result<&'a mut [T]> {
        ensure!(
            self.remaining() == 0,
            Internal,
            "a kernel wrote {} of {} elements",
            self.written,
            self.slots.len()
        );
        // SAFETY: every method writes all slots below `written`, and that is all of them.
        Ok(unsafe { self.slots.assume_init_mut() })
    }
}

/// Writes `value` to each slot.
pub fn repeat<U: Copy>(dst: &mut [MaybeUninit<U>], value: U) -> &mut [U] {
    tabulate(dst, |_| value)
}

/// Writes `value(i)` to slot `i`.
#[inline(always)]
pub fn tabulate<U>(dst: &mut [MaybeUninit<U>], value: impl Fn(usize) -> U) -> &mut [U] {
    for (i, slot) in dst.iter_mut().enumerate() {
        slot.write(value(i));
    }
    // SAFETY: the loop wrote every slot.
    unsafe { dst.assume_init_mut() }
}

/// Writes `f(a)` for each element. Compiled for the caller's SIMD level.
///
/// # Panics
/// When the lengths differ.
#[inline(always)]
pub fn map<'a, T: Copy, U>(
    dst: &'a mut [MaybeUninit<U>],
    a: &[T],
    f: impl Fn(T) -> U,
) -> &'a mut [U] {
    assert_eq!(dst.len(), a.len());
    for (slot, &a) in dst.iter_mut().zip(a) {
        slot.write(f(a));
    }
    // SAFETY: the loop wrote every slot: the lengths are the same.
    unsafe { dst.assume_init_mut() }
}

/// Writes `f(a, b)` for each pair. Compiled for the caller's SIMD level.
///
/// # Panics
/// When the lengths differ.
#[inline(always)]
pub fn zip<'a, T: Copy, S: Copy, U>(
    dst: &'a mut [MaybeUninit<U>],
    a: &[T],
    b: &[S],
    f: impl Fn(T, S) -> U,
) -> &'a mut [U] {
    let n = dst.len();
    assert!(a.len() == n && b.len() == n);
    for i in 0..n {
        dst[i].write(f(a[i], b[i]));
    }
    // SAFETY: the loop wrote every slot.
    unsafe { dst.assume_init_mut() }
}

/// A dimension of a walk: its length, and the strides of input and output in elements.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Elements along it.
    pub len: usize,
    /// Stride of the input.
    pub from: isize,
    /// Stride of the output.
    pub to: usize,
}

/// Side of the square tiles of a transposing walk, in elements: two tiles of 16-byte words fit the first-level cache.
const TILE: usize = 16;

/// Writes the dense array of the shape of `dims`, outermost first, from the elements of `src` that the walk from
/// element `start` passes.
///
/// # Panics
/// When `dst` has another length, or the walk leaves `src`: faults of the kernel.
pub fn gather<'a, W: Copy>(
    dst: &'a mut [MaybeUninit<W>],
    src: &[W],
    dims: &[(usize, isize)],
    start: usize,
) -> &'a mut [W] {
    let mut walk: SmallVec<[Walk; 6]> = SmallVec::new();
    let mut to = 1;
    for &(len, from) in dims.iter().rev() {
        walk.push(Walk { len, from, to });
        to = to.checked_mul(len).expect("a dense array of elements");
    }
    // Slot `sum(i * to)` is written for every index vector `i` in the loops below. These strides are those of a dense
    // array of `to` slots, so that is each of them, once.
    assert_eq!(dst.len(), to);
    if to > 0 {
        let inner = if walk.is_empty() {
            Walk {
                len: 1,
                from: 1,
                to: 1,
            }
        } else {
            walk.remove(0)
        };
        let along = walk.iter().position(|d| d.from.unsigned_abs() == 1);
        match along {
            // Input and output are each dense along another dimension: tiles, so that neither side is read or written
            // in long strides.
            Some(i) if inner.from.unsigned_abs() > 1 => {
                let other = walk.remove(i);
                odometer(&walk, start as isize, &mut |from, to| {
                    tiles(dst, src, from, to, other, inner)
                });
            }
            _ => odometer(&walk, start as isize, &mut |from, to| {
                row(dst, src, from, to, inner)
            }),
        }
    }
    // SAFETY: all slots were written, see above.
    unsafe { dst.assume_init_mut() }
}

/// Calls `visit` with the offsets into input and output of each index vector; `dims` from the innermost outwards.
fn odometer(dims: &[Walk], start: isize, visit: &mut dyn FnMut(isize, usize)) {
    let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, dims.len());
    let (mut from, mut to) = (start, 0);
    loop {
        visit(from, to);
        let mut d = 0;
        loop {
            let Some(dim) = dims.get(d) else { return };
            from += dim.from;
            to += dim.to;
            index[d] += 1;
            if index[d] < dim.len {
                break;
            }
            from -= dim.from * dim.len as isize;
            to -= dim.to * dim.len;
            index[d] = 0;
            d += 1;
        }
    }
}

#[inline]
fn row<W: Copy>(dst: &mut [MaybeUninit<W>], src: &[W], from: isize, to: usize, dim: Walk) {
    let out = &mut dst[to..to + dim.len];
    match dim.from {
        1 if dim.len >= 8 => {
            out.write_copy_of_slice(&src[from as usize..][..dim.len]);
        }
        0 => {
            repeat(out, src[from as usize]);
        }
        stride => {
            let mut at = from;
            for slot in out {
                slot.write(src[at as usize]);
                at += stride;
            }
        }
    }
}

/// The plane of `rows` and `cols`, tile by tile.
#[inline]
fn tiles<W: Copy>(
    dst: &mut [MaybeUninit<W>],
    src: &[W],
    from: isize,
    to: usize,
    rows: Walk,
    cols: Walk,
) {
    for i0 in (0..rows.len).step_by(TILE) {
        for j0 in (0..cols.len).step_by(TILE) {
            let n = TILE.min(cols.len - j0);
            for i in i0..rows.len.min(i0 + TILE) {
                let at = from + rows.from * i as isize + cols.from * j0 as isize;
                row(dst, src, at, to + rows.to * i + j0, Walk { len: n, ..cols });
            }
        }
    }
}

/// Runs `write` on `dst`; where that fails the slots come back with the error.
///
/// # Panics
/// When `write` returns other memory than it got.
pub fn attempt<'a, U>(
    dst: &'a mut [MaybeUninit<U>],
    write: impl for<'b> FnOnce(&'b mut [MaybeUninit<U>]) -> Result<&'b mut [U]>,
) -> Result<&'a mut [U], (Error, &'a mut [MaybeUninit<U>])> {
    let wanted = (dst.as_ptr().addr(), dst.len());
    match write(dst) {
        Ok(written) => assert!(
            (written.as_ptr().addr(), written.len()) == wanted,
            "other memory came back"
        ),
        Err(error) => return Err((error, dst)),
    }
    // SAFETY: all of `dst` came back as elements.
    Ok(unsafe { dst.assume_init_mut() })
}

/// Runs `write` on what is left of `dst` until nothing is: each time it writes as many of the first slots as it likes.
///
/// # Panics
/// When `write` returns other memory than the first slots that it got, or none.
pub fn by_prefixes<U>(
    dst: &mut [MaybeUninit<U>],
    mut write: impl for<'b> FnMut(&'b mut [MaybeUninit<U>]) -> &'b mut [U],
) -> &mut [U] {
    let mut done = 0;
    while done < dst.len() {
        let rest = &mut dst[done..];
        let (start, len) = (rest.as_ptr().addr(), rest.len());
        let written = write(rest);
        assert!(
            written.as_ptr().addr() == start && (1..=len).contains(&written.len()),
            "other memory came back"
        );
        done += written.len();
    }
    // SAFETY: all of `dst` came back as elements, one prefix of the rest after the other.
    unsafe { dst.assume_init_mut() }
}

/// Runs `write(block, range)` on blocks of `dst`, one after the other; `range` is where in `dst` the block lies.
///
/// # Panics
/// When `write` returns other memory than it got.
#[inline(always)]
pub fn by_blocks<U>(
    dst: &mut [MaybeUninit<U>],
    block: usize,
    mut write: impl for<'b> FnMut(&'b mut [MaybeUninit<U>], Range<usize>) -> &'b mut [U],
) -> &mut [U] {
    let mut start = 0;
    for slots in dst.chunks_mut(block.max(1)) {
        let n = slots.len();
        let wanted = (slots.as_ptr().addr(), n);
        let written = write(slots, start..start + n);
        assert!(
            (written.as_ptr().addr(), written.len()) == wanted,
            "other memory came back"
        );
        start += n;
    }
    // SAFETY: the chunks are all of `dst`, and each came back as elements.
    unsafe { dst.assume_init_mut() }
}

/// Writes the piece of a slice that begins at an element: gets it as slots and returns it as elements.
pub type WritePiece<'f, U> =
    dyn for<'b> Fn(usize, &'b mut [MaybeUninit<U>]) -> &'b mut [U] + Sync + 'f;

/// Runs `write(start, piece)` on pieces of `dst` of `piece` elements (the last may be shorter) on the threads of the
/// rayon pool that it is called in.
///
/// # Panics
/// When `write` returns other memory than it got.
pub fn write_pieces<'a, U: Send>(
    dst: &'a mut [MaybeUninit<U>],
    piece: usize,
    write: &WritePiece<'_, U>,
) -> &'a mut [U] {
    // A lock a piece, taken once, hands them to threads by number: so that what runs the threads is compiled once
    // rather than for every type of element.
    let pieces: Vec<_> = dst.chunks_mut(piece).map(Mutex::new).collect();
    pool::for_each(pieces.len(), &|i| {
        let mut slots = pieces[i].lock().expect("nobody else takes this piece");
        let wanted = (slots.as_ptr().addr(), slots.len());
        let written = write(i * piece, &mut slots);
        assert!(
            (written.as_ptr().addr(), written.len()) == wanted,
            "other memory came back"
        );
    });
    drop(pieces);
    // SAFETY: the chunks are all of `dst`, and each came back as elements.
    unsafe { dst.assume_init_mut() }
}
