//! A bare host device and one run of a kernel on it, for unit tests of kernels.

use tfe_core::{Allocator, Buffer, HeapAllocator, Result, Tensor};
use tfe_device::{
    Device, DeviceInfo, DeviceName, Kernel, KernelContext, NoFunctions, ResourceManager,
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

/// The results of a kernel.
pub fn compute(
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
