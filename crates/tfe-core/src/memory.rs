//! Vectors whose length is known at run time only: no memory is `ResourceExhausted`, where `Vec` alone would end the process.
//!
//! ```
//! use tfe_core::memory::{try_collect, try_filled_vec, try_push, try_vec_with_capacity};
//!
//! let mut sizes = try_vec_with_capacity(2)?; // Vec::with_capacity(2)
//! try_push(&mut sizes, 7)?; // sizes.push(7)
//! assert_eq!(try_filled_vec(0i64, 3)?, [0; 3]); // vec![0; 3]
//! assert_eq!(try_collect(sizes.iter().map(|n| n + 1))?, [8]); // .collect::<Vec<_>>()
//! assert!(try_filled_vec(0i64, usize::MAX).is_err());
//! # Ok::<(), tfe_core::Error>(())
//! ```

use crate::{Error, Result, err};

/// `Vec::with_capacity`.
///
/// # Errors
/// `ResourceExhausted` when there is no memory.
pub fn try_vec_with_capacity<T>(capacity: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    match vec.try_reserve_exact(capacity) {
        Ok(()) => Ok(vec),
        Err(_) => Err(exhausted::<T>(capacity)),
    }
}

/// `vec![value; len]`.
///
/// # Errors
/// `ResourceExhausted` when there is no memory.
pub fn try_filled_vec<T: Clone>(value: T, len: usize) -> Result<Vec<T>> {
    let mut vec = try_vec_with_capacity(len)?;
    vec.resize(len, value);
    Ok(vec)
}

/// `collect::<Vec<_>>()`. For items that are results themselves, take [`try_push`].
///
/// # Errors
/// `ResourceExhausted` when there is no memory.
pub fn try_collect<T>(values: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let values = values.into_iter();
    let mut vec = try_vec_with_capacity(values.size_hint().0)?;
    for value in values {
        try_push(&mut vec, value)?;
    }
    Ok(vec)
}

/// `Vec::push`.
///
/// # Errors
/// `ResourceExhausted` when there is no memory.
#[inline]
pub fn try_push<T>(vec: &mut Vec<T>, value: T) -> Result<()> {
    if vec.len() == vec.capacity() && vec.try_reserve(1).is_err() {
        return Err(exhausted::<T>(vec.len().saturating_add(1)));
    }
    vec.push(value);
    Ok(())
}

#[cold]
fn exhausted<T>(len: usize) -> Error {
    let size = size_of::<T>();
    err!(
        ResourceExhausted,
        "OOM when allocating {len} elements of {size} bytes"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    /// More than an address space, and more than this process can have: two ways to fail.
    const SIZES: [usize; 2] = [usize::MAX, 1 << 56];

    #[test]
    fn sizes_beyond_memory_are_errors() {
        for size in SIZES {
            let errors = [
                try_vec_with_capacity::<u64>(size).err(),
                try_filled_vec(0u8, size).err(),
                try_collect(std::iter::repeat_n(0u8, size)).err(),
            ];
            for error in errors {
                assert_eq!(error.map(|e| e.code()), Some(Code::ResourceExhausted));
            }
        }
    }

    #[test]
    fn iterators_that_promise_too_little_are_collected_whole() {
        let odd = (0..100).filter(|n| n % 2 == 1);
        let want: Vec<i32> = odd.clone().collect();
        assert_eq!(try_collect(odd).expect("memory"), want);
    }
}
