//! What a strided slice takes: indices and masks resolved to a start, a stride and a count for each dimension.

use smallvec::SmallVec;
use tfe_core::{Result, bail, ensure};
use tfe_device::dim;

/// The five bit masks; bit `i` speaks of entry `i` of the indices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Masks {
    /// The entry's begin is the end that its stride comes from.
    pub(super) begin: u32,
    /// The entry's end is the end that its stride goes to.
    pub(super) end: u32,
    /// The entry stands for all dimensions that no other entry speaks of.
    pub(super) ellipsis: u32,
    /// The entry makes a dimension of size 1.
    pub(super) new_axis: u32,
    /// The entry takes one index, and its dimension goes.
    pub(super) shrink: u32,
}

/// The indices of a call: one entry a dimension, if no mask says otherwise. All three are of one length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indices<'a> {
    pub(super) begin: &'a [i64],
    pub(super) end: &'a [i64],
    pub(super) strides: &'a [i64],
}

/// What is taken of one dimension of the input: `count` indices from `start` on, `stride` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) start: usize,
    pub(super) stride: i64,
    pub(super) count: usize,
}

impl Taken {
    fn all(size: i64) -> Self {
        Self {
            start: 0,
            stride: 1,
            count: size as usize,
        }
    }

    /// Whether it is all of a dimension of `size`, in order.
    pub(super) fn is_all(&self, size: i64) -> bool {
        *self == Self::all(size)
    }
}

/// A resolved slice.
#[derive(Debug)]
pub(super) struct Slice {
    /// For each dimension of the input; not to be relied on for one of unknown size.
    pub(super) taken: SmallVec<[Taken; 4]>,
    /// The dimensions of the result, -1 where unknown.
    pub(super) dims: SmallVec<[i64; 4]>,
}

/// The slice that `at` and `masks` take of a tensor with dimensions `input`, -1 where unknown.
///
/// # Errors
/// `InvalidArgument` for a stride of 0, a single index that is not there, more entries than dimensions, two ellipses.
pub(super) fn resolve(input: &[i64], at: Indices<'_>, masks: Masks) -> Result<Slice> {
    ensure!(
        masks.ellipsis.count_ones() <= 1,
        InvalidArgument,
        "Multiple ellipses in slice spec not allowed"
    );
    let entries = at.begin.len();
    let named = (0..entries)
        .filter(|&i| !bit(masks.ellipsis, i) && !bit(masks.new_axis, i))
        .count();
    let rank = input.len();
    let Some(unnamed) = rank.checked_sub(named) else {
        if rank == 0 {
            bail!(InvalidArgument, "Attempting to slice scalar input.");
        }
        bail!(
            InvalidArgument,
            "Index out of range using input dim {rank}; input has only {rank} dims"
        );
    };

    let mut taken = SmallVec::<[Taken; 4]>::new();
    let mut dims = SmallVec::<[i64; 4]>::new();
    // An ellipsis behind the last entry is implied.
    for i in 0..=entries {
        if bit(masks.ellipsis, i) || (i == entries && taken.len() < rank) {
            let sizes = &input[taken.len()..][..unnamed];
            taken.extend(sizes.iter().map(|&size| Taken::all(size)));
            dims.extend_from_slice(sizes);
        } else if i == entries {
            break;
        } else if bit(masks.new_axis, i) {
            dims.push(1);
        } else {
            let axis = taken.len();
            let size = input[axis];
            let one = take(dim::known(size), axis, at, i, masks)?;
            taken.push(one);
            if !bit(masks.shrink, i) {
                dims.push(if size == dim::UNKNOWN {
                    size
                } else {
                    one.count as i64
                });
            }
        }
    }
    Ok(Slice { taken, dims })
}

fn bit(mask: u32, i: usize) -> bool {
    i < 32 && mask >> i & 1 == 1
}

/// What entry `i` takes of dimension `axis` of that size; of one of unknown size, something.
fn take(size: Option<i64>, axis: usize, at: Indices<'_>, i: usize, masks: Masks) -> Result<Taken> {
    let (begin, end, stride) = (at.begin[i], at.end[i], at.strides[i]);
    ensure!(
        stride != 0,
        InvalidArgument,
        "strides[{axis}] must be non-zero"
    );
    if bit(masks.shrink, i) {
        ensure!(
            stride > 0,
            InvalidArgument,
            "only stride 1 allowed on non-range indexing."
        );
    }
    let Some(size) = size else {
        return Ok(Taken::all(0));
    };
    let from_front = |index: i64| if index < 0 { index + size } else { index };
    if bit(masks.shrink, i) {
        let index = from_front(begin);
        ensure!(
            (0..size).contains(&index),
            InvalidArgument,
            "slice index {index} of dimension {axis} out of bounds."
        );
        return Ok(Taken {
            start: index as usize,
            stride: 1,
            count: 1,
        });
    }
    // The positions between which the slice runs; going backwards, they lie one before the indices.
    let (first, last) = if stride > 0 {
        (0, size)
    } else {
        (size - 1, -1)
    };
    let clamp = |index: i64| from_front(index).clamp(first.min(last), first.max(last));
    let begin = if bit(masks.begin, i) {
        first
    } else {
        clamp(begin)
    };
    let end = if bit(masks.end, i) { last } else { clamp(end) };
    let span = if stride > 0 { end - begin } else { begin - end };
    let count = if span > 0 {
        (span as u64).div_ceil(stride.unsigned_abs()) as usize
    } else {
        0
    };
    Ok(Taken {
        // Nothing is taken from before the first index.
        start: begin.max(0) as usize,
        stride,
        count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `begin:end:stride` an entry.
    fn resolved(input: &[i64], entries: &[[i64; 3]], masks: Masks) -> Result<Slice> {
        let column = |i: usize| entries.iter().map(|e| e[i]).collect::<Vec<_>>();
        let (begin, end, strides) = (column(0), column(1), column(2));
        let at = Indices {
            begin: &begin,
            end: &end,
            strides: &strides,
        };
        resolve(input, at, masks)
    }

    #[test]
    fn extreme_numbers_clamp() {
        let (min, max) = (i64::MIN, i64::MAX);
        for (entry, want) in [
            ([min, max, 1], (0, 3)),
            ([max, min, -1], (2, 3)),
            ([0, max, max], (0, 1)),
            ([max, min, min], (2, 1)),
            ([-1, min, -2], (2, 2)),
            ([2, 2, 1], (2, 0)),
            ([0, 2, -1], (0, 0)),
        ] {
            let one = resolved(&[3], &[entry], Masks::default())
                .expect("valid")
                .taken[0];
            assert_eq!((one.start, one.count), want, "{entry:?}");
        }
    }

    #[test]
    fn masks_rank_ellipsis_over_new_axis_over_shrink() {
        let all = Masks {
            ellipsis: 1,
            new_axis: 3,
            shrink: 7,
            ..Masks::default()
        };
        let slice = resolved(&[2, 3, 4], &[[1, 2, 1]; 3], all).expect("valid");
        assert_eq!(slice.dims[..], [2, 3, 1]);
        assert_eq!(slice.taken[2].start, 1);
    }
}
