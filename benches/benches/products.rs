//! Products of square matrices of `f32` on one thread: the kernel, the library that it calls, and one that it does not.
#![expect(unsafe_code, reason = "calls libraries that take pointers")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tfe_eager::{Context, TensorHandle};

const SIZES: [usize; 6] = [4, 8, 32, 64, 256, 512];

fn by_gemm(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    assert!(a.len() == n * n && b.len() == n * n && c.len() == n * n);
    let rows = n as isize;
    // SAFETY: all three have n rows of n elements.
    unsafe {
        gemm::gemm(
            n,
            n,
            n,
            c.as_mut_ptr(),
            1,
            rows,
            false,
            a.as_ptr(),
            1,
            rows,
            b.as_ptr(),
            1,
            rows,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

fn by_matrixmultiply(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    assert!(a.len() == n * n && b.len() == n * n && c.len() == n * n);
    let rows = n as isize;
    let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
    // SAFETY: all three have n rows of n elements.
    unsafe { matrixmultiply::sgemm(n, n, n, 1.0, a, rows, 1, b, rows, 1, 0.0, c, rows, 1) }
}

fn products(c: &mut Criterion) {
    let ctx = Context::new().expect("a context");
    let mut group = c.benchmark_group("products");
    for n in SIZES {
        let values: Vec<f32> = (0..n * n).map(|i| (i % 251) as f32 / 251.0).collect();
        let mut result = vec![0.0; n * n];
        let a = TensorHandle::from_slice(&[n as i64, n as i64], &values).expect("a tensor");
        group.throughput(Throughput::Elements((2 * n * n * n) as u64));
        group.bench_with_input(BenchmarkId::new("MatMul", n), &n, |bench, _| {
            bench.iter(|| ctx.op("MatMul")?.input(&a)?.input(&a)?.run1());
        });
        group.bench_with_input(BenchmarkId::new("gemm", n), &n, |bench, &n| {
            bench.iter(|| by_gemm(n, &values, &values, &mut result));
        });
        group.bench_with_input(BenchmarkId::new("matrixmultiply", n), &n, |bench, &n| {
            bench.iter(|| by_matrixmultiply(n, &values, &values, &mut result));
        });
    }
    group.finish();
}

criterion_group!(benches, products);
criterion_main!(benches);
