//! The test device itself: its memory is out of reach, its work is late, its failures show when somebody waits.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tfe_core::{Code, DataType, Result, Shape, TString, Tensor, ensure};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::{
    Device, Inference, Kernel, KernelContext, KernelDef, KernelInit, KernelRegistry, OpInit, Rule,
    dim,
};
use tfe_ops::{AttrValue, ops};
use tfe_testkit::Direct;
use tfe_testkit::device::{Counts, HostKernels, TestDevice, TestOptions, kernels};

/// The fewest kernels that tell something, so that these tests are of the device alone.
struct Host;

impl HostKernels for Host {
    fn registry() -> &'static KernelRegistry {
        static REGISTRY: LazyLock<KernelRegistry> = LazyLock::new(|| KernelRegistry::new(KERNELS));
        &REGISTRY
    }
}

/// The test device's kernels, and the host's, which have the rules of the ops.
fn registry() -> KernelRegistry {
    KernelRegistry::new(kernels::<Host>().iter().chain(KERNELS))
}

const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::ADD_V2, one_shape, add),
    KernelDef::host(ops::TOP_KV2, k_elements, first_k),
    KernelDef::host(ops::IDENTITY, one_shape, identity),
];

/// All inputs and the output are alike.
fn one_shape(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        for i in 1..call.num_inputs() {
            ensure!(
                call.may_be_equal(0, i),
                InvalidArgument,
                "Incompatible shapes"
            );
        }
        call.set_like(0, 0);
        Ok(())
    }))
}

fn k_elements(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        let k = call.integer(1)?.unwrap_or(dim::UNKNOWN);
        (0..2).try_for_each(|i| call.set(i, &[k]))
    }))
}

/// Adds vectors of `float`, and does not take NaN: an error that only the data shows.
fn add(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let (a, b) = (
            ctx.input(0).as_slice::<f32>()?,
            ctx.input(1).as_slice::<f32>()?,
        );
        ensure!(a.iter().all(|v| !v.is_nan()), Aborted, "NaN");
        let sum: Vec<f32> = a.iter().zip(b).map(|(a, b)| a + b).collect();
        ctx.set_output(0, Tensor::vector(&sum)?);
        Ok(())
    }))
}

/// The first `k` elements and their places.
fn first_k(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let k: i32 = ctx.input(1).scalar_value()?;
        let values = ctx.input(0).rows(0, k as usize)?.deep_copy()?;
        ctx.set_output(0, values);
        ctx.set_output(1, Tensor::vector(&(0..i64::from(k)).collect::<Vec<_>>())?);
        Ok(())
    }))
}

fn identity(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.take_input(0);
        ctx.set_output(0, input);
        Ok(())
    }))
}

fn device(id: u32, options: TestOptions) -> TestDevice {
    TestDevice::new(
        id,
        Arc::new(CpuDevice::new(0, &CpuOptions::default())),
        options,
    )
}

fn each(check: impl Fn(TestOptions)) {
    check(TestOptions::default());
    check(TestOptions::late());
}

fn floats(device: &TestDevice, tensor: &Tensor) -> Result<Vec<f32>> {
    Ok(device.copy_to_host(tensor)?.as_slice::<f32>()?.to_vec())
}

fn t(value: DataType) -> Vec<(String, AttrValue)> {
    vec![("T".to_owned(), value.into())]
}

#[test]
fn host_code_cannot_read_its_memory() {
    each(|options| {
        let test = device(0, options);
        let host = Tensor::vector(&[1.0f32, 2.0]).expect("memory");
        let there = test.copy_from_host(&host).expect("copy");
        assert!(!there.is_host() && there.data_ptr().is_null());
        for e in [
            there.as_slice::<f32>().map(drop).expect_err("as_slice"),
            there.as_bytes().map(drop).expect_err("as_bytes"),
            there.deep_copy().map(drop).expect_err("deep_copy"),
            there
                .scalar_value::<f32>()
                .map(drop)
                .expect_err("scalar_value"),
        ] {
            assert_eq!(e.code(), Code::Internal);
        }
        assert!(there.clone().as_mut_slice::<f32>().is_none() && !there.is_forwardable());
        assert_eq!(floats(&test, &there).expect("copy"), [1.0, 2.0]);
        let second = there.rows(1, 2).expect("a row");
        assert_eq!(floats(&test, &second).expect("copy"), [2.0]);
        let counts = Counts {
            from_host: 1,
            to_host: 2,
            ..Counts::default()
        };
        assert_eq!(test.counts(), counts);
    });
}

