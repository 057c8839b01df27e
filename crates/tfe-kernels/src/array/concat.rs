//! `ConcatV2` and `Concat`: tensors one after the other along an axis. They differ in which input is the axis.

use std::ops::Range;

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::join::join;
use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES)],
        host_inputs: &["axis"],
        ..KernelDef::cpu(ops::CONCAT_V2, build_v2)
    },
    KernelDef {
        types: &[("T", TYPES)],
        host_inputs: &["concat_dim"],
        ..KernelDef::cpu(ops::CONCAT, build)
    },
];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint16,
    DataType::Quint16,
    DataType::Qint32,
]));

fn build_v2(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let axis = ctx.num_inputs() - 1;
        concat(ctx, 0..axis, axis)
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let end = ctx.num_inputs();
        concat(ctx, 1..end, 0)
    }))
}

/// Joins the inputs of a range along the axis that another input says.
fn concat(ctx: &mut KernelContext<'_>, inputs: Range<usize>, axis: usize) -> Result<()> {
    let (axis, shape) = result_shape(ctx.input_range(inputs.clone()), ctx.input(axis))?;
    let out = join(ctx, inputs, axis, shape)?;
    ctx.set_output(0, out);
    Ok(())
}

/// Axis and shape of the result, once all inputs fit each other.
fn result_shape<'a>(
    inputs: impl ExactSizeIterator<Item = &'a Tensor>,
    axis: &Tensor,
) -> Result<(usize, Shape)> {
    ensure!(
        matches!(axis.dims(), [] | [1]),
        InvalidArgument,
        "axis tensor should be a scalar integer, but got shape {}",
        axis.shape()
    );
    let given = axes::integers(axis)?[0];
    let mut inputs = inputs.enumerate();
    let (_, first) = inputs.next().ok_or_else(|| {
        err!(
            InvalidArgument,
            "ConcatOp : there is nothing to concatenate"
        )
    })?;
    let rank = first.rank();
    let scalars = || {
        err!(
            InvalidArgument,
            "ConcatOp : Can't concatenate scalars (use tf.stack instead)"
        )
    };
    let axis = match axes::normalize(given, rank) {
        Some(axis) => axis,
        None if given == 0 => return Err(scalars()),
        None => {
            return Err(err!(
                InvalidArgument,
                "ConcatOp : Expected concatenating dimensions in the range [{}, {rank}), but got {given}",
                -(rank as i64)
            ));
        }
    };
    let mut dims = SmallVec::<[i64; 4]>::from_slice(first.dims());
    for (i, input) in inputs {
        if input.rank() == 0 {
            return Err(scalars());
        }
        let against = || {
            format!(
                "shape[0] = {} vs. shape[{i}] = {}",
                first.shape(),
                input.shape()
            )
        };
        ensure!(
            input.rank() == rank,
            InvalidArgument,
            "ConcatOp : Ranks of all input tensors should match: {}",
            against()
        );
        for (d, (a, b)) in first.dims().iter().zip(input.dims()).enumerate() {
            ensure!(
                d == axis || a == b,
                InvalidArgument,
                "ConcatOp : Dimension {d} in both shapes must be equal: {}",
                against()
            );
        }
        dims[axis] = dims[axis].checked_add(input.dims()[axis]).ok_or_else(|| {
            err!(
                InvalidArgument,
                "ConcatOp : the inputs have 2**63 or more rows along axis {axis}"
            )
        })?;
    }
    Ok((axis, Shape::new(&dims)?))
}
