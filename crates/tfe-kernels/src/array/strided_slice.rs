//! `StridedSlice`: a part of a tensor in NumPy's manner, `input[begin:end:stride, ..., newaxis, index]`; and
//! `StridedSliceGrad`, which puts such a part into a tensor of zeros.

use smallvec::{SmallVec, smallvec};
use tfe_attrs::Attrs;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::part;
use super::slice_spec::{Indices, Masks, Slice, Taken, resolve};
use tfe_host::axes;
use tfe_host::movement::moved;
use tfe_host::segmented_copy::{Run, Runs};
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES)],
        host_inputs: &["begin", "end", "strides"],
        ..KernelDef::cpu(ops::STRIDED_SLICE, build)
    },
    KernelDef {
        types: &[("T", TYPES), ("Index", DTypeSet::INDEX)],
        host_inputs: &["shape", "begin", "end", "strides"],
        ..KernelDef::cpu(ops::STRIDED_SLICE_GRAD, build_grad)
    },
];

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
    let masks = masks(init.attrs)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let slice = slice(ctx, ctx.input(0).dims(), masks)?;
        let input = ctx.input(0);
        let out = match shared(input, &slice)? {
            Some(out) => out,
            None => strided::gather(ctx, input, &walk(input.dims(), &slice), slice.shape)?,
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let masks = masks(init.attrs)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (dims, dy) = (ctx.input(0), ctx.input(4));
        ensure!(
            dims.rank() == 1,
            InvalidArgument,
            "shape must be 1-D, got shape.shape = {}",
            dims.shape()
        );
        let shape = Shape::new(&axes::integers(dims)?)?;
        let slice = slice(ctx, shape.dims(), masks)?;
        ensure!(
            *dy.shape() == slice.shape,
            InvalidArgument,
            "shape of dy was {} instead of {}",
            dy.shape(),
            slice.shape
        );
        if shape.num_elements() == 0 {
            // Its dimensions may be long all the same.
            ctx.set_output(0, ctx.allocate(dy.dtype(), shape)?.zeroed());
            return Ok(());
        }
        let counts: SmallVec<[i64; 8]> = slice.taken.iter().map(|t| t.count as i64).collect();
        let strides = strided::strides(&counts);
        let sizes = shape.dims().iter().zip(&strides);
        let runs = slice.taken.iter().zip(sizes);
        let runs = runs.map(|(&taken, (&size, &step))| put(taken, size as usize, step));
        let out = moved(
            ctx,
            ctx.allocate(dy.dtype(), shape.clone())?,
            dy,
            None,
            &Runs::new(runs),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// A dimension of that size with what was taken of it, whose indices lie `step` elements apart, and gaps elsewhere.
fn put(taken: Taken, size: usize, step: isize) -> SmallVec<[Run; 3]> {
    let Taken {
        start,
        stride,
        count,
    } = taken;
    if count == 0 {
        return smallvec![Run::gap(size)];
    }
    // Backwards, the last comes first.
    let apart = stride.unsigned_abs() as usize;
    let (first, offset, step) = match stride {
        ..0 => (
            start - (count - 1) * apart,
            (count - 1) as isize * step,
            -step,
        ),
        _ => (start, 0, step),
    };
    let mut runs = smallvec![Run::gap(first)];
    let mut end = first;
    if apart == 1 || count == 1 {
        runs.push(Run::of(count, offset, step));
        end += count;
    } else {
        for i in 0..count as isize {
            runs.push(Run::gap(first + i as usize * apart - end));
            runs.push(Run::of(1, offset + i * step, step));
            end = first + i as usize * apart + 1;
        }
    }
    runs.push(Run::gap(size - end));
    runs
}

fn masks(attrs: &Attrs) -> Result<Masks> {
    Ok(Masks {
        begin: mask(attrs, "begin_mask")?,
        end: mask(attrs, "end_mask")?,
        ellipsis: mask(attrs, "ellipsis_mask")?,
        new_axis: mask(attrs, "new_axis_mask")?,
        shrink: mask(attrs, "shrink_axis_mask")?,
    })
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

/// The slice that inputs 1 to 3 take of a tensor with these dimensions.
fn slice(ctx: &KernelContext<'_>, dims: &[i64], masks: Masks) -> Result<Slice> {
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
    resolve(dims, at, masks)
}

/// The slice as a view, where it is rows.
fn shared(input: &Tensor, slice: &Slice) -> Result<Option<Tensor>> {
    let mut taken = slice.taken.iter().zip(input.dims());
    match taken.next() {
        Some((rows, _)) if rows.stride == 1 && taken.all(|(t, &size)| t.is_all(size)) => {
            part::rows(input, rows.start..rows.start + rows.count, &slice.shape)
        }
        _ => Ok(None),
    }
}

/// Where the elements of the slice are in the input.
fn walk(input: &[i64], slice: &Slice) -> Strided {
    let strides = strided::strides(input);
    let start = slice.taken.iter().zip(&strides);
    let start = start.map(|(taken, &stride)| taken.start * stride as usize);
    let dims = slice.taken.iter().zip(&strides).map(|(taken, &stride)| {
        // A stride that is not walked may be any number; one that is walked is less than the dimension.
        let step = if taken.count > 1 {
            taken.stride as isize * stride
        } else {
            0
        };
        (taken.count, step)
    });
    Strided::new(dims, start.sum())
}
