//! `TString`: an element of a string tensor, laid out byte for byte as TensorFlow's `TF_TString`.
//!
//! Clients read and write these 24 bytes through inline helpers of their headers, so layout and allocator are fixed:
//! the low two bits of the first byte give the kind; long strings lie in memory of libc's `malloc`.
//!
//! | kind | bits | layout |
//! |---|---|---|
//! | small | 0 | `size << 2` in one byte, up to 22 bytes, a zero byte |
//! | large | 1 | `size << 2 \| 1`, capacity, pointer to a `malloc`ed, zero-ended copy |
//! | offset | 2 | `size << 2 \| 2` (32 bits), offset from the string itself (32 bits), count |
//! | view | 3 | `size << 2 \| 3`, pointer, owner (null, or an object with `ref` and `unref`) |
#![expect(unsafe_code, reason = "a C layout with memory of C's allocator")]

use std::cmp::Ordering;
use std::ffi::c_void;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::MaybeUninit;

use crate::{Error, Result, err};

const SMALL: usize = 0;
const LARGE: usize = 1;
const OFFSET: usize = 2;
const KIND: usize = 3;
const SMALL_CAPACITY: usize = 22;

/// Shared ownership of a view's memory, as C knows it.
#[repr(C)]
struct Owner {
    retain: Option<unsafe extern "C" fn(*mut Owner)>,
    release: Option<unsafe extern "C" fn(*mut Owner) -> bool>,
    object: *mut c_void,
}

/// A byte string of 24 bytes that C code may share; the default is the empty string, whose bytes are all zero.
#[repr(C)]
pub struct TString {
    words: [usize; 3],
}

// SAFETY: owned memory; a view's owner is reference counted by contract of the C layout.
unsafe impl Send for TString {}
// SAFETY: no interior mutability.
unsafe impl Sync for TString {}

impl TString {
    /// The empty string.
    pub const fn new() -> Self {
        Self { words: [0; 3] }
    }

    /// The parts one after the other.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory; `Internal` when a clone of `parts` has other parts.
    pub fn concat<'a, I>(parts: I) -> Result<Self>
    where
        I: IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    {
        let parts = parts.into_iter();
        let len = parts
            .clone()
            .try_fold(0usize, |n, part| n.checked_add(part.len()))
            .ok_or_else(exhausted)?;
        let mut string = Self::of_len(len)?;
        // What an iterator says twice need not be the same: the second time each length is checked against the room.
        let changed = || err!(Internal, "the parts of a string changed while it was made");
        let mut room = string.room();
        for part in parts {
            let (to, rest) = room.split_at_mut_checked(part.len()).ok_or_else(changed)?;
            to.write_copy_of_slice(part);
            room = rest;
        }
        if !room.is_empty() {
            return Err(changed());
        }
        Ok(string)
    }

    /// A string of `len` bytes that are still to be written, by way of [`room`](Self::room).
    fn of_len(len: usize) -> Result<Self> {
        if len <= SMALL_CAPACITY {
            return Ok(Self {
                words: [len << 2, 0, 0],
            });
        }
        // Clients grow strings by `realloc` and expect capacities of 16 n + 15.
        let room = (len + 1)
            .checked_next_multiple_of(16)
            .filter(|&n| n < usize::MAX >> 2)
            .ok_or_else(exhausted)?;
        // SAFETY: `malloc` takes any size.
        let memory = unsafe { libc::malloc(room) }.cast::<u8>();
        if memory.is_null() {
            return Err(exhausted());
        }
        // SAFETY: `len < room`.
        let end = unsafe { memory.add(len) };
        // SAFETY: as above.
        unsafe { end.write(0) };
        Ok(Self {
            words: [len << 2 | LARGE, room - 1, memory.expose_provenance()],
        })
    }

    /// The bytes of a string that [`of_len`](Self::of_len) made.
    fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        let (len, kind) = (self.len(), self.kind());
        debug_assert!(kind == SMALL || kind == LARGE);
        let start = match kind {
            SMALL => std::ptr::from_mut(self)
                .cast::<MaybeUninit<u8>>()
                .wrapping_add(1),
            _ => self.words[2] as *mut MaybeUninit<u8>,
        };
        // SAFETY: so many bytes lie within the string, or in memory that it owns.
        unsafe { std::slice::from_raw_parts_mut(start, len) }
    }

    /// Puts `bytes` at the end.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory; the string is as before then.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        *self = Self::concat([self.as_bytes(), bytes])?;
        Ok(())
    }

    fn kind(&self) -> usize {
        self.words[0] & KIND
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        match self.kind() {
            SMALL => (self.words[0] & 0xff) >> 2,
            OFFSET => (self.words[0] & 0xffff_ffff) >> 2,
            _ => self.words[0] >> 2,
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        let this = std::ptr::from_ref(self).cast::<u8>();
        let start = match self.kind() {
            SMALL => this.wrapping_add(1),
            LARGE => self.words[2] as *const u8,
            OFFSET => this.wrapping_add(self.words[0] >> 32),
            _ => self.words[1] as *const u8,
        };
        if self.is_empty() {
            return &[];
        }
        // SAFETY: small strings lie within `self`, large ones in memory that it owns; for offsets and views, who made
        // them promised that the bytes live as long as the string.
        unsafe { std::slice::from_raw_parts(start, self.len()) }
    }

    /// The bytes as text, with what is not UTF-8 replaced.
    pub fn to_string_lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }
}

