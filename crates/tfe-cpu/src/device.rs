//! `CpuDevice`: host memory, host kernels.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tfe_core::{Allocator, Buffer, Result, Tensor};
use tfe_device::{Device, DeviceInfo, DeviceName, Kernel, KernelContext, ResourceManager};

use crate::pool::Pool;
use crate::{CachingAllocator, DEFAULT_CACHE_BYTES, DenormalGuard};

/// How a CPU device is set up.
#[derive(Clone, Debug)]
pub struct CpuOptions {
    /// Threads for the work within one op, 1,024 at most; `None` takes `TFE_NUM_THREADS`, else as many as the process
    /// may use.
    pub threads: Option<usize>,
    /// Bytes of freed memory kept for reuse.
    pub cache_bytes: usize,
}

impl Default for CpuOptions {
    fn default() -> Self {
        Self {
            threads: None,
            cache_bytes: DEFAULT_CACHE_BYTES,
        }
    }
}

/// The most threads that a device starts: more than machines have processors for, fewer than a process may have.
const MAX_THREADS: usize = 1024;

/// The CPU as a device. Its tensors are host memory.
#[derive(Debug)]
pub struct CpuDevice {
    info: DeviceInfo,
    allocator: CachingAllocator,
    pool: Pool,
    resources: ResourceManager,
}

impl CpuDevice {
    /// CPU number `id` of this machine.
    pub fn new(id: u32, options: &CpuOptions) -> Self {
        let threads = options
            .threads
            .filter(|&n| n > 0)
            .or_else(threads_of_environment);
        let threads =
            threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
        let name = DeviceName::local("CPU", id);
        Self {
            allocator: CachingAllocator::new(options.cache_bytes),
            pool: Pool::new(threads.min(MAX_THREADS)),
            resources: ResourceManager::new(name.clone()),
            info: DeviceInfo {
                name,
                // What TensorFlow reports for a CPU, whatever the machine has.
                memory_limit: 256 << 20,
                incarnation: incarnation(),
                description: String::new(),
            },
        }
    }

    /// The allocator, for its figures.
    pub fn allocator(&self) -> &CachingAllocator {
        &self.allocator
    }
}

fn threads_of_environment() -> Option<usize> {
    std::env::var("TFE_NUM_THREADS")
        .ok()?
        .parse()
        .ok()
        .filter(|&n| n > 0)
}

/// A number that no other device of this machine is likely to have had.
fn incarnation() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // SplitMix64's finaliser: spreads the bits of a clock and a counter.
    let mut z =
        nanos ^ u64::from(std::process::id()) << 32 ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_host(&self) -> bool {
        true
    }

    fn host_allocator(&self) -> &dyn Allocator {
        &self.allocator
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        self.allocator.allocate(bytes)
    }

    fn copy_from_host(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }

    fn copy_to_host(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }

    /// A panic of the kernel, on whichever thread, is an `Internal` error with its message.
    fn compute(&self, kernel: &dyn Kernel, ctx: &mut KernelContext<'_>) -> Result<()> {
        let _flush = DenormalGuard::new();
        // What a kernel leaves half done is dropped with the call; what it shares (a variable, a queue) is valid at any time.
        match catch_unwind(AssertUnwindSafe(|| kernel.compute(ctx))) {
            Ok(done) => done,
            Err(panic) => Err(tfe_core::Error::of_panic(panic)),
        }
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn parallelism(&self) -> usize {
        self.pool.threads()
    }

    fn resources(&self) -> &ResourceManager {
        &self.resources
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::Code;
    use tfe_device::Run;

    use super::*;

    #[test]
    fn no_more_threads_than_a_process_may_have() {
        let options = CpuOptions {
            threads: Some(usize::MAX),
            ..CpuOptions::default()
        };
        assert_eq!(CpuDevice::new(0, &options).parallelism(), MAX_THREADS);
    }

    #[test]
    fn a_panic_in_a_kernel_is_an_error() {
        for threads in [1, 2] {
            let options = CpuOptions {
                threads: Some(threads),
                ..CpuOptions::default()
            };
            let cpu = CpuDevice::new(0, &options);
            let here = |_: &mut KernelContext<'_>| panic!("a fault on this thread");
            let there = |ctx: &mut KernelContext<'_>| {
                ctx.device()
                    .install(&mut || panic!("a fault on a thread of the pool"));
                Ok(())
            };
            let kernels: [(&dyn Kernel, &str); 2] =
                [(&here, "this thread"), (&there, "thread of the pool")];
            for (kernel, place) in kernels.iter().cycle().take(6) {
                let run = Run::on(&cpu);
                let mut ctx = KernelContext::without_rule(&mut [], &mut [], &[], &run);
                let e = cpu.compute(*kernel, &mut ctx).expect_err(place);
                assert_eq!(e.code(), Code::Internal);
                assert!(e.message().contains(place), "{e}");
            }
        }
    }

    #[test]
    fn the_pool_runs_work_with_denormals_flushed() {
        for threads in [1, 2] {
            let cpu = CpuDevice::new(
                0,
                &CpuOptions {
                    threads: Some(threads),
                    ..CpuOptions::default()
                },
            );
            assert_eq!(cpu.parallelism(), threads);
            let mut runs = 0;
            cpu.install(&mut || runs += 1);
            assert_eq!(runs, 1);
        }
        let (a, b) = (
            CpuDevice::new(0, &CpuOptions::default()),
            CpuDevice::new(1, &CpuOptions::default()),
        );
        assert_ne!(a.info().incarnation, b.info().incarnation);
        assert_eq!(
            b.name().as_str(),
            "/job:localhost/replica:0/task:0/device:CPU:1"
        );
    }
}
