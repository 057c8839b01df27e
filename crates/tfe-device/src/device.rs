//! `Device`: memory, copies and the running of kernels.

use std::fmt;

use tfe_core::{Allocator, Buffer, Result, Tensor};

use crate::{DeviceName, Kernel, KernelContext, ResourceManager};

/// What a device says of itself.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Full name.
    pub name: DeviceName,
    /// Bytes of memory that tensors may take, as reported to clients.
    pub memory_limit: u64,
    /// A number that differs between two devices of one name: a device that went and came back.
    pub incarnation: u64,
    /// Words for a person: the model of a GPU.
    pub description: String,
}

/// A place where tensors live and kernels run.
///
/// A device with memory of its own keeps tensors in [`Buffer::from_device`]; host code cannot read those. The runtime
/// moves tensors between devices with the copies below, and puts arguments that a kernel wants in host memory there.
///
/// All methods may be called from many threads at once. Work that a device has in flight is ordered by the device: a
/// copy to the host sees the results of all kernels that were run before it.
pub trait Device: Send + Sync + fmt::Debug {
    /// Name, memory, incarnation.
    fn info(&self) -> &DeviceInfo;

    /// Full name.
    fn name(&self) -> &DeviceName {
        &self.info().name
    }

    /// Whether tensors of this device are host memory, so that copies to and from the host are not needed.
    fn is_host(&self) -> bool;

    /// Where kernels on this device get host memory: results of host kernels, staging for copies.
    fn host_allocator(&self) -> &dyn Allocator;

    /// Memory of this device.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is none.
    fn allocate(&self, bytes: usize) -> Result<Buffer>;

    /// A copy, on this device, of a tensor in host memory.
    ///
    /// # Errors
    /// `Unimplemented` for elements that cannot leave host memory (strings, variants), `ResourceExhausted`.
    fn copy_from_host(&self, tensor: &Tensor) -> Result<Tensor>;

    /// A copy, in host memory, of a tensor on this device.
    ///
    /// # Errors
    /// `ResourceExhausted`, or what the device reports.
    fn copy_to_host(&self, tensor: &Tensor) -> Result<Tensor>;

    /// A copy on this device of a tensor on `from`, a device of the same kind. By way of the host unless overridden.
    ///
    /// # Errors
    /// As the two copies.
    fn copy_from_peer(&self, tensor: &Tensor, from: &dyn Device) -> Result<Tensor> {
        self.copy_from_host(&from.copy_to_host(tensor)?)
    }

    /// Waits for all work in flight.
    ///
    /// # Errors
    /// The first failure of that work.
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    /// Runs a kernel in the surroundings that it needs: floating-point mode, stream.
    ///
    /// # Errors
    /// The kernel's.
    fn compute(&self, kernel: &dyn Kernel, ctx: &mut KernelContext<'_>) -> Result<()> {
        kernel.compute(ctx)
    }

    /// Runs `work` so that parallel iterators within use the threads of this device.
    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// Threads that [`install`](Self::install) offers.
    fn parallelism(&self) -> usize {
        1
    }

    /// The resources (variables, queues, tables) on this device.
    fn resources(&self) -> &ResourceManager;
}
