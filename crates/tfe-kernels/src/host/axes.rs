//! Axes that clients give: negative ones, tensors of them.

use smallvec::SmallVec;
use tfe_core::{DataType, Result, Tensor, bail};

/// The axis `axis` of `rank` dimensions, counted from the end when negative; `None` when there is no such axis.
pub(crate) fn normalize(axis: i64, rank: usize) -> Option<usize> {
    let from_start = if axis < 0 {
        axis.checked_add(rank as i64)?
    } else {
        axis
    };
    usize::try_from(from_start).ok().filter(|&a| a < rank)
}

/// The elements of an integer tensor of any shape: axes, sizes, paddings.
///
/// # Errors
/// `InvalidArgument` for another type than `int16`, `int32` or `int64`.
pub(crate) fn integers(tensor: &Tensor) -> Result<SmallVec<[i64; 8]>> {
    Ok(match tensor.dtype() {
        DataType::Int16 => tensor
            .as_slice::<i16>()?
            .iter()
            .map(|&v| v.into())
            .collect(),
        DataType::Int32 => tensor
            .as_slice::<i32>()?
            .iter()
            .map(|&v| v.into())
            .collect(),
        DataType::Int64 => SmallVec::from_slice(tensor.as_slice::<i64>()?),
        other => bail!(
            InvalidArgument,
            "expected a tensor of indices but got one of {other}"
        ),
    })
}

/// The index vector of element `i` of a dense array.
#[cfg(test)]
pub(crate) fn index_of(mut i: usize, dims: &[i64], index: &mut [i64]) {
    for (index, &d) in index.iter_mut().zip(dims).rev() {
        *index = i as i64 % d;
        i /= d as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_count_from_either_end() {
        for (axis, rank, want) in [
            (0, 1, Some(0)),
            (-1, 3, Some(2)),
            (-3, 3, Some(0)),
            (-4, 3, None),
            (3, 3, None),
            (0, 0, None),
            (i64::MIN, 254, None),
            (i64::MAX, 254, None),
        ] {
            assert_eq!(normalize(axis, rank), want, "{axis} of {rank}");
        }
    }
}