#[test]
fn what_is_copied_is_what_was_there_at_the_time() {
    let test = device(0, TestOptions::late());
    let mut host = Tensor::vector(&[1.0f32]).expect("memory");
    let there = test.copy_from_host(&host).expect("copy");
    host.as_mut_slice::<f32>().expect("unique")[0] = 5.0;
    assert_eq!(floats(&test, &there).expect("copy"), [1.0]);
}

#[test]
fn elements_that_own_memory_stay_on_the_host() {
    let test = device(0, TestOptions::default());
    let strings = Tensor::vector(&[TString::from("a")]).expect("memory");
    let resources = Tensor::zeros(DataType::Resource, Shape::scalar()).expect("memory");
    for tensor in [strings, resources] {
        let e = test.copy_from_host(&tensor).expect_err("no plain bytes");
        assert_eq!(e.code(), Code::Unimplemented);
    }
}

#[test]
fn devices_copy_from_each_other_with_and_without_the_host() {
    for (peer_copies, by_host) in [(true, 0), (false, 1)] {
        each(|options| {
            let a = device(0, options);
            let b = device(
                1,
                TestOptions {
                    peer_copies,
                    ..options
                },
            );
            let host = Tensor::vector(&[1.0f32, 2.0]).expect("memory");
            let on_a = a.copy_from_host(&host).expect("copy");
            let on_b = b.copy_from_peer(&on_a, &a).expect("copy");
            assert_eq!(floats(&b, &on_b).expect("copy"), [1.0, 2.0]);
            // One device does not read the memory of the other, nor do its kernels.
            assert_eq!(
                a.copy_to_host(&on_b).expect_err("b's").code(),
                Code::Internal
            );
            let kernels = registry();
            let run = Direct::new(&a, &kernels).run_in_place(
                "AddV2",
                &t(DataType::Float),
                &[on_a.clone(), on_b],
            );
            assert_eq!(run.expect_err("b's").code(), Code::Internal);
            assert_eq!(
                (a.counts().to_host, b.counts().from_host),
                (by_host, by_host)
            );
            assert_eq!(b.counts().from_peer, 1 - by_host);
            // To itself.
            let again = a.copy_from_peer(&on_a, &a).expect("copy");
            assert!(!again.buffer().same(on_a.buffer()));
        });
    }
}

#[test]
fn memory_is_limited_and_comes_back() {
    let test = device(
        0,
        TestOptions {
            memory: 100,
            ..TestOptions::default()
        },
    );
    let host = Tensor::zeros(DataType::Float, Shape::vector(20)).expect("memory");
    let there = test.copy_from_host(&host).expect("it fits");
    assert_eq!(test.used_bytes(), 80);
    let e = test
        .copy_from_host(&host)
        .expect_err("it does not fit twice");
    assert_eq!(e.code(), Code::ResourceExhausted);
    drop(there);
    assert_eq!(test.used_bytes(), 0);
    test.copy_from_host(&host).expect("it fits again");
}

#[test]
fn kernels_run_on_the_device_in_order() {
    each(|options| {
        let test = device(0, options);
        let kernels = registry();
        let direct = Direct::new(&test, &kernels);
        let run = |op: &str, inputs: &[Tensor]| {
            direct
                .run_in_place(op, &t(DataType::Float), inputs)
                .map(|r| r[0].clone())
        };
        let mut sum = Tensor::vector(&[1.0f32, 2.0]).expect("memory");
        for _ in 0..5 {
            let same = run("Identity", &[sum.clone()]).expect("identity");
            sum = run("AddV2", &[same, sum]).expect("sum");
        }
        assert!(!sum.is_host());
        assert_eq!(floats(&test, &sum).expect("copy"), [32.0, 64.0]);
        // Shapes are known at once, whatever the queue does.
        let three = Tensor::vector(&[1.0f32; 3]).expect("memory");
        let e = run("AddV2", &[sum, three]).expect_err("shapes differ");
        assert_eq!(e.code(), Code::InvalidArgument);
        assert!(test.synchronize().is_ok());
        // The rule refused the last call, so that no kernel ran.
        assert_eq!(test.counts().kernels, 10);
    });
}

