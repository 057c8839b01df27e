//! Tensors of one value: `Fill`, `ZerosLike`, `OnesLike`.

use num_traits::One;
use tfe_core::{DTypeSet, DataType, Result, Tensor, dispatch, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::movement::moved;
use tfe_host::rules;
use tfe_host::strided::Strided;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", FILL), ("index_type", DTypeSet::INDEX)],
        host_inputs: &["dims"],
        ..KernelDef::host(ops::FILL, fill_rule, build_fill)
    },
    KernelDef {
        types: &[("T", ONES)],
        ..KernelDef::host(ops::ONES_LIKE, rules::like::<0>, build_ones)
    },
    KernelDef {
        types: &[("T", ZEROS)],
        ..KernelDef::host(ops::ZEROS_LIKE, rules::like::<0>, build_zeros)
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

/// The dimensions are what the elements of `dims` say.
fn fill_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [dims, value] = op.inputs(["dims", "value"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.rank(dims).is_none_or(|rank| rank <= 1),
            InvalidArgument,
            "dims must represent a vector, got shape {}",
            call.shown(dims)
        );
        ensure!(
            matches!(call.dims(value), None | Some([] | [1 | dim::UNKNOWN])),
            InvalidArgument,
            "value must represent a scalar, got shape {}",
            call.shown(value)
        );
        call.set_from_sizes(0, dims)
    }))
}

fn build_fill(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let value = init.input("value")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let out = repeated(ctx, ctx.input(value))?;
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
        let out = repeated(ctx, &one)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_zeros(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let out = ctx.output(0)?;
        ctx.set_output(0, out.zeroed());
        Ok(())
    }))
}

/// Memory of its own also for one element: clients clear the strings of a tensor that they gave, and `value` may be
/// the kernel's.
fn repeated(ctx: &KernelContext<'_>, value: &Tensor) -> Result<Tensor> {
    let walk = Strided::repeat(ctx.output_shape(0)?.dims());
    moved(ctx, ctx.output(0)?, value, None, &walk)
}
