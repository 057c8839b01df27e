//! Updates of a tensor in place: rows of it, by rows of another.

use tfe_core::{
    DataType, Element, ResourceHandle, Result, TString, Tensor, Variant, dispatch, err,
};

use crate::number::{Compute, Number, Real};
use crate::{bits, gather_rows};

/// Rows of a tensor that are to be updated.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Which row takes the next row of the updates, in order; a row may come more than once. None does where it says
    /// [`gather_rows::Rows::NONE`].
    pub rows: &'a [usize],
    /// The elements of a row.
    pub width: usize,
}

/// Updates rows of the first tensor by the second, which has as many rows or is one element for all places.
pub type Update = fn(&mut Tensor, &Tensor, Rows<'_>) -> Result<()>;

/// The update with the type that it takes tensors for, of the same width.
pub type Updates = (Update, DataType);

/// The update that writes new rows over old ones.
///
/// # Errors
/// `Unimplemented` for a type that no tensor is of.
pub fn assignment(dtype: DataType) -> Result<Updates> {
    Ok(match dtype {
        DataType::String => (assign::<TString>, dtype),
        DataType::Resource => (assign::<ResourceHandle>, dtype),
        DataType::Variant => (assign::<Variant>, dtype),
        plain => {
            let dtype = bits::of_width(plain);
            dispatch!(dtype, [Uint8, Uint16, Uint32, Uint64, Complex128], |T| Ok(
                (assign::<T> as Update, dtype)
            ))?
        }
    })
}

/// The tensor with rows of it updated: those are what lies below its first `depth` dimensions.
///
/// # Errors
/// `ResourceExhausted`.
pub fn updated(
    to: Tensor,
    by: &Tensor,
    rows: &[usize],
    depth: usize,
    (update, dtype): Updates,
) -> Result<Tensor> {
    let own = to.dtype();
    let width = to.dims()[depth..].iter().product::<i64>() as usize;
    let mut to = bits::taken_for(to, dtype)?;
    let by = bits::taken_for(by.clone(), dtype)?;
    update(&mut to, &by, Rows { rows, width })?;
    bits::taken_for(to, own)
}

/// Writes the new rows over the old ones.
pub fn assign<T: Element>(to: &mut Tensor, by: &Tensor, rows: Rows<'_>) -> Result<()> {
    try_update::<T>(to, by, rows, |to, by| {
        *to = by.try_clone()?;
        Ok(())
    })
}

/// Adds.
pub fn add<T: Compute>(to: &mut Tensor, by: &Tensor, rows: Rows<'_>) -> Result<()> {
    compute::<T>(to, by, rows, T::Wide::plus)
}

/// Subtracts.
pub fn subtract<T: Compute>(to: &mut Tensor, by: &Tensor, rows: Rows<'_>) -> Result<()> {
    compute::<T>(to, by, rows, T::Wide::minus)
}

/// Takes the greater.
pub fn raise<T: Compute<Wide: Real>>(to: &mut Tensor, by: &Tensor, rows: Rows<'_>) -> Result<()> {
    compute::<T>(to, by, rows, |to, by| {
        let greater = if by > to { by } else { to };
        greater.flushed()
    })
}

/// Takes the lesser.
pub fn lower<T: Compute<Wide: Real>>(to: &mut Tensor, by: &Tensor, rows: Rows<'_>) -> Result<()> {
    compute::<T>(to, by, rows, |to, by| {
        let lesser = if by < to { by } else { to };
        lesser.flushed()
    })
}

/// Whether either is true.
pub fn either(to: &mut Tensor, by: &Tensor, rows: Rows<'_>) -> Result<()> {
    update::<bool>(to, by, rows, |to, by| *to |= by)
}

/// Puts strings behind the old ones.
pub fn append(to: &mut Tensor, by: &Tensor, rows: Rows<'_>) -> Result<()> {
    try_update::<TString>(to, by, rows, |to, by| to.append(by.as_bytes()))
}

/// Subtracts `rate` times the other tensor. Each step is rounded to the type, as in TensorFlow.
pub fn descend<T: Compute>(to: &mut Tensor, rate: &Tensor, by: &Tensor) -> Result<()> {
    let rate = rate.scalar_value::<T>()?.widen();
    let all = Rows {
        rows: &[0],
        width: to.num_elements(),
    };
    compute::<T>(to, by, all, |to, by| {
        to.minus(T::narrow(by.times(rate)).widen())
    })
}

#[inline(always)]
fn compute<T: Compute>(
    to: &mut Tensor,
    by: &Tensor,
    rows: Rows<'_>,
    f: impl Fn(T::Wide, T::Wide) -> T::Wide,
) -> Result<()> {
    update::<T>(to, by, rows, |to, by| {
        *to = T::narrow(f(to.widen(), by.widen()));
    })
}

#[inline(always)]
fn update<T: Element>(
    to: &mut Tensor,
    by: &Tensor,
    rows: Rows<'_>,
    f: impl Fn(&mut T, &T),
) -> Result<()> {
    try_update::<T>(to, by, rows, |to, by| {
        f(to, by);
        Ok(())
    })
}

/// One thread does it: variables are locked meanwhile, and who waits for other threads within a lock may wait for one
/// that wants it. Where there is no memory for a string, those before it are updated.
#[inline(always)]
fn try_update<T: Element>(
    to: &mut Tensor,
    by: &Tensor,
    Rows { rows, width }: Rows<'_>,
    f: impl Fn(&mut T, &T) -> Result<()>,
) -> Result<()> {
    let of_scalar = by.rank() == 0 && (rows.len() != 1 || width != 1);
    let by = by.as_slice::<T>()?;
    let to = own::<T>(to)?;
    for (i, &row) in rows.iter().enumerate() {
        if row == gather_rows::Rows::NONE {
            continue;
        }
        let to = &mut to[row * width..][..width];
        if of_scalar {
            to.iter_mut().try_for_each(|to| f(to, &by[0]))?;
        } else {
            let by = &by[i * width..][..width];
            to.iter_mut().zip(by).try_for_each(|(to, by)| f(to, by))?;
        }
    }
    Ok(())
}

/// The elements of a tensor to write: of a copy of it, if others see its memory.
fn own<T: Element>(tensor: &mut Tensor) -> Result<&mut [T]> {
    if !tensor.is_forwardable() {
        *tensor = tensor.deep_copy()?;
    }
    let dtype = tensor.dtype();
    tensor
        .as_mut_slice::<T>()
        .ok_or_else(|| err!(Internal, "a {dtype} tensor cannot be written"))
}