impl From<&[u8]> for TString {
    /// A copy. Where the process has no memory for it the process ends, as with any Rust collection; what comes from
    /// the size of a client's data goes through [`TString::concat`].
    fn from(bytes: &[u8]) -> Self {
        match Self::concat([bytes]) {
            Ok(s) => s,
            Err(_) => std::alloc::handle_alloc_error(std::alloc::Layout::for_value(bytes)),
        }
    }
}

impl From<&str> for TString {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl<const N: usize> From<&[u8; N]> for TString {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

impl From<String> for TString {
    fn from(text: String) -> Self {
        text.as_bytes().into()
    }
}

impl Clone for TString {
    /// A copy with memory of its own: offsets and views become small or large strings.
    fn clone(&self) -> Self {
        self.as_bytes().into()
    }
}

impl Default for TString {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TString {
    fn drop(&mut self) {
        match self.kind() {
            // SAFETY: a large string owns its memory, which came from `malloc`.
            LARGE => unsafe { libc::free(self.words[2] as *mut c_void) },
            KIND if self.words[2] != 0 => {
                let owner = self.words[2] as *mut Owner;
                // SAFETY: a view's owner, when it has one, is alive until the view releases it.
                let owner_ref = unsafe { &*owner };
                if let Some(release) = owner_ref.release {
                    // SAFETY: the owner's own function, called once for this view.
                    unsafe { release(owner) };
                }
            }
            _ => {}
        }
    }
}

impl PartialEq for TString {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for TString {}

impl PartialOrd for TString {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TString {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for TString {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for TString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}

const _: () = assert!(
    size_of::<TString>() == 24 && cfg!(target_endian = "little"),
    "the C layout needs 64-bit little-endian words"
);

#[cold]
fn exhausted() -> Error {
    err!(ResourceExhausted, "OOM when making a string")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{Code, Element, Shape, Tensor};

    /// Parts of which each clone says that they are of the next of those lengths.
    struct Fickle<'a>(&'a Cell<usize>, Option<&'static [u8]>);

    impl Clone for Fickle<'_> {
        fn clone(&self) -> Self {
            Self(self.0, Some(&[7; 100][..self.0.get()]))
        }
    }

    impl Iterator for Fickle<'_> {
        type Item = &'static [u8];

        fn next(&mut self) -> Option<&'static [u8]> {
            self.1.take()
        }
    }

    #[test]
    fn parts_that_change_are_refused() {
        for (said, given) in [(5, 6), (5, 4), (20, 100), (30, 100), (30, 29), (30, 0)] {
            let parts = Fickle(&Cell::new(said), Some(&[7; 100][..given]));
            let e = TString::concat(parts).expect_err("other parts");
            assert_eq!(e.code(), Code::Internal, "{said} {given}");
        }
    }

    #[test]
    fn strings_of_every_length_round_trip() {
        for n in (0..70).chain([255, 256, 4096]) {
            let bytes: Vec<u8> = (0..n).map(|i| i as u8).collect();
            let s = TString::from(bytes.as_slice());
            assert_eq!(s.len(), n);
            assert_eq!(s.as_bytes(), bytes);
            assert_eq!(s.kind(), if n <= 22 { SMALL } else { LARGE });
            assert_eq!(s.clone(), s);
        }
    }

    #[test]
    fn views_and_offsets_are_read_and_copied() {
        let text = b"a view of twenty-five byte";
        let view = TString {
            words: [text.len() << 2 | 3, text.as_ptr() as usize, 0],
        };
        assert_eq!(view.as_bytes(), text);
        assert_eq!(TString::clone(&view).kind(), LARGE);
        let mut pair = [TString::new(), TString::from("bytes behind it")];
        // An offset string: 5 bytes, 25 bytes on, which is the text of the small string behind it.
        pair[0].words[0] = (5 << 2 | OFFSET) | 25 << 32;
        assert_eq!(pair[0].kind(), OFFSET);
        assert_eq!(pair[0].len(), 5);
    }

    #[test]
    fn copies_and_appends_without_memory_are_errors() {
        // A view of more bytes than an address space has; nobody gets to read one of them.
        let vast = || TString {
            words: [(1 << 60) << 2 | KIND, 64, 0],
        };
        let strings = Tensor::uninit(TString::DTYPE, Shape::vector(2)).expect("memory");
        let strings = strings.fill_from([TString::from("a"), vast()]);
        let strings = strings.expect("two strings");
        let mut short = TString::from("short");
        let errors = [
            vast().try_clone().err(),
            short.append(vast().as_bytes()).err(),
            strings.deep_copy().err(),
        ];
        for error in errors {
            assert_eq!(error.map(|e| e.code()), Some(Code::ResourceExhausted));
        }
        for part in [" of memory", ", but not of words", ""] {
            short.append(part.as_bytes()).expect("memory");
        }
        assert_eq!(short, "short of memory, but not of words".into());
    }

    #[test]
    fn order_is_by_bytes() {
        let mut v = ["b", "", "ab", "a"].map(TString::from);
        v.sort();
        assert_eq!(v, ["", "a", "ab", "b"].map(TString::from));
    }
}
