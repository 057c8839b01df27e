//! Add: the sum of two broadcast tensors; strings are joined.

use tfe_core::{DTypeSet, DataType, Result, TString};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::function::zip;
use tfe_host::number::{FIELD, Number};
use tfe_host::{cost, elementwise, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", NUMBERS)],
        ..KernelDef::host(ops::ADD, rules::broadcast, build)
    },
    KernelDef {
        types: &[("T", DTypeSet::of(&[DataType::String]))],
        ..KernelDef::host(ops::ADD, rules::broadcast, build_join)
    },
];

/// Those that the first version of the op knew.
const NUMBERS: DTypeSet = FIELD.union(DTypeSet::of(&[
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Uint8,
]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let add = function!(init.attrs.dtype("T")?, Number, |T| zip(T::plus))?;
    Ok(elementwise::kernel(add, cost::ARITHMETIC))
}

fn build_join(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let inputs = init.inputs(["x", "y"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let [a, b] = inputs.map(|i| ctx.input(i));
        let fitted = Broadcast::new([a.shape(), b.shape()])?;
        let (a, b) = (a.as_slice::<TString>()?, b.as_slice::<TString>()?);
        let joined = fitted
            .places()
            .map(|[i, j]| TString::concat([a[i].as_bytes(), b[j].as_bytes()]));
        let out = ctx.output(0)?.try_fill_from(joined)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
