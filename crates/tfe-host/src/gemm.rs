//! Matrix products.
#![expect(unsafe_code, reason = "calls gemm, which takes pointers")]

use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, Element, Plain, Result, Shape, Tensor, bf16, f16};
use tfe_device::{Device, KernelContext};

use crate::matrix::Matrix;
use crate::number::{Half, Number};
use crate::{fill, integer_gemm, loops, parallel, pool, simd};

/// An element that matrices can be multiplied of.
pub trait Product: Plain {
    /// Writes the product of `a` and `b`, row-major. Temporary memory comes from `ctx`, threads from its device.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no temporary memory.
    ///
    /// # Panics
    /// When the sizes do not fit: faults of the kernel.
    fn product<'d>(
        ctx: &KernelContext<'_>,
        a: Matrix<'_, Self>,
        b: Matrix<'_, Self>,
        dst: &'d mut [MaybeUninit<Self>],
    ) -> Result<&'d mut [Self]>;
}

macro_rules! by_gemm {
    ($($t:ty: $flops_per_ns:literal),*) => {$(
        impl Product for $t {
            fn product<'d>(
                ctx: &KernelContext<'_>,
                a: Matrix<'_, Self>,
                b: Matrix<'_, Self>,
                dst: &'d mut [MaybeUninit<Self>],
            ) -> Result<&'d mut [Self]> {
                match small(a, b, dst) {
                    Ok(done) => Ok(done),
                    Err(dst) if !simd::libraries_may_choose() => integer_gemm::product(ctx, a, b, dst),
                    Err(dst) => Ok(large(ctx.device(), a, b, dst, 1.0.into(), $flops_per_ns)),
                }
            }
        }
    )*};
}
// gemm against matrixmultiply, nanoseconds on one core with AVX2 (Zen 3, busy), n x n x n:
//        2         4         8         32          64            256               512
// f32    28/107    468/170   232/162   976/1462    7312/7713     360025/416211     3.8/4.1 ms
// f64    19/91     179/165   230/238   1725/2573   12485/17238   1.05/0.99 ms      22/31 ms
// c64    24/124    173/141   311/430   3511/8591   27682/60113   1.9/8.2 ms        31/98 ms
// c128   34/174    314/170   274/478   7829/19639  56526/142417  4.8/21 ms         117/278 ms
// So gemm for all of them, and `small` where both are slow. gemm fuses multiplications with additions where the CPU can,
// and cuts long sums by the size of its caches: its results differ from CPU to CPU by rounding. Where they must not,
// products come from `blocked`, which adds one after the other whatever the CPU.
by_gemm!(f32: 50.0, f64: 25.0, Complex64: 12.0, Complex128: 6.0);

macro_rules! by_blocks {
    ($($t:ty),*) => {$(
        impl Product for $t {
            fn product<'d>(
                ctx: &KernelContext<'_>,
                a: Matrix<'_, Self>,
                b: Matrix<'_, Self>,
                dst: &'d mut [MaybeUninit<Self>],
            ) -> Result<&'d mut [Self]> {
                match small(a, b, dst) {
                    Ok(done) => Ok(done),
                    Err(dst) => integer_gemm::product(ctx, a, b, dst),
                }
            }
        }
    )*};
}
by_blocks!(i16, i32, i64);

macro_rules! by_f32 {
    ($($t:ty),*) => {$(
        impl Product for $t {
            fn product<'d>(
                ctx: &KernelContext<'_>,
                a: Matrix<'_, Self>,
                b: Matrix<'_, Self>,
                dst: &'d mut [MaybeUninit<Self>],
            ) -> Result<&'d mut [Self]> {
                let (wide_a, wide_b) = (widened(ctx, a.data())?, widened(ctx, b.data())?);
                let out = ctx.allocate(f32::DTYPE, Shape::vector(dst.len()))?;
                let (a, b) = (a.with(wide_a.as_slice()?), b.with(wide_b.as_slice()?));
                let out = fill(out, |dst| f32::product(ctx, a, b, dst))?;
                Ok(Half::of_f32s(out.as_slice()?, dst))
            }
        }
    )*};
}
// Sums in f32, rounded once: closer than a product that rounds on the way, and conversions are a small part of it.
by_f32!(f16, bf16);

fn widened<H: Half>(ctx: &KernelContext<'_>, data: &[H]) -> Result<Tensor> {
    let out = ctx.allocate(f32::DTYPE, Shape::vector(data.len()))?;
    fill(out, |dst| Ok(H::to_f32s(data, dst)))
}

