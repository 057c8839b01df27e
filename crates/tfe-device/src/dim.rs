//! Arithmetic of dimensions that may be unknown.

use smallvec::SmallVec;
use tfe_core::{Result, err};

/// An unknown dimension.
pub const UNKNOWN: i64 = -1;

/// The dimension, if it is known.
#[inline]
pub fn known(dim: i64) -> Option<i64> {
    (dim != UNKNOWN).then_some(dim)
}

/// The dimension that both are; `None` when they are known to differ.
#[inline]
pub fn merge(a: i64, b: i64) -> Option<i64> {
    match (a, b) {
        (UNKNOWN, other) | (other, UNKNOWN) => Some(other),
        (a, b) => (a == b).then_some(a),
    }
}

/// [`merge`] of each of these dimensions; `None` too when there are not as many.
pub fn merge_all(a: &[i64], b: &[i64]) -> Option<SmallVec<[i64; 8]>> {
    if a.len() != b.len() {
        return None;
    }
    a.iter().zip(b).map(|(&a, &b)| merge(a, b)).collect()
}

/// Whether two shapes may be one: all that is known of both is equal.
pub fn may_be_equal(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| merge(a, b).is_some())
}

/// A function of known dimensions, unknown where one of them is.
///
/// # Errors
/// `InvalidArgument` when the function has no result: it overflows.
pub fn of(a: i64, b: i64, f: impl FnOnce(i64, i64) -> Option<i64>) -> Result<i64> {
    match (known(a), known(b)) {
        (Some(a), Some(b)) => f(a, b).ok_or_else(|| {
            err!(
                InvalidArgument,
                "a dimension of the result is over 2**63 - 1 (from {a} and {b})"
            )
        }),
        _ => Ok(UNKNOWN),
    }
}

/// The sum.
///
/// # Errors
/// As [`of`].
pub fn add(a: i64, b: i64) -> Result<i64> {
    of(a, b, i64::checked_add)
}

/// The product.
///
/// # Errors
/// As [`of`].
pub fn mul(a: i64, b: i64) -> Result<i64> {
    of(a, b, i64::checked_mul)
}

/// The product of all, unknown where one is unknown and none is 0, or where it is over 2^63 - 1.
pub fn product(dims: &[i64]) -> i64 {
    if dims.contains(&0) {
        return 0;
    }
    dims.iter()
        .try_fold(1i64, |all, &d| all.checked_mul(known(d)?))
        .unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_goes_through_and_overflow_is_told() {
        assert_eq!(add(2, 3).expect("a sum"), 5);
        assert_eq!(add(2, UNKNOWN).expect("a sum"), UNKNOWN);
        assert!(add(i64::MAX, 1).is_err());
        assert_eq!(mul(UNKNOWN, i64::MAX).expect("a product"), UNKNOWN);
        assert_eq!((merge(2, UNKNOWN), merge(2, 3)), (Some(2), None));
        let merged = merge_all(&[2, UNKNOWN], &[UNKNOWN, 3]);
        assert_eq!(merged.as_deref(), Some(&[2, 3][..]));
        assert_eq!(merge_all(&[2], &[2, 3]), None);
        assert_eq!(
            (product(&[2, 3]), product(&[2, -1]), product(&[0, -1])),
            (6, -1, 0)
        );
        assert_eq!(product(&[]), 1);
        assert!(may_be_equal(&[2, UNKNOWN], &[UNKNOWN, 3]) && may_be_equal(&[], &[]));
        assert!(!may_be_equal(&[2], &[3]) && !may_be_equal(&[2], &[2, UNKNOWN]));
    }
}
