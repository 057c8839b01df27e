//! Contexts with test devices, and the seed's matrix.

use std::sync::{Arc, LazyLock};

use tfe_core::Result;
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::KernelRegistry;
use tfe_eager::{Code, Context, ContextOptions, Error, PlacementPolicy, TensorHandle};
use tfe_testkit::device::{HostKernels, TestDevice, TestOptions, kernels};

struct Host;

impl HostKernels for Host {
    fn registry() -> &'static KernelRegistry {
        static ALL: LazyLock<KernelRegistry> =
            LazyLock::new(|| KernelRegistry::new(tfe_kernels::all()));
        &ALL
    }
}

/// Full names of the devices of a [`World`].
pub(crate) const CPU: &str = "/job:localhost/replica:0/task:0/device:CPU:0";
pub(crate) const TEST_0: &str = "/job:localhost/replica:0/task:0/device:TEST:0";
pub(crate) const TEST_1: &str = "/job:localhost/replica:0/task:0/device:TEST:1";

/// A context with a CPU and two test devices.
pub(crate) struct World {
    pub(crate) ctx: Context,
    pub(crate) tests: [Arc<TestDevice>; 2],
}

impl World {
    pub(crate) fn new(test: TestOptions, options: ContextOptions) -> Self {
        let processor = Arc::new(CpuDevice::new(0, &CpuOptions::default()));
        let tests =
            [0, 1].map(|id| Arc::new(TestDevice::new(id, Arc::clone(&processor) as _, test)));
        let mut builder = Context::builder()
            .options(options)
            .kernels(kernels::<Host>());
        for device in &tests {
            builder = builder.device(Arc::clone(device) as _);
        }
        Self {
            ctx: builder.build().expect("a context"),
            tests,
        }
    }

    pub(crate) fn with_policy(placement_policy: PlacementPolicy) -> Self {
        let options = ContextOptions {
            placement_policy,
            ..ContextOptions::default()
        };
        Self::new(TestOptions::default(), options)
    }

    /// Runs a check on devices that work at once and on devices that work later.
    pub(crate) fn each(check: impl Fn(&World)) {
        for options in [TestOptions::default(), TestOptions::late()] {
            check(&Self::new(options, ContextOptions::default()));
        }
    }
}

/// The matrix of the seed's tests.
pub(crate) fn matrix() -> TensorHandle {
    TensorHandle::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("a matrix")
}

/// Its square.
pub(crate) const SQUARE: [f32; 4] = [7.0, 10.0, 15.0, 22.0];

pub(crate) fn floats(handle: &TensorHandle) -> Vec<f32> {
    handle.to_vec().expect("floats")
}

pub(crate) fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    result.map_err(|e: Error| e.code()).expect_err("an error")
}
