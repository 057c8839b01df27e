//! Runs one op in a unit test: resolves its attributes, finds and builds its kernel, runs it on a bare host device.

use std::sync::LazyLock;

use tfe_attrs::{AttrBuilder, AttrValue};
use tfe_core::{DataType, Result, Tensor};
use tfe_device::{
    BoundKernel, Fact, KernelInit, KernelRegistry, NoFunctions, OpInit, OutputShapes, Run,
};
pub(crate) use tfe_host::testing::Host;
use tfe_ops::OpRegistry;

/// The results of an op on a device of its own. Attributes that follow from the inputs need not be given.
pub(crate) fn run(
    op: &str,
    attrs: &[(&str, AttrValue)],
    inputs: Vec<Tensor>,
) -> Result<Vec<Tensor>> {
    run_on(&Host::new(), op, attrs, inputs)
}

/// As [`run`], on a device that lives on: with its variables.
pub(crate) fn run_on(
    device: &Host,
    op: &str,
    attrs: &[(&str, AttrValue)],
    inputs: Vec<Tensor>,
) -> Result<Vec<Tensor>> {
    let dtypes = inputs.iter().map(Tensor::dtype);
    bound(device, op, attrs, dtypes)?.outputs_of(inputs, &Run::on(device))
}

/// What the rule of an op says where no more than these facts is known.
pub(crate) fn infer(
    op: &str,
    attrs: &[(&str, AttrValue)],
    inputs: &[Fact],
) -> Result<OutputShapes> {
    let dtypes = inputs.iter().map(|fact| fact.dtype);
    bound(&Host::new(), op, attrs, dtypes)?.infer(inputs)
}

fn bound(
    device: &Host,
    op: &str,
    attrs: &[(&str, AttrValue)],
    inputs: impl Iterator<Item = DataType>,
) -> Result<BoundKernel> {
    static REGISTRY: LazyLock<KernelRegistry> = LazyLock::new(|| KernelRegistry::new(crate::all()));

    let ops = OpRegistry::new();
    let spec = ops.find(op)?;
    let mut builder = AttrBuilder::new(spec);
    for (name, value) in attrs {
        builder.set(name, value.clone());
    }
    for dtype in inputs {
        builder.add_input(dtype)?;
    }
    let attrs = builder.finish()?;
    let def = REGISTRY
        .find(spec, "CPU", &attrs)?
        .ok_or_else(|| REGISTRY.not_found(spec, "CPU", op, &attrs))?;
    let init = KernelInit {
        op: OpInit {
            spec,
            attrs: &attrs,
            node_name: op,
        },
        device,
        functions: &NoFunctions,
    };
    BoundKernel::new(def, REGISTRY.rule(spec.id()), &init)
}
