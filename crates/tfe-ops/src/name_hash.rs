//! The hash that op names are looked up by: shared, as source, with `cargo xtask codegen`, which lays
//! the table out.

/// Slots of the table are chosen by the top bits of a hash, so that it can be used unmasked.
pub(crate) const TABLE_BITS: u32 = 12;

const SECRET: u64 = 0x9e37_79b9_7f4a_7c15;

/// A 64-bit hash of an op's name: two or three multiplications for the names there are.
#[inline]
pub(crate) fn name_hash(name: &[u8]) -> u64 {
    let mut hash = name.len() as u64 ^ SECRET;
    let mut rest = name;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        hash = fold(hash ^ u64::from_le_bytes(*word));
        if tail.is_empty() {
            return hash;
        }
        rest = tail;
    }
    // The last word overlaps its predecessor where there is one: no loop over single bytes.
    let tail = if let Some(word) = name.last_chunk::<8>() {
        u64::from_le_bytes(*word)
    } else if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
    } else {
        name.iter()
            .fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    fold(hash ^ tail)
}

/// The two halves of a 128-bit product, exclusive-or'ed: every bit depends on every bit of `word`.
#[inline]
fn fold(word: u64) -> u64 {
    let product = u128::from(word) * u128::from(SECRET | 1);
    (product as u64) ^ ((product >> 64) as u64)
}
