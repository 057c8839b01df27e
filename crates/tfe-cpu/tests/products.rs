//! `MatMul` beside a library that the kernels do not use: matrixmultiply, on sizes around every tile and cut.
#![expect(unsafe_code, reason = "calls matrixmultiply, which takes pointers")]

use tfe_core::{Complex64, Complex128, Element, Tensor};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::KernelRegistry;
use tfe_testkit::compare::{Tolerance, difference};
use tfe_testkit::{Direct, Runner as _};

/// Rows, inner dimension, columns.
const SIZES: &[[usize; 3]] = &[
    [1, 1, 1],
    [4, 4, 4],
    [5, 3, 7],
    [1, 700, 1],
    [1, 33, 65],
    [65, 33, 1],
    [16, 512, 16],
    [17, 513, 31],
    [63, 64, 65],
    [128, 96, 200],
    [70, 1100, 40],
];

/// An element that both multiply.
trait Product: Element + Copy {
    const EPSILON: f64;
    fn of(value: f64) -> Self;
    /// The product of row-major matrices.
    fn product(a: &[Self], b: &[Self], sizes: [usize; 3]) -> Vec<Self>;
}

macro_rules! products {
    ($($t:ty: $epsilon:expr, $of:expr, |$m:ident, $k:ident, $n:ident, $a:ident, $b:ident, $c:ident| $call:expr;)*) => {$(
        impl Product for $t {
            const EPSILON: f64 = $epsilon;
            fn of(value: f64) -> Self {
                $of(value)
            }
            fn product(a: &[Self], b: &[Self], [$m, $k, $n]: [usize; 3]) -> Vec<Self> {
                assert!(a.len() == $m * $k && b.len() == $k * $n);
                let mut c = vec![Self::of(0.0); $m * $n];
                let ($a, $b, $c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                // SAFETY: the slices have as many elements as rows times columns, and rows follow each other.
                unsafe { $call };
                c
            }
        }
    )*};
}

products! {
    f32: f32::EPSILON as f64, |v| v as f32, |m, k, n, a, b, c| matrixmultiply::sgemm(
        m, k, n, 1.0, a, k as isize, 1, b, n as isize, 1, 0.0, c, n as isize, 1
    );
    f64: f64::EPSILON, |v| v, |m, k, n, a, b, c| matrixmultiply::dgemm(
        m, k, n, 1.0, a, k as isize, 1, b, n as isize, 1, 0.0, c, n as isize, 1
    );
}

/// As [`Product`] for complex numbers, by four products of reals.
fn complex_product<T: Product>(a: &[[T; 2]], b: &[[T; 2]], sizes: [usize; 3]) -> [Vec<T>; 4] {
    let part = |v: &[[T; 2]], i: usize| v.iter().map(|z| z[i]).collect::<Vec<_>>();
    [(0, 0), (1, 1), (0, 1), (1, 0)].map(|(i, j)| T::product(&part(a, i), &part(b, j), sizes))
}

/// Numbers without a pattern, between -1 and 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f64 / f64::from(1u32 << 23) - 1.0
    };
    (0..count).map(next).collect()
}

/// What is wrong with the product of `a` and `b`, given as they are and as transposes.
fn check(a: &[Tensor; 2], b: &[Tensor; 2], want: &Tensor, epsilon: f64, inner: usize) {
    let options = CpuOptions {
        threads: Some(2),
        ..CpuOptions::default()
    };
    let (cpu, kernels) = (
        CpuDevice::new(0, &options),
        KernelRegistry::new(tfe_kernels::all()),
    );
    // The sums are of numbers up to one: what rounding a term and each sum may do.
    let tolerance = Tolerance {
        rtol: 4.0 * epsilon,
        atol: epsilon * (2.0 + inner as f64),
    };
    for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
        let attrs = [("transpose_a", ta), ("transpose_b", tb)];
        let attrs = attrs.map(|(name, value)| (name.to_owned(), value.into()));
        let inputs = [a[usize::from(ta)].clone(), b[usize::from(tb)].clone()];
        let got = Direct::new(&cpu, &kernels).run("MatMul", &attrs, &inputs);
        let got = got.expect("matrices that fit");
        let wrong = difference(want, &got[0], Some(tolerance));
        assert_eq!(wrong, None, "{a:?} {b:?} {ta} {tb}");
    }
}

/// A matrix and its transpose.
fn both_ways<T: Element + Copy>(values: &[T], [rows, cols]: [usize; 2]) -> [Tensor; 2] {
    let turned = (0..cols).flat_map(|j| (0..rows).map(move |i| values[i * cols + j]));
    let turned: Vec<T> = turned.collect();
    let dims = [rows as i64, cols as i64];
    [
        Tensor::from_slice(&dims, values).expect("memory"),
        Tensor::from_slice(&[dims[1], dims[0]], &turned).expect("memory"),
    ]
}

fn real<T: Product>() {
    for &[m, k, n] in SIZES {
        let of = |count, seed| {
            numbers(count, seed)
                .into_iter()
                .map(T::of)
                .collect::<Vec<_>>()
        };
        let (a, b) = (of(m * k, 1), of(k * n, 2));
        let want = T::product(&a, &b, [m, k, n]);
        let want = Tensor::from_slice(&[m as i64, n as i64], &want).expect("memory");
        check(
            &both_ways(&a, [m, k]),
            &both_ways(&b, [k, n]),
            &want,
            T::EPSILON,
            k,
        );
    }
}

fn complex<T: Product, C: Element + Copy>(join: fn(f64, f64) -> C, wide: fn(T) -> f64) {
    for &[m, k, n] in SIZES {
        let of = |count: usize, seed| {
            let parts = numbers(2 * count, seed).into_iter().map(T::of);
            parts.collect::<Vec<_>>().as_chunks::<2>().0.to_vec()
        };
        let (a, b) = (of(m * k, 1), of(k * n, 2));
        let [rr, ii, ri, ir] = complex_product(&a, &b, [m, k, n]).map(|v| v.into_iter().map(wide));
        let re = rr.zip(ii).map(|(x, y)| x - y);
        let im = ri.zip(ir).map(|(x, y)| x + y);
        let want: Vec<C> = re.zip(im).map(|(re, im)| join(re, im)).collect();
        let joined =
            |v: &[[T; 2]]| -> Vec<C> { v.iter().map(|z| join(wide(z[0]), wide(z[1]))).collect() };
        let want = Tensor::from_slice(&[m as i64, n as i64], &want).expect("memory");
        let (a, b) = (joined(&a), joined(&b));
        check(
            &both_ways(&a, [m, k]),
            &both_ways(&b, [k, n]),
            &want,
            4.0 * T::EPSILON,
            k,
        );
    }
}

#[test]
fn products_of_reals_are_those_of_matrixmultiply() {
    real::<f32>();
    real::<f64>();
}

#[test]
fn products_of_complex_numbers_are_those_of_matrixmultiply() {
    complex(
        |re, im| Complex64::new(re as f32, im as f32),
        |v: f32| v.into(),
    );
    complex(Complex128::new, |v: f64| v);
}
