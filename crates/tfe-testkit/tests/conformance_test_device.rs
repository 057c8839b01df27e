//! Every op that test devices have, for every data type, on a device whose memory host code cannot read.

use std::sync::{Arc, LazyLock};

use tfe_core::DTypeSet;
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::{KernelDef, KernelRegistry};
use tfe_testkit::Direct;
use tfe_testkit::conformance::{Unsupported, declared_by, run, variables};
use tfe_testkit::device::{DEVICE_TYPE, HostKernels, TestDevice, TestOptions, kernels};

struct Host;

impl HostKernels for Host {
    fn registry() -> &'static KernelRegistry {
        static ALL: LazyLock<KernelRegistry> =
            LazyLock::new(|| KernelRegistry::new(tfe_kernels::all()));
        &ALL
    }
}

fn on_test_device(options: TestOptions, check: impl Fn(&Direct<'_>, &KernelRegistry)) {
    let processor = Arc::new(CpuDevice::new(0, &CpuOptions::default()));
    let device = TestDevice::new(0, processor, options);
    // The host's kernels have the rules of the ops.
    let kernels = KernelRegistry::new(kernels::<Host>().iter().chain(tfe_kernels::all()));
    check(&Direct::new(&device, &kernels), &kernels);
}

#[test]
fn suites_pass() {
    on_test_device(TestOptions::default(), |device, kernels| {
        let declared = declared_by(kernels, DEVICE_TYPE);
        run(device, &declared, DTypeSet::ANY, &Unsupported::nothing()).assert_passed();
    });
}

#[test]
fn suites_pass_on_a_device_that_works_later() {
    // No latency but the thread's own: what counts is that nothing is done at once.
    let options = TestOptions {
        latency: Some(std::time::Duration::ZERO),
        ..TestOptions::default()
    };
    on_test_device(options, |device, kernels| {
        let declared = declared_by(kernels, DEVICE_TYPE);
        run(device, &declared, DTypeSet::FLOAT, &Unsupported::nothing()).assert_passed();
    });
}

#[test]
fn variables_hold_every_data_type() {
    for options in [TestOptions::default(), TestOptions::late()] {
        on_test_device(options, |device, _| {
            variables(device, DTypeSet::ANY).assert_passed()
        });
    }
}

/// What the host kernels offer to every device, without any wrapping.
#[test]
fn kernels_for_any_device_pass() {
    static KERNELS: LazyLock<Vec<KernelDef>> =
        LazyLock::new(|| tfe_kernels::any_device(DEVICE_TYPE));
    let processor = Arc::new(CpuDevice::new(0, &CpuOptions::default()));
    let device = TestDevice::new(0, processor, TestOptions::late());
    let kernels = KernelRegistry::new(KERNELS.iter());
    let direct = Direct::new(&device, &kernels);
    let declared = declared_by(&kernels, DEVICE_TYPE);
    run(&direct, &declared, DTypeSet::PLAIN, &Unsupported::nothing()).assert_passed();
    variables(&direct, DTypeSet::PLAIN).assert_passed();
}
