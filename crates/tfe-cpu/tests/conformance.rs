//! Every op that has a suite, for every data type, on the CPU.

use tfe_core::DTypeSet;
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::KernelRegistry;
use tfe_testkit::Direct;
use tfe_testkit::conformance::{Unsupported, declared_by, facts_differ, run, variables};

fn on_cpu(threads: usize, check: impl Fn(&Direct<'_>, &KernelRegistry)) {
    let options = CpuOptions {
        threads: Some(threads),
        ..CpuOptions::default()
    };
    let (cpu, kernels) = (
        CpuDevice::new(0, &options),
        KernelRegistry::new(tfe_kernels::all()),
    );
    check(&Direct::new(&cpu, &kernels), &kernels);
}

#[test]
fn suites_pass() {
    let unsupported = Unsupported::parse(include_str!("unsupported.txt")).expect("a list");
    on_cpu(2, |cpu, kernels| {
        run(
            cpu,
            &declared_by(kernels, "CPU"),
            DTypeSet::ANY,
            &unsupported,
        )
        .assert_passed();
    });
}

#[test]
fn kernels_are_declared_for_tensorflows_data_types() {
    on_cpu(1, |_, kernels| assert_eq!(facts_differ(kernels), [""; 0]));
}

#[test]
fn variables_hold_every_data_type() {
    on_cpu(1, |cpu, _| variables(cpu, DTypeSet::ANY).assert_passed());
}
