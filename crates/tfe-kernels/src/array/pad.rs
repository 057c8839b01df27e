//! `Pad`, `PadV2` and `MirrorPad`: a tensor with more indices before and after those of each dimension, which hold zeros,
//! a given value, or what lies on the other side of the edge.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, bail, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::movement::moved;
use tfe_host::segmented_copy::{Run, Runs};
use tfe_host::strided;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: PADDED,
        host_inputs: &["paddings"],
        ..KernelDef::cpu(ops::PAD, build)
    },
    KernelDef {
        types: PADDED,
        host_inputs: &["paddings", "constant_values"],
        ..KernelDef::cpu(ops::PAD_V2, build)
    },
    KernelDef {
        types: PADDED,
        host_inputs: &["paddings"],
        ..KernelDef::cpu(ops::MIRROR_PAD, build_mirror)
    },
];

const PADDED: &[(&str, DTypeSet)] = &[("T", TYPES), ("Tpaddings", DTypeSet::INDEX)];
const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let (input, paddings) = (ctx.input(0), paddings(ctx.input(0), ctx.input(1))?);
        let value = (ctx.num_inputs() > 2).then(|| ctx.input(2));
        if let Some(value) = value {
            ensure!(
                value.rank() == 0,
                InvalidArgument,
                "constant_values must be a scalar. Found: {}",
                value.shape()
            );
        }
        let strides = strided::strides(input.dims());
        let runs = paddings.iter().enumerate().map(|(i, &[before, after])| {
            let middle = Run::of(input.shape().dim(i), 0, strides[i]);
            smallvec![Run::gap(before), middle, Run::gap(after)]
        });
        let shape = padded(input, &paddings)?;
        let out = moved(
            ctx,
            ctx.allocate(input.dtype(), shape)?,
            input,
            value,
            &Runs::new(runs),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_mirror(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // Whether the edge itself is in the mirror image.
    let edge = match init.attrs.str("mode")? {
        "SYMMETRIC" => 1,
        "REFLECT" => 0,
        other => bail!(
            InvalidArgument,
            "mode must be either REFLECT or SYMMETRIC, not {other}"
        ),
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, paddings) = (ctx.input(0), paddings(ctx.input(0), ctx.input(1))?);
        let strides = strided::strides(input.dims());
        for (&[before, after], &dim) in paddings.iter().zip(input.dims()) {
            let fits = before.max(after) < dim as usize + edge || before.max(after) == 0;
            let (bound, exceeds) = match edge {
                0 => ("less than", "not less than"),
                _ => ("no greater than", "greater than"),
            };
            ensure!(
                fits,
                InvalidArgument,
                "paddings must be {bound} the dimension size: {before}, {after} {exceeds} {dim}"
            );
        }
        let runs = paddings.iter().enumerate().map(|(i, &[before, after])| {
            let (len, step) = (input.shape().dim(i), strides[i]);
            // Backwards from the index that is as far from the edge as the first is long; and from the last one on.
            let first = before as isize - edge as isize;
            let last = len as isize - 2 + edge as isize;
            smallvec![
                Run::of(before, first * step, -step),
                Run::of(len, 0, step),
                Run::of(after, last * step, -step)
            ]
        });
        let shape = padded(input, &paddings)?;
        let out = moved(
            ctx,
            ctx.allocate(input.dtype(), shape)?,
            input,
            None,
            &Runs::new(runs),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

type Paddings = SmallVec<[[usize; 2]; 8]>;

/// How many indices come before and after those of each dimension.
fn paddings(input: &Tensor, paddings: &Tensor) -> Result<Paddings> {
    ensure!(
        matches!(paddings.dims(), [_, 2]),
        InvalidArgument,
        "paddings must be a matrix with 2 columns: {}",
        paddings.shape()
    );
    ensure!(
        paddings.shape().dim(0) == input.rank(),
        InvalidArgument,
        "The first dimension of paddings must be the rank of inputs{} {}",
        paddings.shape(),
        input.shape()
    );
    let given = axes::integers(paddings)?;
    let pair = |&[before, after]: &[i64; 2]| match (before.try_into(), after.try_into()) {
        (Ok(before), Ok(after)) => Ok([before, after]),
        _ => Err(err!(
            InvalidArgument,
            "Paddings must be non-negative: {before} {after}"
        )),
    };
    given.as_chunks().0.iter().map(pair).collect()
}

fn padded(input: &Tensor, paddings: &[[usize; 2]]) -> Result<Shape> {
    let sizes = input.dims().iter().zip(paddings);
    let size = |(&dim, &[before, after]): (&i64, &[usize; 2])| {
        let size = dim.checked_add_unsigned(before as u64)?;
        size.checked_add_unsigned(after as u64)
    };
    let dims: Option<SmallVec<[i64; 8]>> = sizes.map(size).collect();
    let dims = dims.ok_or_else(|| {
        err!(
            InvalidArgument,
            "Paddings make a dimension of 2**63 or more: {paddings:?}"
        )
    })?;
    Shape::new(&dims)
}
