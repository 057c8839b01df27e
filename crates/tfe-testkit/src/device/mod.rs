//! A device of type `TEST`, for proving that a runtime treats device memory right without having a GPU.
//!
//! A test device keeps its tensors in memory of its own: host code gets an error where it tries to read them, and one
//! test device gets an error for memory of another. With [`TestOptions::latency`] all of its work is done later, in
//! order, by a thread of its own: what is read too early is garbage, and failures show when somebody waits, as on a GPU.
//! It counts copies and kernels. Its kernels are host kernels that run on staged data; see [`kernels`].

mod kernels;
mod memory;
mod queue;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tfe_core::{Allocator, Buffer, HeapAllocator, Result, Tensor, bail, ensure, err};
use tfe_device::{Device, DeviceInfo, DeviceName, Event, Kernel, KernelContext, ResourceManager};

pub use kernels::{HostKernels, kernels};
use memory::{TestMemory, to_tensor};
use queue::Queue;

/// The type of test devices.
pub const DEVICE_TYPE: &str = "TEST";

/// How a test device behaves.
#[derive(Clone, Copy, Debug)]
pub struct TestOptions {
    /// Work is done later, each piece after this time; `None` does it at once.
    pub latency: Option<Duration>,
    /// Bytes of memory.
    pub memory: usize,
    /// Whether it copies from other test devices by itself, or by way of the host.
    pub peer_copies: bool,
}

impl Default for TestOptions {
    fn default() -> Self {
        Self {
            latency: None,
            memory: 1 << 30,
            peer_copies: true,
        }
    }
}

impl TestOptions {
    /// A device whose work is always a little late.
    pub fn late() -> Self {
        Self {
            latency: Some(Duration::from_millis(2)),
            ..Self::default()
        }
    }
}

/// What a test device has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Copies from the host.
    pub from_host: usize,
    /// Copies to the host.
    pub to_host: usize,
    /// Copies from test devices, this one included.
    pub from_peer: usize,
    /// Runs of kernels, functions included.
    pub kernels: usize,
}

/// The part of a device that its memory keeps alive.
struct Machine {
    name: DeviceName,
    queue: Queue,
    /// Runs the host kernels.
    processor: Arc<dyn Device>,
    limit: usize,
    used: AtomicUsize,
}

impl Machine {
    fn reserve(&self, bytes: usize) -> Result<()> {
        let fits = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.limit);
        match self.used.fetch_update(Relaxed, Relaxed, fits) {
            Ok(_) => Ok(()),
            Err(used) => bail!(
                ResourceExhausted,
                "OOM when allocating {bytes} bytes on {}: {used} of {} are taken",
                self.name,
                self.limit
            ),
        }
    }

    fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

/// A device with memory of its own.
pub struct TestDevice {
    info: DeviceInfo,
    machine: Arc<Machine>,
    resources: ResourceManager,
    peer_copies: bool,
    from_host: AtomicUsize,
    to_host: AtomicUsize,
    from_peer: AtomicUsize,
    kernels: AtomicUsize,
}

impl TestDevice {
    /// Test device number `id`; `processor`, a device of host memory, runs its kernels.
    pub fn new(id: u32, processor: Arc<dyn Device>, options: TestOptions) -> Self {
        let name = DeviceName::local(DEVICE_TYPE, id);
        Self {
            machine: Arc::new(Machine {
                name: name.clone(),
                queue: Queue::new(options.latency),
                processor,
                limit: options.memory,
                used: AtomicUsize::new(0),
            }),
            resources: ResourceManager::new(name.clone()),
            peer_copies: options.peer_copies,
            from_host: AtomicUsize::new(0),
            to_host: AtomicUsize::new(0),
            from_peer: AtomicUsize::new(0),
            kernels: AtomicUsize::new(0),
            info: DeviceInfo {
                name,
                memory_limit: options.memory as u64,
                incarnation: u64::from(id) + 1,
                description: "a device for tests".to_owned(),
            },
        }
    }

    /// What it has done so far.
    pub fn counts(&self) -> Counts {
        Counts {
            from_host: self.from_host.load(Relaxed),
            to_host: self.to_host.load(Relaxed),
            from_peer: self.from_peer.load(Relaxed),
            kernels: self.kernels.load(Relaxed),
        }
    }

    /// Bytes of its memory that tensors hold.
    pub fn used_bytes(&self) -> usize {
        self.machine.used.load(Relaxed)
    }

