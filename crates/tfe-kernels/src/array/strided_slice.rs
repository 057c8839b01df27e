//! `StridedSlice`: a part of a tensor in NumPy's manner: `input[begin:end:stride, ..., newaxis, index]`.

use smallvec::SmallVec;
use tfe_attrs::Attrs;
use tfe_core::{
    DTypeSet, DataType, ResourceHandle, Result, Shape, TString, Tensor, Variant, Word,
    dispatch_width, ensure, err,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::slice_spec::{Indices, Masks, Slice, resolve};
use crate::host::owned::{Owned, fill_owned};
use crate::host::strided::Strided;
use crate::host::{axes, fill_words};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    host_inputs: &["begin", "end", "strides"],
    ..KernelDef::cpu(ops::STRIDED_SLICE, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let masks = Masks {
        begin: mask(init.attrs, "begin_mask")?,
        end: mask(init.attrs, "end_mask")?,
        ellipsis: mask(init.attrs, "ellipsis_mask")?,
        new_axis: mask(init.attrs, "new_axis_mask")?,
        shrink: mask(init.attrs, "shrink_axis_mask")?,
    };
    let copy: Copy = match init.attrs.dtype("T")? {
        DataType::String => copy_owned::<TString>,
        DataType::Resource => copy_owned::<ResourceHandle>,
        DataType::Variant => copy_owned::<Variant>,
        plain => dispatch_width!(plain.size(), |W| Ok(copy_words::<W> as Copy))?,
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let slice = slice(ctx, masks)?;
        let out = match shared(ctx.input(0), &slice)? {
            Some(out) => out,
            None => copy(ctx, &walk(ctx.input(0).dims(), &slice), slice.shape)?,
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn mask(attrs: &Attrs, name: &str) -> Result<u32> {
    let mask = attrs.int(name)?;
    let mask = i32::try_from(mask).map_err(|_| {
        err!(
            InvalidArgument,
            "Attr {name} has value {mask} out of range for an int32"
        )
    })?;
    Ok(mask.cast_unsigned())
}

fn slice(ctx: &KernelContext<'_>, masks: Masks) -> Result<Slice> {
    let (begin, end, strides) = (ctx.input(1), ctx.input(2), ctx.input(3));
    ensure!(
        begin.rank() == 1 && begin.dims() == end.dims() && begin.dims() == strides.dims(),
        InvalidArgument,
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, and {} instead.",
        begin.shape(),
        end.shape(),
        strides.shape()
    );
    let at = Indices {
        begin: &axes::integers(begin)?,
        end: &axes::integers(end)?,
        strides: &axes::integers(strides)?,
    };
    resolve(ctx.input(0).dims(), at, masks)
}

/// The slice as a view, where TensorFlow shares the memory too: all of the input, or rows that start and end at
/// multiples of 64 bytes. A view of less would keep a big tensor alive for a small one.
fn shared(input: &Tensor, slice: &Slice) -> Result<Option<Tensor>> {
    const ALIGN: usize = 64;
    let mut taken = slice.taken.iter().zip(input.dims());
    if taken.clone().all(|(t, &size)| t.is_all(size)) {
        return input.reshaped(slice.shape.clone()).map(Some);
    }
    let Some((rows, _)) = taken.next() else {
        return Ok(None);
    };
    if rows.stride != 1
        || slice.shape.num_elements() == 0
        || !taken.all(|(t, &size)| t.is_all(size))
    {
        return Ok(None);
    }
    let end = rows.start + rows.count;
    let row_bytes = input.byte_size() / input.shape().dim(0);
    let aligned = if input.rank() == 1 {
        (rows.start * row_bytes).is_multiple_of(ALIGN) && (end * row_bytes).is_multiple_of(ALIGN)
    } else {
        row_bytes.is_multiple_of(ALIGN)
    };
    if !aligned {
        return Ok(None);
    }
    let view = input.rows(rows.start, end)?;
    if !view.is_aligned() {
        return Ok(None);
    }
    view.reshaped(slice.shape.clone()).map(Some)
}

/// Where the elements of the slice are in the input: for each dimension how many, and how far apart; and the first.
struct Walk {
    dims: SmallVec<[(usize, isize); 4]>,
    start: usize,
}

fn walk(input: &[i64], slice: &Slice) -> Walk {
    let mut dims = SmallVec::new();
    let (mut start, mut size) = (0, 1);
    for (taken, &dim) in slice.taken.iter().zip(input).rev() {
        // A stride that is not walked may be any number; one that is walked is less than the dimension.
        let stride = if taken.count > 1 {
            taken.stride as isize * size as isize
        } else {
            0
        };
        dims.push((taken.count, stride));
        start += taken.start * size;
        size *= dim as usize;
    }
    dims.reverse();
    Walk { dims, start }
}

type Copy = fn(&KernelContext<'_>, &Walk, Shape) -> Result<Tensor>;

fn copy_words<W: Word>(ctx: &KernelContext<'_>, walk: &Walk, shape: Shape) -> Result<Tensor> {
    let input = ctx.input(0);
    let words = input.as_words::<W>()?;
    let out = ctx.allocate(input.dtype(), shape)?;
    let walk = Strided::new(walk.dims.iter().copied(), walk.start);
    fill_words::<W>(out, |slots| Ok(walk.copy(ctx.device(), words, slots)))
}

fn copy_owned<T: Owned>(ctx: &KernelContext<'_>, walk: &Walk, shape: Shape) -> Result<Tensor> {
    let elements = ctx.input(0).as_slice::<T>()?;
    let n = shape.num_elements();
    fill_owned(
        ctx,
        shape,
        (0..n).map(|i| elements[walk.position(i)].copy()),
    )
}

impl Walk {
    /// The position in the input of element `i` of the slice, which is not empty.
    fn position(&self, mut i: usize) -> usize {
        let mut at = self.start;
        for &(count, stride) in self.dims.iter().rev() {
            at = at.wrapping_add_signed(stride * (i % count) as isize);
            i /= count;
        }
        at
    }
}
