//! Results are the same, bit by bit, at every SIMD level and with any number of threads.
//!
//! The level is read once a process, so this program runs itself, with `TFE_SIMD` set, and compares what it prints.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::process::Command;

use tfe_core::{DataType, Result, TString, Tensor};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::KernelRegistry;
use tfe_ops::AttrValue;
use tfe_testkit::conformance::suites;
use tfe_testkit::golden::Vectors;
use tfe_testkit::{Direct, NamedAttrs, Runner as _};

const LEVELS: [&str; 2] = ["baseline", "avx2"];
const THREADS: [usize; 3] = [1, 2, 3];

/// Ops that multiply matrices: without a cap their products come from a library that rounds as the CPU does.
const PRODUCTS: &[&str] = &[
    "BatchMatMulV2",
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Einsum",
    "MatMul",
];

/// A line a call: its name, and a digest of all bits of its results, or the code of its error.
type Digests = BTreeMap<String, String>;

fn digests(threads: usize) -> Digests {
    let options = CpuOptions {
        threads: Some(threads),
        ..CpuOptions::default()
    };
    let (cpu, kernels) = (
        CpuDevice::new(0, &options),
        KernelRegistry::new(tfe_kernels::all()),
    );
    let runner = Direct::new(&cpu, &kernels);
    let mut digests = Digests::new();
    let mut call = |name: String, op: &str, attrs: &NamedAttrs, inputs: &[Tensor]| {
        digests.insert(name, digest(&runner.run(op, attrs, inputs)));
    };
    for vectors in Vectors::all().expect("vectors") {
        for case in vectors.cases {
            let name = format!("{}/{}", vectors.op, case.name);
            call(name, &vectors.op, &case.attrs, &case.inputs);
        }
    }
    for suite in suites() {
        let type_lists = [DataType::Float, DataType::Half, DataType::Complex64];
        for dtype in type_lists {
            let types = vec![dtype; suite.types.len()];
            for sample in (suite.samples)(&types).unwrap_or_default() {
                let name = format!("{}/suite {dtype} {}", suite.op, sample.name);
                call(name, suite.op, &sample.attrs, &sample.inputs);
            }
        }
    }
    for (op, attrs, inputs) in large_calls() {
        call(format!("{op}/large"), op, &attrs, &inputs);
    }
    digests
}

fn digest(outcome: &Result<Vec<Tensor>>) -> String {
    let results = match outcome {
        Ok(results) => results,
        Err(e) => return e.code().name().to_owned(),
    };
    let mut hasher = DefaultHasher::new();
    for result in results {
        result.dims().hash(&mut hasher);
        if let Ok(bytes) = result.as_bytes() {
            bytes.hash(&mut hasher);
        } else if let Ok(strings) = result.as_slice::<TString>() {
            strings.iter().for_each(|s| s.as_bytes().hash(&mut hasher));
        }
    }
    format!("{:016x}", hasher.finish())
}

/// An op, its attributes and its inputs.
type LargeCall = (&'static str, Vec<(String, AttrValue)>, Vec<Tensor>);

/// Calls that are worth threads, on numbers without a pattern.
fn large_calls() -> Vec<LargeCall> {
    let numbers = |dims: &[i64], seed: u64| {
        let mut state = seed;
        let count = dims.iter().product::<i64>();
        let numbers = (0..count).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
        });
        Tensor::from_iter(dims, numbers.collect::<Vec<_>>()).expect("memory")
    };
    let (a, b) = (numbers(&[300, 700], 1), numbers(&[300, 700], 2));
    let axes = |axes: &[i32]| Tensor::vector(axes).expect("memory");
    let mut calls = Vec::new();
    for op in ["AddV2", "Mul", "RealDiv", "Pow", "SquaredDifference"] {
        calls.push((op, vec![], vec![a.clone(), b.clone()]));
    }
    for op in [
        "Exp",
        "Log1p",
        "Tanh",
        "Sigmoid",
        "Rsqrt",
        "Sin",
        "Softmax",
        "LogSoftmax",
        "Erf",
        "Elu",
    ] {
        calls.push((op, vec![], vec![a.clone()]));
    }
    for op in ["Sum", "Mean", "Prod", "Max", "EuclideanNorm"] {
        calls.push((op, vec![], vec![a.clone(), axes(&[0, 1])]));
    }
    calls.push((
        "Cumsum",
        vec![],
        vec![a.clone(), Tensor::scalar(1i32).expect("memory")],
    ));
    calls.push((
        "MatMul",
        vec![("transpose_b".to_owned(), true.into())],
        vec![a, b],
    ));
    let image = numbers(&[2, 40, 40, 8], 3);
    let filter = numbers(&[3, 3, 8, 8], 4);
    let attrs = vec![
        ("strides".to_owned(), vec![1i64, 1, 1, 1].into()),
        ("padding".to_owned(), "SAME".into()),
    ];
    calls.push(("Conv2D", attrs, vec![image, filter]));
    calls
}

/// The digests of another process, at a level; `None` for no cap.
fn digests_at(level: Option<&str>) -> Digests {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "print_digests", "--nocapture"]);
    command.env("TFE_PRINT_DIGESTS", "1").env_remove("TFE_SIMD");
    if let Some(level) = level {
        command.env("TFE_SIMD", level);
    }
    let output = command.output().expect("this program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("digest\t"));
    let digests: Digests = lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, digest)| (name.to_owned(), digest.to_owned()))
        .collect();
    assert!(digests.len() > 1000, "{text}");
    digests
}

fn differences<'a>(one: &'a Digests, other: &Digests) -> Vec<&'a str> {
    assert_eq!(one.len(), other.len());
    let differing = one
        .iter()
        .filter(|(name, digest)| other.get(*name) != Some(*digest));
    differing.map(|(name, _)| name.as_str()).collect()
}

/// Not a test of its own: what the others start.
#[test]
fn print_digests() {
    if std::env::var_os("TFE_PRINT_DIGESTS").is_some() {
        for (name, digest) in digests(2) {
            println!("digest\t{name}\t{digest}");
        }
    }
}

#[test]
fn a_level_makes_no_difference() {
    let [baseline, best] = LEVELS.map(|level| digests_at(Some(level)));
    assert_eq!(differences(&baseline, &best), [""; 0]);
}

#[test]
fn without_a_cap_only_products_round_otherwise() {
    let (capped, uncapped) = (digests_at(Some(LEVELS[1])), digests_at(None));
    let mut differing = differences(&capped, &uncapped);
    differing.retain(|name| {
        !PRODUCTS
            .iter()
            .any(|op| name.starts_with(&format!("{op}/")))
    });
    assert_eq!(differing, [""; 0]);
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let [one, two, three] = THREADS.map(digests);
    assert_eq!(differences(&one, &two), [""; 0]);
    assert_eq!(differences(&one, &three), [""; 0]);
}
