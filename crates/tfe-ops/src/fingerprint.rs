//! 128-bit fingerprints in two halves that have nothing in common but their input.
//!
//! Cache keys are sums of such fingerprints, so each half must be good enough on its own: a collision of one half must
//! say nothing about the other.

/// 128 bits that stand for a piece of data, in two independent halves.
///
/// Fingerprints are for look-ups within a process: they may differ between versions of this crate.
///
/// ```
/// use tfe_ops::Fingerprint128;
///
/// let a = Fingerprint128::of(b"/device:CPU:0");
/// let b = Fingerprint128::of(b"/device:CPU:1");
/// assert_ne!(a.lo, b.lo);
/// assert_ne!(a.hi, b.hi);
/// assert_eq!(a, Fingerprint128::of(b"/device:CPU:0"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint128 {
    /// The half that hash tables index by.
    pub lo: u64,
    /// The other half.
    pub hi: u64,
}

impl Fingerprint128 {
    /// The fingerprint of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut stream = Fingerprinter::new(Self { lo: 0, hi: 0 });
        stream.bytes(bytes);
        stream.finish()
    }

    /// The fingerprint of one word and of what it belongs to: a bijection of the word in each half, so two words never
    /// give the same half.
    #[inline]
    pub const fn of_word(self, tag: u64, word: u64) -> Self {
        Self {
            lo: finish_lo(self.lo.wrapping_add(tag.wrapping_mul(TAG_LO)) ^ word),
            hi: finish_hi((self.hi ^ tag.wrapping_mul(TAG_HI)).wrapping_add(word)),
        }
    }

    /// Sum, half by half. There is no carry between the halves: that would tie one to the other.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            lo: self.lo.wrapping_add(other.lo),
            hi: self.hi.wrapping_add(other.hi),
        }
    }

    /// Difference, half by half.
    #[inline]
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            lo: self.lo.wrapping_sub(other.lo),
            hi: self.hi.wrapping_sub(other.hi),
        }
    }
}

/// The fingerprint of some bytes: [`Fingerprint128::of`] as a function.
pub fn fingerprint128(bytes: &[u8]) -> Fingerprint128 {
    Fingerprint128::of(bytes)
}

// Odd constants with no pattern: fractions of square roots of primes, and multipliers known to mix well.
const TAG_LO: u64 = 0x6a09_e667_f3bc_c909;
const TAG_HI: u64 = 0xbb67_ae85_84ca_a73b;
const WORD_LO: u64 = 0x9e37_79b9_7f4a_7c15;
const WORD_HI: u64 = 0xd1b5_4a32_d192_ed03;
const START_LO: u64 = 0x3c6e_f372_fe94_f82b;
const START_HI: u64 = 0xa54f_f53a_5f1d_36f1;

/// Takes in words and byte strings, in order.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprinter {
    lo: u64,
    hi: u64,
}

impl Fingerprinter {
    /// A fingerprinter for what belongs to `seed`.
    pub(crate) fn new(seed: Fingerprint128) -> Self {
        Self {
            lo: seed.lo ^ START_LO,
            hi: seed.hi ^ START_HI,
        }
    }

    /// Takes in one word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        self.lo = fold(self.lo ^ word, WORD_LO);
        self.hi = fold(self.hi.rotate_left(29).wrapping_add(word), WORD_HI);
    }

    /// Takes in bytes, with their number first: `"ab", "c"` is not `"a", "bc"`.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let (words, tail) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        if !tail.is_empty() {
            let word = tail
                .iter()
                .rev()
                .fold(0, |word, &b| word << 8 | u64::from(b));
            self.word(word);
        }
    }

    pub(crate) fn finish(self) -> Fingerprint128 {
        Fingerprint128 {
            lo: finish_lo(self.lo),
            hi: finish_hi(self.hi),
        }
    }
}

#[inline]
fn fold(word: u64, by: u64) -> u64 {
    let product = u128::from(word) * u128::from(by);
    (product as u64) ^ ((product >> 64) as u64)
}

/// MurmurHash3's finaliser: a bijection in which every bit depends on every bit.
#[inline]
const fn finish_lo(mut x: u64) -> u64 {
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// Another such bijection, with other constants and shifts (Stafford's variant 13).
#[inline]
const fn finish_hi(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_the_input_changes_about_half_of_each_half() {
        let mut bytes = *b"a device or an attribute";
        let base = Fingerprint128::of(&bytes);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let other = Fingerprint128::of(&bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
            for changed in [base.lo ^ other.lo, base.hi ^ other.hi] {
                assert!(
                    (10..=54).contains(&changed.count_ones()),
                    "bit {bit}: {changed:x}"
                );
            }
        }
    }

    #[test]
    fn changes_in_two_words_do_not_cancel() {
        // The pair that cancels in any hash of the form `h = (h ^ w) * odd; h ^= h >> 32`.
        let [a, b] = [(0u64, 0u64), (1 << 63, 1 << 63 | 1 << 31)].map(|(first, second)| {
            let mut stream = Fingerprinter::new(Fingerprint128::default());
            stream.word(first);
            stream.word(second);
            stream.finish()
        });
        assert!(a.lo != b.lo && a.hi != b.hi);
    }

    #[test]
    fn lengths_and_trailing_zeros_count() {
        let zeros = [0u8; 40];
        let prints: std::collections::BTreeSet<_> = (0..=zeros.len())
            .map(|n| fingerprint128(&zeros[..n]))
            .collect();
        assert_eq!(prints.len(), zeros.len() + 1);
    }
}
