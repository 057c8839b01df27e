//! `StridedSlice`: a part of a tensor in NumPy's manner, `input[begin:end:stride, ..., newaxis, index]`; and
//! `StridedSliceGrad`, which puts such a part into a tensor of zeros.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, DataType, PartialShape, Result, Shape, Tensor, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
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
        ..KernelDef::host(ops::STRIDED_SLICE, rule, build)
    },
    KernelDef {
        types: &[("T", TYPES), ("Index", DTypeSet::INDEX)],
        host_inputs: &["shape", "begin", "end", "strides"],
        ..KernelDef::host(ops::STRIDED_SLICE_GRAD, rule_grad, build_grad)
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

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (spec, input) = (Spec::of(op)?, op.input("input")?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let entries = spec.check(call)?;
        let Some(dims) = call.dims(input) else {
            return Ok(());
        };
        if spec.is_known(call) {
            return call.set(0, &spec.slice(dims, |i| call.integers(i))?.dims);
        }
        if let Some(entries) = entries {
            // How many dimensions there are, the number of entries and the masks tell.
            let of = |value| SmallVec::<[i64; 8]>::from_elem(value, entries);
            let at = Indices {
                begin: &of(0),
                end: &of(0),
                strides: &of(1),
            };
            let unknown = SmallVec::<[i64; 8]>::from_elem(dim::UNKNOWN, dims.len());
            call.set(0, &resolve(&unknown, at, spec.masks)?.dims)?;
        }
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (spec, input) = (Spec::of(init)?, init.input("input")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(input);
        let slice = spec.slice(input.dims(), |i| axes::integers(ctx.input(i)).map(Some))?;
        let shape = ctx.output_shape(0)?.clone();
        let out = match shared(input, &slice, &shape)? {
            Some(out) => out,
            None => strided::gather(ctx, input, &walk(input.dims(), &slice), shape)?,
        };
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn rule_grad(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let spec = Spec::of(op)?;
    let [shape, dy] = op.inputs(["shape", "dy"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.of_rank(shape, 1, || {
            err!(
                InvalidArgument,
                "shape must be 1-D, got shape.shape = {}",
                call.shown(shape)
            )
        })?;
        call.set_from_sizes(0, shape)?;
        spec.check(call)?;
        if let Some(sizes) = call.integers(shape)?
            && spec.is_known(call)
        {
            let slice = spec.slice(&sizes, |i| call.integers(i))?;
            ensure!(
                call.dims(dy)
                    .is_none_or(|dy| dim::may_be_equal(dy, &slice.dims)),
                InvalidArgument,
                "shape of dy was {} instead of {}",
                call.shown(dy),
                PartialShape::of(&slice.dims)
            );
        }
        Ok(())
    }))
}

fn build_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (spec, dy) = (Spec::of(init)?, init.input("dy")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (dy, shape) = (ctx.input(dy), ctx.output_shape(0)?);
        if shape.num_elements() == 0 {
            // Its dimensions may be long all the same.
            ctx.set_output(0, ctx.output(0)?.zeroed());
            return Ok(());
        }
        let slice = spec.slice(shape.dims(), |i| axes::integers(ctx.input(i)).map(Some))?;
        let counts: SmallVec<[i64; 8]> = slice.taken.iter().map(|t| t.count as i64).collect();
        let strides = strided::strides(&counts);
        let sizes = shape.dims().iter().zip(&strides);
        let runs = slice.taken.iter().zip(sizes);
        let runs = runs.map(|(&taken, (&size, &step))| put(taken, size as usize, step));
        let out = moved(ctx, ctx.output(0)?, dy, None, &Runs::new(runs))?;
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

/// What attributes say of a slice, and which inputs say the rest.
#[derive(Clone, Copy)]
struct Spec {
    masks: Masks,
    /// The inputs `begin`, `end` and `strides`.
    indices: [usize; 3],
}

impl Spec {
    fn of(op: &OpInit<'_>) -> Result<Self> {
        let mask = |name: &str| {
            let mask = op.attrs.int(name)?;
            let mask = i32::try_from(mask).map_err(|_| {
                err!(
                    InvalidArgument,
                    "Attr {name} has value {mask} out of range for an int32"
                )
            })?;
            Ok(mask.cast_unsigned())
        };
        Ok(Self {
            masks: Masks {
                begin: mask("begin_mask")?,
                end: mask("end_mask")?,
                ellipsis: mask("ellipsis_mask")?,
                new_axis: mask("new_axis_mask")?,
                shrink: mask("shrink_axis_mask")?,
            },
            indices: op.inputs(["begin", "end", "strides"])?,
        })
    }

    /// The number of entries, if known, once the indices are vectors of one length.
    fn check(&self, call: &Inference<'_>) -> Result<Option<usize>> {
        let [begin, end, strides] = self.indices;
        ensure!(
            self.indices
                .iter()
                .all(|&i| call.rank(i).is_none_or(|rank| rank == 1))
                && call.may_be_equal(begin, end)
                && call.may_be_equal(begin, strides)
                && call.may_be_equal(end, strides),
            InvalidArgument,
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, and {} instead.",
            call.shown(begin),
            call.shown(end),
            call.shown(strides)
        );
        Ok(self.indices.iter().find_map(|&i| call.entries(i)))
    }

    /// Whether the elements of the indices are known.
    fn is_known(&self, call: &Inference<'_>) -> bool {
        self.indices.iter().all(|&i| call.value(i).is_some())
    }

    /// The slice of a tensor with these dimensions, for indices that are known.
    fn slice(
        &self,
        dims: &[i64],
        integers: impl Fn(usize) -> Result<Option<SmallVec<[i64; 8]>>>,
    ) -> Result<Slice> {
        let [begin, end, strides] = self
            .indices
            .map(|i| integers(i).map(Option::unwrap_or_default));
        let at = Indices {
            begin: &begin?,
            end: &end?,
            strides: &strides?,
        };
        resolve(dims, at, self.masks)
    }
}

/// The slice as a view, where it is rows.
fn shared(input: &Tensor, slice: &Slice, shape: &Shape) -> Result<Option<Tensor>> {
    let mut taken = slice.taken.iter().zip(input.dims());
    match taken.next() {
        Some((rows, _)) if rows.stride == 1 && taken.all(|(t, &size)| t.is_all(size)) => {
            part::rows(input, rows.start..rows.start + rows.count, shape)
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
