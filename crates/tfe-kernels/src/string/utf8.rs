//! Characters of UTF-8 in bytes of any kind: a byte that continues no character belongs to the one before it.

/// The units in which lengths and places are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Byte,
    Utf8Char,
}

impl Unit {
    /// The unit of that attribute value.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "UTF8_CHAR" => Self::Utf8Char,
            _ => Self::Byte,
        }
    }

    /// How many there are.
    pub(super) fn count(self, text: &[u8]) -> usize {
        match self {
            Self::Byte => text.len(),
            Self::Utf8Char => text.iter().filter(|&&b| !continues(b)).count(),
        }
    }

    /// How many bytes the first `n` take; all bytes, and how many units are missing, where there are fewer.
    pub(super) fn prefix(self, text: &[u8], n: usize) -> (usize, usize) {
        if self == Self::Byte {
            return (n.min(text.len()), n.saturating_sub(text.len()));
        }
        let (mut at, mut left) = (0, n);
        while at < text.len() && left > 0 {
            at += 1 + text[at + 1..].iter().take_while(|&&b| continues(b)).count();
            left -= 1;
        }
        (at, left)
    }

    /// As [`prefix`](Self::prefix), for the last `n`.
    pub(super) fn suffix(self, text: &[u8], n: usize) -> (usize, usize) {
        if self == Self::Byte {
            return self.prefix(text, n);
        }
        let (mut at, mut left) = (text.len(), n);
        while at > 0 && left > 0 {
            let start = text[..at].iter().rposition(|&b| !continues(b));
            at = start.unwrap_or(0);
            left -= 1;
        }
        (text.len() - at, left)
    }
}

fn continues(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// What C calls white space.
pub(super) fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Bytes without white space at either end.
pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|b| !is_space(b)).unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|b| !is_space(b))
        .map_or(start, |last| last + 1);
    &text[start..end]
}
