//! `Device`: memory, copies and the running of kernels.

use std::any::Any;
use std::fmt;

use tfe_core::{Allocator, Buffer, Error, Result, Tensor, err};

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

/// A mark in the work of a device.
pub trait Event: Send + Sync {
    /// Whether all work before it is done.
    fn is_passed(&self) -> bool;

    /// Waits until all work before it is done.
    ///
    /// # Errors
    /// The failure of that work.
    fn wait(&self) -> Result<()>;

    /// The event itself, for the device that it is of.
    fn as_any(&self) -> &dyn Any;
}

/// The event of a device whose work is done when a call returns.
struct Passed;

impl Event for Passed {
    fn is_passed(&self) -> bool {
        true
    }

    fn wait(&self) -> Result<()> {
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn no_such_copy(device: &DeviceName) -> Error {
    err!(
        Unimplemented,
        "{device} does not copy into memory that it is given"
    )
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

    /// The device itself, for its own kernels, which know what it is.
    fn as_any(&self) -> &dyn Any;

    /// Where kernels on this device get host memory: results of host kernels, room to work in.
    fn host_allocator(&self) -> &dyn Allocator;

    /// Host memory that the device copies from and to without going through other memory: pinned, for a GPU.
    fn staging_allocator(&self) -> &dyn Allocator {
        self.host_allocator()
    }

    /// Memory of this device. It is given back in the order of the device's work: what was queued before the last tensor
    /// went may still use it, and what is queued afterwards may get the same memory without waiting.
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

    /// Copies a tensor in host memory into `to`, a tensor of the same type and shape on this device.
    ///
    /// # Errors
    /// As [`copy_from_host`](Self::copy_from_host); `Unimplemented` where the device cannot.
    fn copy_into_device(&self, from: &Tensor, to: &Tensor) -> Result<()> {
        let _ = (from, to);
        Err(no_such_copy(self.name()))
    }

    /// Copies a tensor on this device into `to`, a tensor of the same type and shape in host memory that nobody else holds.
    ///
    /// # Errors
    /// As [`copy_to_host`](Self::copy_to_host); `Unimplemented` where the device cannot.
    fn copy_into_host(&self, from: &Tensor, to: &mut Tensor) -> Result<()> {
        let _ = (from, to);
        Err(no_such_copy(self.name()))
    }

    /// A copy on this device of a tensor on `from`, a device of the same kind. By way of the host unless overridden.
    ///
    /// # Errors
    /// As the two copies.
    fn copy_from_peer(&self, tensor: &Tensor, from: &dyn Device) -> Result<Tensor> {
        self.copy_from_host(&from.copy_to_host(tensor)?)
    }

    /// A mark behind the work that was queued on a stream so far; passed already where a device queues nothing.
    ///
    /// # Errors
    /// What the device reports.
    fn record(&self, stream: u32) -> Result<Box<dyn Event>> {
        let _ = stream;
        Ok(Box::new(Passed))
    }

    /// Has later work of `stream` wait for an event of this device, without waiting itself.
    ///
    /// # Errors
    /// What the device reports.
    fn wait_for(&self, stream: u32, event: &dyn Event) -> Result<()> {
        let _ = stream;
        event.wait()
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
