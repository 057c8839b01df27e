//! The byte strings of attributes: short ones in place, long ones boxed.

use std::fmt;
use std::ops::Deref;

/// A byte string that does not change; up to [`INLINE`](Self::INLINE) bytes take no memory of their own.
#[derive(Clone)]
pub struct AttrBytes(Repr);

#[derive(Clone)]
enum Repr {
    Inline(u8, [u8; AttrBytes::INLINE]),
    Heap(Box<[u8]>),
}

impl AttrBytes {
    /// How many bytes are stored in place: enough for names of layouts, paddings and most devices' short names.
    pub const INLINE: usize = 22;
}

impl From<&[u8]> for AttrBytes {
    #[inline]
    fn from(bytes: &[u8]) -> Self {
        if bytes.len() > Self::INLINE {
            return Self(Repr::Heap(bytes.into()));
        }
        let mut inline = [0; Self::INLINE];
        inline[..bytes.len()].copy_from_slice(bytes);
        Self(Repr::Inline(bytes.len() as u8, inline))
    }
}

impl From<&str> for AttrBytes {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl Deref for AttrBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline(len, bytes) => &bytes[..usize::from(*len)],
            Repr::Heap(bytes) => bytes,
        }
    }
}

impl PartialEq for AttrBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for AttrBytes {}

impl fmt::Debug for AttrBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_round_trips() {
        for n in 0..64 {
            let bytes: Vec<u8> = (0..n).collect();
            let stored = AttrBytes::from(bytes.as_slice());
            assert_eq!(*stored, *bytes);
            assert_eq!(stored, stored.clone());
        }
        assert_eq!(size_of::<AttrBytes>(), 24);
        assert_eq!(format!("{:?}", AttrBytes::from("a\n")), "\"a\\n\"");
    }
}
