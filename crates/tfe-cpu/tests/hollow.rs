//! Every op on tensors without elements whose other dimensions claim much: a result or a
//! status, and no abort. What follows a claimed size takes hours: this test would not end.

use std::sync::LazyLock;

use tfe_core::{Code, DataType, Shape, Tensor};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::KernelRegistry;
use tfe_testkit::Direct;
use tfe_testkit::golden::{Case, Vectors};

static KERNELS: LazyLock<KernelRegistry> =
    LazyLock::new(|| KernelRegistry::new(tfe_kernels::all()));

const LONG: i64 = 1 << 40;

/// The tensor with no elements: each dimension in turn is empty, and another one long.
fn hollow(tensor: &Tensor) -> Vec<Tensor> {
    let rank = tensor.rank();
    let pairs = (0..rank).flat_map(|empty| (0..rank).map(move |long| (empty, long)));
    let variants = pairs.filter_map(|(empty, long)| {
        let mut dims = tensor.dims().to_vec();
        dims[long] = LONG;
        dims[empty] = 0;
        Tensor::zeros(tensor.dtype(), Shape::new(&dims).ok()?).ok()
    });
    variants.collect()
}

/// The calls that a recorded one becomes: one input hollow, and all alike ones.
fn calls(case: &Case) -> Vec<Vec<Tensor>> {
    let mut calls = Vec::new();
    for (i, input) in case.inputs.iter().enumerate() {
        for empty in hollow(input) {
            let mut one = case.inputs.clone();
            one[i] = empty.clone();
            calls.push(one);
            let alike = case.inputs.iter().map(|other| {
                let is_alike = other.shape() == input.shape() && other.rank() > 0;
                let like = || Tensor::zeros(other.dtype(), empty.shape().clone()).ok();
                is_alike
                    .then(like)
                    .flatten()
                    .unwrap_or_else(|| other.clone())
            });
            calls.push(alike.collect());
        }
    }
    calls
}

#[test]
fn claimed_sizes_cost_neither_memory_nor_time() {
    let cpu = CpuDevice::new(0, &CpuOptions::default());
    let direct = Direct::new(&cpu, &KERNELS);
    let (mut faults, mut count) = (Vec::new(), 0);
    for vectors in Vectors::all().expect("the collection") {
        let op = &vectors.op;
        // A few of different ranks and attributes; elements of any type are equally many.
        let cases = vectors.cases.iter().step_by(1 + vectors.cases.len() / 6);
        for case in cases.filter(|case| case.inputs.iter().all(|t| t.dtype() != DataType::Resource))
        {
            for inputs in calls(case) {
                let shapes: Vec<_> = inputs.iter().map(|t| t.shape().to_string()).collect();
                let result = direct.run_in_place(op, &case.attrs, &inputs);
                count += 1;
                if let Err(e) = &result
                    && e.code() == Code::Internal
                {
                    faults.push(format!("{op} {}: {shapes:?}: {e}", case.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 5_000, "{count}");
}
