//! Elements in groups of equal ones, in the order in which they first occur: what `Unique` and `ListDiff` do. Zeros are
//! equal whatever their sign, a NaN to nothing.

use num_traits::AsPrimitive;
use tfe_core::memory::{try_collect, try_push};
use tfe_core::{DTypeSet, DataType, Result, TString, Tensor, dispatch};

use crate::{scratch, scratch_of};

/// Numbers that are the same for elements that are equal. Each NaN gets one of its own, from `first` on.
///
/// # Errors
/// `Unimplemented` for a type that has no such numbers; `ResourceExhausted`.
pub fn keys(input: &Tensor, first: usize) -> Result<Vec<u64>> {
    let float = |(i, x): (usize, f64)| match x {
        0.0 => 0,
        x if x.is_nan() => f64::NAN.to_bits() | (first + i) as u64,
        x => x.to_bits(),
    };
    match input.dtype() {
        DataType::Bool => try_collect(input.as_slice::<bool>()?.iter().map(|&x| x.into())),
        dtype if DTypeSet::FLOAT.contains(dtype) => dispatch!(dtype, Float, |T| {
            let wide = input.as_slice::<T>()?.iter().map(|&x| x.as_());
            try_collect(wide.enumerate().map(float))
        }),
        dtype => dispatch!(dtype, Int, |T| {
            try_collect(input.as_slice::<T>()?.iter().map(|&x| x.as_()))
        }),
    }
}

/// Which slices are equal.
pub struct Groups {
    /// The first slice of each group.
    pub firsts: Vec<usize>,
    /// The group of each slice.
    pub of: Vec<i64>,
}

/// Something to compare and to hash.
pub trait Key: PartialEq {
    /// A hash of this and of what was hashed before.
    fn hash(&self, hash: u64) -> u64;
}

impl<K: Key> Key for &K {
    fn hash(&self, hash: u64) -> u64 {
        (**self).hash(hash)
    }
}

impl Key for u64 {
    fn hash(&self, hash: u64) -> u64 {
        mixed(hash ^ self)
    }
}

impl Key for TString {
    fn hash(&self, hash: u64) -> u64 {
        let bytes = self.as_bytes();
        bytes
            .chunks(8)
            .fold(hash ^ bytes.len() as u64, |hash, chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                mixed(hash ^ u64::from_ne_bytes(word))
            })
    }
}

/// Every bit of the number in every bit of the result.
fn mixed(x: u64) -> u64 {
    let product = u128::from(x) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}

/// The groups of equal elements.
///
/// # Errors
/// `ResourceExhausted`.
pub fn grouped<K: Key>(keys: &[K]) -> Result<Groups> {
    slices(keys, [1, keys.len(), 1])
}

/// The groups of equal slices along the second of three dimensions, of a tensor with elements.
///
/// # Errors
/// `ResourceExhausted`.
pub fn slices<K: Key>(keys: &[K], [outer, count, inner]: [usize; 3]) -> Result<Groups> {
    /// No group.
    const FREE: usize = usize::MAX;

    let elements = move |slice: usize| {
        let first = move |block: usize| (block * count + slice) * inner;
        (0..outer).flat_map(move |block| &keys[first(block)..][..inner])
    };
    // A table that is never more than half full: a group stands at the first free place from its hash on. It grows
    // with the groups, of which there are few where elements have few values.
    let mut table = scratch_of(FREE, 64)?;
    let mut hashes = Vec::new();
    let mut firsts = Vec::new();
    let mut of = scratch(count)?;
    for slice in 0..count {
        let mask = table.len() - 1;
        let hash = elements(slice).fold(0, |hash, key| key.hash(hash)) as usize;
        let mut place = hash & mask;
        while table[place] != FREE && !elements(firsts[table[place]]).eq(elements(slice)) {
            place = (place + 1) & mask;
        }
        if table[place] == FREE {
            table[place] = firsts.len();
            try_push(&mut firsts, slice)?;
            try_push(&mut hashes, hash)?;
        }
        of.push(table[place] as i64);
        if 2 * firsts.len() > mask {
            table = placed(&hashes, 4 * (mask + 1))?;
        }
    }
    return Ok(Groups { firsts, of });

    /// A table of that size with the groups of these hashes.
    fn placed(hashes: &[usize], size: usize) -> Result<Vec<usize>> {
        let mut table = scratch_of(FREE, size)?;
        for (group, hash) in hashes.iter().enumerate() {
            let mut place = hash & (size - 1);
            while table[place] != FREE {
                place = (place + 1) & (size - 1);
            }
            table[place] = group;
        }
        Ok(table)
    }
}
