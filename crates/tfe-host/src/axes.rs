//! Axes that clients give: negative ones, tensors of them.

use num_traits::cast;
use tfe_core::{DataType, Result, Shape, Tensor, bail, dispatch, err};
use tfe_device::KernelContext;
pub use tfe_device::integers;

use crate::scratch;

/// The axis `axis` of `rank` dimensions, counted from the end when negative; `None` when there is no such axis.
pub fn normalize(axis: i64, rank: usize) -> Option<usize> {
    let from_start = if axis < 0 {
        axis.checked_add(rank as i64)?
    } else {
        axis
    };
    usize::try_from(from_start).ok().filter(|&a| a < rank)
}

/// The axis `axis` of `rank` dimensions, which the rule of the op has checked, counted from the start.
pub fn from_start(axis: i64, rank: usize) -> usize {
    (if axis < 0 { axis + rank as i64 } else { axis }) as usize
}

/// A tensor of integers.
///
/// # Errors
/// `InvalidArgument` for a number that the type cannot hold, `Unimplemented` for a type that indexes nothing.
pub fn tensor(
    ctx: &KernelContext<'_>,
    dtype: DataType,
    shape: Shape,
    values: &[i64],
) -> Result<Tensor> {
    let out = ctx.allocate(dtype, shape)?;
    dispatch!(dtype, [Int16, Uint16, Int32, Int64], |T| {
        if let Some(v) = values.iter().find(|&&v| cast::<i64, T>(v).is_none()) {
            bail!(InvalidArgument, "{v} does not fit the type {dtype}");
        }
        out.fill_from(values.iter().filter_map(|&v| cast::<i64, T>(v)))
    })
}

/// The elements of a tensor of indices, all below `len`.
///
/// # Errors
/// `InvalidArgument` for one that is not.
pub fn rows(indices: &Tensor, len: i64) -> Result<Vec<usize>> {
    let check = |(i, index): (usize, i64)| {
        if (0..len).contains(&index) {
            return Ok(index as usize);
        }
        let place = place(indices.dims(), i);
        Err(err!(
            InvalidArgument,
            "indices{place} = {index} is not in [0, {len})"
        ))
    };
    let mut rows = scratch(indices.num_elements())?;
    for row in integers(indices)?.into_iter().enumerate().map(check) {
        rows.push(row?);
    }
    Ok(rows)
}

/// A dense array as three dimensions: those before `axis`, that, those behind it.
pub fn around(dims: &[i64], axis: usize) -> [usize; 3] {
    let product = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    [&dims[..axis], &dims[axis..=axis], &dims[axis + 1..]].map(product)
}

/// How messages list sizes that need not be those of a shape: `2,-3`. No more than 254, as many as a shape has.
pub fn listed(sizes: &[i64], between: &str) -> String {
    let sizes: Vec<_> = sizes.iter().take(254).map(i64::to_string).collect();
    sizes.join(between)
}

/// How messages name element `i` of a tensor: `[1,0]`; nothing for a scalar.
pub fn place(dims: &[i64], i: usize) -> String {
    if dims.is_empty() {
        return String::new();
    }
    let mut index = vec![0; dims.len()];
    index_of(i, dims, &mut index);
    format!("[{}]", listed(&index, ","))
}

/// The index vector of element `i` of a dense array.
pub fn index_of(mut i: usize, dims: &[i64], index: &mut [i64]) {
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
