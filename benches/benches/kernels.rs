//! Kernels on sizes where the arithmetic or the memory is what counts.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tfe_eager::{Context, TensorHandle};

fn floats(dims: &[i64]) -> TensorHandle {
    let n: i64 = dims.iter().product();
    let values: Vec<f32> = (0..n).map(|i| (i % 251) as f32 / 251.0).collect();
    TensorHandle::from_slice(dims, &values).expect("a tensor")
}

fn elementwise(c: &mut Criterion) {
    let ctx = Context::new().expect("a context");
    let mut group = c.benchmark_group("AddV2");
    for n in [1i64, 1_000, 1_000_000] {
        let a = floats(&[n]);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, _| {
            b.iter(|| ctx.op("AddV2")?.input(&a)?.input(&a)?.run1());
        });
    }
    group.finish();
}

fn matmul(c: &mut Criterion) {
    let ctx = Context::new().expect("a context");
    let mut group = c.benchmark_group("MatMul");
    for n in [2i64, 16, 64, 256] {
        let a = floats(&[n, n]);
        group.throughput(Throughput::Elements((2 * n * n * n) as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, _| {
            b.iter(|| ctx.op("MatMul")?.input(&a)?.input(&a)?.run1());
        });
    }
    group.finish();
}

fn sum(c: &mut Criterion) {
    let ctx = Context::new().expect("a context");
    let a = floats(&[1000, 1000]);
    let mut group = c.benchmark_group("Sum");
    group.throughput(Throughput::Elements(1_000_000));
    for axis in [0i32, 1] {
        let axes = TensorHandle::from_slice(&[1], &[axis]).expect("a tensor");
        group.bench_with_input(BenchmarkId::new("axis", axis), &axis, |b, _| {
            b.iter(|| ctx.op("Sum")?.input(&a)?.input(&axes)?.run1());
        });
    }
    group.finish();
}

criterion_group!(benches, elementwise, matmul, sum);
criterion_main!(benches);
