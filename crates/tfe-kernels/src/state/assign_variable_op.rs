//! `AssignVariableOp`: gives a variable a value, sharing its memory; makes the variable if it is not there.

use tfe_core::{DTypeSet, DataType, Result};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit, Variable};
use tfe_host::rules;
use tfe_ops::ops;

use super::handle::handle;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("dtype", TYPES)],
    host_inputs: &["resource"],
    ..KernelDef::host(ops::ASSIGN_VARIABLE_OP, rules::unknown, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float4E2m1fn,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
    DataType::Int2,
    DataType::Int4,
    DataType::Uint2,
    DataType::Uint4,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let same_shape = init.attrs.bool("validate_shape")?;
    let [resource, value] = init.inputs(["resource", "value"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let value = ctx.take_input(value);
        let handle = handle(ctx.input(resource))?;
        Variable::assign(ctx.resources(), handle, value, same_shape)
    }))
}
