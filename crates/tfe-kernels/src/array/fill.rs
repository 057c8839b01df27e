//! Tensors of one value: `Fill`, `ZerosLike`, `OnesLike`.

use num_traits::One;
use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::movement::moved;
use tfe_host::strided::Strided;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", FILL), ("index_type", DTypeSet::INDEX)],
        host_inputs: &["dims"],
        ..KernelDef::cpu(ops::FILL, build_fill)
    },
    KernelDef {
        types: &[("T", ONES)],
        ..KernelDef::cpu(ops::ONES_LIKE, build_ones)
    },
    KernelDef {
        types: &[("T", ZEROS)],
        ..KernelDef::cpu(ops::ZEROS_LIKE, build_zeros)
    },
];

const ONES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool]));
const ZEROS: DTypeSet = ONES.union(DTypeSet::of(&[DataType::String]));
const FILL: DTypeSet = ZEROS.union(DTypeSet::of(&[
    DataType::Resource,
    DataType::Variant,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint16,
    DataType::Quint16,
    DataType::Qint32,
    DataType::Int4,
    DataType::Uint4,
]));

fn build_fill(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let (dims, value) = (ctx.input(0), ctx.input(1));
        ensure!(
            dims.rank() <= 1,
            InvalidArgument,
            "dims must represent a vector, got shape {}",
            dims.shape()
        );
        ensure!(
            value.num_elements() == 1 && value.rank() <= 1,
            InvalidArgument,
            "value must represent a scalar, got shape {}",
            value.shape()
        );
        let shape = Shape::new(&axes::integers(dims)?)?;
        let out = repeated(ctx, value, shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_ones(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let one = match init.attrs.dtype("T")? {
        DataType::Bool => Tensor::scalar(true),
        number => dispatch!(number, Number, |T| Tensor::scalar(T::one())),
    }?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let out = repeated(ctx, &one, ctx.input(0).shape().clone())?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_zeros(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let out = ctx.allocate(input.dtype(), input.shape().clone())?;
        ctx.set_output(0, out.zeroed());
        Ok(())
    }))
}

/// Memory of its own also for one element: clients clear the strings of a tensor that they gave, and `value` may be
/// the kernel's.
fn repeated(ctx: &KernelContext<'_>, value: &Tensor, shape: Shape) -> Result<Tensor> {
    let walk = Strided::repeat(shape.dims());
    moved(ctx, ctx.allocate(value.dtype(), shape)?, value, None, &walk)
}
