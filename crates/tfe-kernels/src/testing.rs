//! Runs one op in a unit test: resolves its attributes, finds and builds its kernel, runs it on a bare host device.

use std::sync::LazyLock;

use tfe_attrs::{AttrBuilder, AttrValue};
use tfe_core::{Result, Tensor};
use tfe_device::{BoundKernel, KernelInit, KernelRegistry, NoFunctions, OpInit, Run};
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
    static REGISTRY: LazyLock<KernelRegistry> = LazyLock::new(|| KernelRegistry::new(crate::all()));

    let ops = OpRegistry::new();
    let spec = ops.find(op)?;
    let mut builder = AttrBuilder::new(spec);
    for (name, value) in attrs {
        builder.set(name, value.clone());
    }
    for input in &inputs {
        builder.add_input(input.dtype())?;
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
    BoundKernel::new(def, REGISTRY.rule(spec.id()), &init)?.outputs_of(inputs, &Run::on(device))
}
