//! Runs one op in a unit test: resolves its attributes, finds and builds its kernel, runs it on a bare host device.

use std::sync::LazyLock;

use tfe_attrs::{AttrBuilder, AttrValue};
use tfe_core::{Allocator, Buffer, HeapAllocator, Result, Tensor};
use tfe_device::{
    Device, DeviceInfo, DeviceName, Kernel, KernelContext, KernelInit, KernelRegistry, NoFunctions,
    ResourceManager,
};
use tfe_ops::OpRegistry;

/// A device of host memory that cuts work as if it had four threads, and takes rayon's own pool for it.
#[derive(Debug)]
pub(crate) struct Host {
    info: DeviceInfo,
    resources: ResourceManager,
}

impl Host {
    pub(crate) fn new() -> Self {
        let name = DeviceName::local("CPU", 0);
        let resources = ResourceManager::new(name.clone());
        let info = DeviceInfo {
            name,
            memory_limit: 0,
            incarnation: 1,
            description: String::new(),
        };
        Self { info, resources }
    }
}

impl Device for Host {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }
    fn is_host(&self) -> bool {
        true
    }
    fn host_allocator(&self) -> &dyn Allocator {
        &HeapAllocator
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        Buffer::allocate(bytes)
    }
    fn copy_from_host(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }
    fn copy_to_host(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }
    fn parallelism(&self) -> usize {
        4
    }
    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        rayon::scope(|_| work());
    }
    fn resources(&self) -> &ResourceManager {
        &self.resources
    }
}

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
    let kernel = (def.build)(&KernelInit {
        spec,
        attrs: &attrs,
        node_name: op,
        device,
        functions: &NoFunctions,
    })?;
    compute(device, &*kernel, inputs, attrs.output_dtypes(spec)?.len())
}

/// The results of a kernel.
pub(crate) fn compute(
    device: &Host,
    kernel: &dyn Kernel,
    inputs: Vec<Tensor>,
    outputs: usize,
) -> Result<Vec<Tensor>> {
    let mut inputs: Vec<_> = inputs.into_iter().map(Some).collect();
    let mut ctx = KernelContext::new(&mut inputs, outputs, device, &NoFunctions);
    kernel.compute(&mut ctx)?;
    Ok(ctx.into_outputs()?.into_vec())
}