/// Products that are not worth the start of a real algorithm; gives `dst` back where this is not one.
#[inline]
fn small<'d, T: Number>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    dst: &'d mut [MaybeUninit<T>],
) -> Result<&'d mut [T], &'d mut [MaybeUninit<T>]> {
    let (m, k, n) = (a.rows(), a.cols(), b.cols());
    assert!(b.rows() == k && dst.len() == m * n);
    match (m, k, n) {
        (1, 1, 1) => Ok(fixed::<T, 1>(a, b, dst)),
        (2, 2, 2) => Ok(fixed::<T, 2>(a, b, dst)),
        (3, 3, 3) => Ok(fixed::<T, 3>(a, b, dst)),
        (4, 4, 4) => Ok(fixed::<T, 4>(a, b, dst)),
        (0, ..) | (_, 0, _) | (.., 0) => Ok(loops::repeat(dst, T::default())),
        _ if m * n * k <= 64 => {
            let ([ai, ak], [bk, bj]) = (a.strides(), b.strides());
            Ok(loops::tabulate(dst, |at| {
                let (i, j) = (at / n, at % n);
                let terms =
                    (0..k).map(|k| a.data()[i * ai + k * ak].times(b.data()[k * bk + j * bj]));
                terms.fold(T::default(), T::plus)
            }))
        }
        _ => Err(dst),
    }
}

/// A square product of fixed size, all in registers.
#[inline]
fn fixed<'d, T: Number, const N: usize>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    dst: &'d mut [MaybeUninit<T>],
) -> &'d mut [T] {
    fn load<T: Copy, const N: usize>(m: Matrix<'_, T>) -> [[T; N]; N] {
        let data = &m.data()[..N * N];
        let at = |i: usize, j: usize| {
            data[if m.is_transposed() {
                j * N + i
            } else {
                i * N + j
            }]
        };
        std::array::from_fn(|i| std::array::from_fn(|j| at(i, j)))
    }
    let (a, b): ([[T; N]; N], [[T; N]; N]) = (load(a), load(b));
    let mut c = [[T::default(); N]; N];
    for i in 0..N {
        for k in 0..N {
            for j in 0..N {
                c[i][j] = c[i][j].plus(a[i][k].times(b[k][j]));
            }
        }
    }
    loops::map(dst, c.as_flattened(), |v| v)
}

/// A product by gemm, on as many threads as it is worth.
fn large<'d, T: Plain>(
    device: &dyn Device,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    dst: &'d mut [MaybeUninit<T>],
    one: T,
    flops_per_ns: f64,
) -> &'d mut [T] {
    let row_ns = 2.0 * (a.cols() as f64) * (b.cols() as f64) / flops_per_ns;
    if parallel::piece_len(device, a.rows() * b.cols(), row_ns / b.cols() as f64)
        >= a.rows() * b.cols()
    {
        return by_gemm(a, b, dst, one, gemm::Parallelism::None);
    }
    let mut slots = Some(dst);
    let mut done = None;
    device.install(&mut || {
        // 0: the threads of the pool that this runs in.
        let threads = if pool::in_pool() {
            gemm::Parallelism::Rayon(0)
        } else {
            gemm::Parallelism::None
        };
        done = slots.take().map(|dst| by_gemm(a, b, dst, one, threads));
    });
    done.expect("a device runs the work that it is given, once")
}

fn by_gemm<'d, T: Plain>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    dst: &'d mut [MaybeUninit<T>],
    one: T,
    threads: gemm::Parallelism,
) -> &'d mut [T] {
    let (m, k, n) = (a.rows(), a.cols(), b.cols());
    assert!(b.rows() == k && Some(dst.len()) == m.checked_mul(n) && k > 0);
    let [[ai, ak], [bk, bj]] = [a.strides(), b.strides()].map(|s| s.map(|s| s as isize));
    // SAFETY: `Matrix::new` made sure that each operand has as many elements as rows times columns, and its strides stay
    // within; `dst` has m * n slots, of which none is read since `read_dst` is false. `T` is one of gemm's types.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            dst.as_mut_ptr().cast::<T>(),
            1,
            n as isize,
            false,
            a.data().as_ptr(),
            ak,
            ai,
            b.data().as_ptr(),
            bj,
            bk,
            T::default(),
            one,
            false,
            false,
            false,
            threads,
        );
    }
    // SAFETY: gemm writes all elements of its destination.
    unsafe { dst.assume_init_mut() }
}
