//! A bare host device and one run of a kernel on it, for unit tests of kernels.

use std::any::Any;

use tfe_core::{Allocator, Buffer, DataType, HeapAllocator, Result, Tensor};
use tfe_device::{
    Arg, BoundKernel, Device, DeviceInfo, DeviceName, Kernel, ResourceManager, Rule, Run,
};

/// A device of host memory that cuts work as if it had four threads, and takes rayon's own pool for it.
#[derive(Debug)]
pub struct Host {
    info: DeviceInfo,
    resources: ResourceManager,
}

impl Host {
    /// A device without resources.
    pub fn new() -> Self {
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

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Device for Host {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }
    fn is_host(&self) -> bool {
        true
    }
    fn as_any(&self) -> &dyn Any {
        self
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

/// The result of a kernel of one output, of inputs in host memory.
///
/// # Errors
/// Those of the rule and of the kernel.
pub fn compute(
    kernel: Box<dyn Kernel>,
    rule: Box<dyn Rule>,
    inputs: Vec<Tensor>,
    dtype: DataType,
) -> Result<Tensor> {
    let arg = |dtype| Arg {
        dtype,
        in_host_memory: true,
    };
    let args: Vec<_> = inputs.iter().map(|t| arg(t.dtype())).collect();
    let kernel = BoundKernel::from_parts(kernel, Some(rule), args, [arg(dtype)]);
    Ok(kernel
        .outputs_of(inputs, &Run::on(&Host::new()))?
        .swap_remove(0))
}
