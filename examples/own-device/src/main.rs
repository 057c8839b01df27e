//! A device of a program's own, from `tfe-eager` alone: one whose tensors are host memory, and that counts what it runs.
//!
//! A device says what it is, gives memory, copies tensors to and from it, and runs kernels. It has those kernels that are
//! declared for its type. This one reads host memory, so that it takes the host's kernels under its own name; one with
//! memory of its own keeps tensors in [`Buffer::from_device`] and declares kernels that know how to read it.
//!
//! Run it: `cargo run`.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tfe_eager::{
    Allocator, Buffer, Context, Device, DeviceInfo, DeviceName, HeapAllocator, Kernel,
    KernelContext, KernelDef, ResourceManager, Result, Tensor, TensorHandle, builtin_kernels,
    ensure,
};

/// The type of the device, by which calls and kernels name it.
const METER: &str = "METER";

#[derive(Debug)]
struct Meter {
    info: DeviceInfo,
    resources: ResourceManager,
    runs: AtomicUsize,
}

impl Meter {
    fn new() -> Self {
        let name = DeviceName::local(METER, 0);
        Self {
            resources: ResourceManager::new(name.clone()),
            info: DeviceInfo {
                name,
                memory_limit: 1 << 20,
                incarnation: 1,
                description: "counts what it runs".to_owned(),
            },
            runs: AtomicUsize::new(0),
        }
    }
}

impl Device for Meter {
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
        ensure!(
            bytes as u64 <= self.info.memory_limit,
            ResourceExhausted,
            "{bytes} bytes are more than {} has",
            self.name()
        );
        HeapAllocator.allocate(bytes)
    }

    fn copy_from_host(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }

    fn copy_to_host(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }

    fn compute(&self, kernel: &dyn Kernel, ctx: &mut KernelContext<'_>) -> Result<()> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        kernel.compute(ctx)
    }

    fn resources(&self) -> &ResourceManager {
        &self.resources
    }
}

fn main() -> Result<()> {
    let meter = Arc::new(Meter::new());
    let kernels = builtin_kernels().map(|&kernel| KernelDef {
        device: METER,
        ..kernel
    });
    let ctx = Context::builder()
        .device(Arc::clone(&meter) as Arc<dyn Device>)
        .kernels(kernels)
        .build()?;
    for device in ctx.devices() {
        println!("{}  {}", device.name(), device.info().description);
    }

    let x = TensorHandle::from_slice(&[3], &[1.0f32, 2.0, 3.0])?;
    let square = ctx.op("Square")?.input(&x)?.on("METER:0")?.run1()?;
    // Nobody says where: on the CPU.
    let sum = ctx.op("AddV2")?.input(&x)?.input(&x)?.run1()?;
    assert_eq!(square.to_vec::<f32>()?, [1.0, 4.0, 9.0]);
    assert_eq!(sum.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
    assert_eq!(meter.runs.load(Ordering::Relaxed), 1);
    println!("{square:?}");
    println!("{sum:?}");
    Ok(())
}