    /// A tensor like `like`, which `bytes` are on their way to.
    fn upload(&self, like: &Tensor, bytes: Vec<u8>) -> Result<Tensor> {
        let memory = TestMemory::allocate(&self.machine, bytes.len())?;
        let tensor = Tensor::on_device(like.dtype(), like.shape().clone(), memory)?;
        let cells = TestMemory::of(&tensor)?.cells.clone();
        self.machine.queue.push(Box::new(move || {
            cells.write(bytes);
            Ok(())
        }));
        Ok(tensor)
    }
}

impl Device for TestDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_host(&self) -> bool {
        false
    }

    fn host_allocator(&self) -> &dyn Allocator {
        &HeapAllocator
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        TestMemory::allocate(&self.machine, bytes)
    }

    fn copy_from_host(&self, tensor: &Tensor) -> Result<Tensor> {
        ensure!(
            tensor.dtype().is_plain(),
            Unimplemented,
            "{} elements cannot be copied to {}",
            tensor.dtype(),
            self.name()
        );
        // Read now: the caller may write over its tensor once it has the copy.
        let copy = self.upload(tensor, tensor.as_bytes()?.to_vec())?;
        self.from_host.fetch_add(1, Relaxed);
        Ok(copy)
    }

    fn copy_to_host(&self, tensor: &Tensor) -> Result<Tensor> {
        let memory = TestMemory::of(tensor)?;
        ensure!(
            Arc::ptr_eq(&memory.machine, &self.machine),
            Internal,
            "{} was asked for memory of {}",
            self.name(),
            memory.machine.name
        );
        self.machine.queue.flush();
        let bytes = memory.cells.read()?;
        let copy = to_tensor(tensor.dtype(), tensor.shape(), tensor.offset(), &bytes)?;
        self.to_host.fetch_add(1, Relaxed);
        Ok(copy)
    }

    fn copy_into_device(&self, from: &Tensor, to: &Tensor) -> Result<()> {
        ensure!(
            from.dtype() == to.dtype() && from.shape() == to.shape() && to.offset() == 0,
            InvalidArgument,
            "{from:?} does not fit {to:?}"
        );
        let (bytes, cells) = (from.as_bytes()?.to_vec(), TestMemory::of(to)?.cells.clone());
        self.machine.queue.push(Box::new(move || {
            cells.write(bytes);
            Ok(())
        }));
        self.from_host.fetch_add(1, Relaxed);
        Ok(())
    }

    fn copy_into_host(&self, from: &Tensor, to: &mut Tensor) -> Result<()> {
        ensure!(
            from.dtype() == to.dtype() && from.shape() == to.shape(),
            InvalidArgument,
            "{from:?} does not fit {to:?}"
        );
        let copy = self.copy_to_host(from)?;
        let bytes = to.as_mut_bytes();
        let bytes = bytes.ok_or_else(|| err!(InvalidArgument, "the tensor is shared"))?;
        bytes.copy_from_slice(copy.as_bytes()?);
        Ok(())
    }

    fn record(&self, _: u32) -> Result<Box<dyn Event>> {
        Ok(Box::new(self.machine.queue.mark()))
    }

    fn copy_from_peer(&self, tensor: &Tensor, from: &dyn Device) -> Result<Tensor> {
        if !self.peer_copies {
            return self.copy_from_host(&from.copy_to_host(tensor)?);
        }
        let memory = TestMemory::of(tensor)?;
        ensure!(
            memory.machine.name == *from.name(),
            Internal,
            "{} was said to have memory of {}",
            from.name(),
            memory.machine.name
        );
        memory.machine.queue.flush();
        let bytes = memory.cells.read()?[tensor.offset()..][..tensor.byte_size()].to_vec();
        let copy = self.upload(tensor, bytes)?;
        self.from_peer.fetch_add(1, Relaxed);
        Ok(copy)
    }

    fn synchronize(&self) -> Result<()> {
        self.machine.queue.flush();
        self.machine.queue.take_failure()
    }

    fn compute(&self, kernel: &dyn Kernel, ctx: &mut KernelContext<'_>) -> Result<()> {
        self.kernels.fetch_add(1, Relaxed);
        kernel.compute(ctx)
    }

    fn resources(&self) -> &ResourceManager {
        &self.resources
    }
}

impl std::fmt::Debug for TestDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} ({:?}, {:?})",
            self.name(),
            self.machine.queue,
            self.counts()
        )
    }
}
