//! `ConcatV2` and `Concat`: tensors one after the other along an axis. They differ in which input is the axis.

use tfe_core::{DTypeSet, DataType, Result, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_host::axes;
use tfe_ops::ops;

use super::join;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES)],
        host_inputs: &["axis"],
        ..KernelDef::host(
            ops::CONCAT_V2,
            |op| rule(op, "axis"),
            |init| build(init, "axis"),
        )
    },
    KernelDef {
        types: &[("T", TYPES)],
        host_inputs: &["concat_dim"],
        ..KernelDef::host(
            ops::CONCAT,
            |op| rule(op, "concat_dim"),
            |init| build(init, "concat_dim"),
        )
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

/// The tensors are as long as they like along the axis, and alike elsewhere.
fn rule(op: &OpInit<'_>, axis: &str) -> Result<Box<dyn Rule>> {
    let (values, axis) = (op.list("values")?, op.input(axis)?);
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            matches!(call.dims(axis), None | Some([] | [1 | dim::UNKNOWN])),
            InvalidArgument,
            "axis tensor should be a scalar integer, but got shape {}",
            call.shown(axis)
        );
        match call.integer(axis)? {
            Some(axis) => join::rule(call, values.clone(), axis),
            None => {
                if let Some(rank) = values.clone().find_map(|i| call.rank(i)) {
                    call.set_rank(0, rank);
                }
                Ok(())
            }
        }
    }))
}

fn build(init: &KernelInit<'_>, axis: &str) -> Result<Box<dyn Kernel>> {
    let (values, axis) = (init.list("values")?, init.input(axis)?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let axis = axes::from_start(ctx.integer(axis)?, ctx.output_shape(0)?.rank());
        let out = join::join(ctx, values.clone(), axis)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