#[test]
fn host_arguments_and_results_stay_in_host_memory() {
    each(|options| {
        let test = device(0, options);
        let kernels = registry();
        let direct = Direct::new(&test, &kernels);
        let input = Tensor::vector(&[3.0f32, 2.0, 1.0]).expect("memory");
        let k = Tensor::scalar(2i32).expect("memory");
        let mut attrs = t(DataType::Float);
        attrs.push(("index_type".to_owned(), DataType::Int64.into()));
        let out = direct
            .run_in_place("TopKV2", &attrs, &[input, k])
            .expect("top 2");
        assert_eq!(floats(&test, &out[0]).expect("copy"), [3.0, 2.0]);
        assert_eq!(out[1].as_slice::<i64>().expect("in host memory"), [0, 1]);
        assert_eq!(
            test.counts().from_host,
            1,
            "only the values went to the device"
        );
    });
}

#[test]
fn a_late_failure_shows_when_somebody_waits() {
    let test = device(
        0,
        TestOptions {
            latency: Some(Duration::from_millis(20)),
            ..TestOptions::default()
        },
    );
    let kernels = registry();
    let direct = Direct::new(&test, &kernels);
    let add = |a: &Tensor, b: &Tensor| {
        direct.run_in_place("AddV2", &t(DataType::Float), &[a.clone(), b.clone()])
    };
    let one = Tensor::vector(&[1.0f32]).expect("memory");
    let bad = add(&Tensor::vector(&[f32::NAN]).expect("memory"), &one).expect("nobody knows yet");
    let after = add(&bad[0], &one).expect("nobody knows yet");
    let good = add(&one, &one).expect("good");
    assert_eq!(
        test.synchronize().expect_err("the first failed").code(),
        Code::Aborted
    );
    assert!(test.synchronize().is_ok(), "it is reported once");
    // What the failed work was to write stays marked, and what was made from it; the rest is untouched.
    for tensor in [&bad[0], &after[0]] {
        assert_eq!(
            test.copy_to_host(tensor).expect_err("failed").code(),
            Code::Aborted
        );
    }
    assert_eq!(floats(&test, &good[0]).expect("copy"), [2.0]);
}

#[test]
fn copies_into_given_memory_and_events_keep_the_order() {
    each(|options| {
        let test = device(0, options);
        let (a, b) = (
            Tensor::vector(&[1.0f32, 2.0]).expect("memory"),
            Tensor::vector(&[3.0f32, 4.0]).expect("memory"),
        );
        let on_device = test.copy_from_host(&a).expect("memory");
        test.copy_into_device(&b, &on_device).expect("it fits");
        let event = test.record(0).expect("an event");
        test.wait_for(0, &*event).expect("nothing failed");
        assert!(event.is_passed());
        let mut back = Tensor::zeros(DataType::Float, Shape::vector(2)).expect("memory");
        test.copy_into_host(&on_device, &mut back).expect("it fits");
        assert_eq!(back.as_slice::<f32>().expect("floats"), [3.0, 4.0]);
        let shared = back.clone();
        assert!(test.copy_into_host(&on_device, &mut back).is_err());
        drop(shared);
        let longer = Tensor::vector(&[0.0f32; 3]).expect("memory");
        assert!(test.copy_into_device(&longer, &on_device).is_err());
    });
}

#[test]
fn what_the_host_has_no_kernel_for_is_not_found() {
    let test = device(0, TestOptions::default());
    let kernels = registry();
    let direct = Direct::new(&test, &kernels);
    let one = Tensor::vector(&[1.0f32]).expect("memory");
    // Declared, but the host cannot do it; not declared at all.
    for (op, inputs) in [("Mul", vec![one.clone(), one.clone()]), ("Neg", vec![one])] {
        let e = direct
            .run_in_place(op, &t(DataType::Float), &inputs)
            .expect_err(op);
        assert_eq!(e.code(), Code::NotFound, "{e}");
    }
}
