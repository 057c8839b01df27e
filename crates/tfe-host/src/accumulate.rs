//! Reducers that fold elements by a function of two: in lanes, so that it vectorises.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, Plain, Result, Shape, Tensor, bf16, dispatch, f16};
use tfe_device::KernelContext;

use crate::bits::unsigned;
use crate::loops;
use crate::number::{Half, Number, Real};
use crate::reduce::{self, Reducer, reduced};

/// A function of two values that makes one of many, in whatever order they are taken.
pub trait Fold<T>: Copy + Send + Sync + 'static {
    /// What any value stays the same with.
    fn identity(self) -> T;
    /// One of two.
    fn fold(self, a: T, b: T) -> T;
    /// The result that values were folded to.
    #[inline(always)]
    fn finish(self, value: T) -> T {
        value
    }
}

/// The sum; integers wrap.
#[derive(Clone, Copy)]
pub struct Plus;

impl<T: Number> Fold<T> for Plus {
    fn identity(self) -> T {
        T::default()
    }
    #[inline(always)]
    fn fold(self, a: T, b: T) -> T {
        a.plus(b)
    }
}

/// The product; integers wrap.
#[derive(Clone, Copy)]
pub struct Times;

impl<T: Number> Fold<T> for Times {
    fn identity(self) -> T {
        T::from_u8(1)
    }
    #[inline(always)]
    fn fold(self, a: T, b: T) -> T {
        a.times(b)
    }
}

/// A number type with a first and a last value.
pub trait Ordered: Real {
    /// The first.
    const LEAST: Self;
    /// The last.
    const GREATEST: Self;
}

macro_rules! ordered {
    ($($t:ty: $least:expr, $greatest:expr;)*) => {$(
        impl Ordered for $t {
            const LEAST: $t = $least;
            const GREATEST: $t = $greatest;
        }
    )*};
}
ordered! {
    f32: f32::NEG_INFINITY, f32::INFINITY; f64: f64::NEG_INFINITY, f64::INFINITY;
    i8: i8::MIN, i8::MAX; i16: i16::MIN, i16::MAX; i32: i32::MIN, i32::MAX; i64: i64::MIN, i64::MAX;
    u8: u8::MIN, u8::MAX; u16: u16::MIN, u16::MAX; u32: u32::MIN, u32::MAX; u64: u64::MIN, u64::MAX;
}

/// The larger; NaN if either is.
#[derive(Clone, Copy)]
pub struct Larger;

impl<T: Ordered> Fold<T> for Larger {
    fn identity(self) -> T {
        T::LEAST
    }
    #[inline(always)]
    fn fold(self, a: T, b: T) -> T {
        a.nan_max(b)
    }
    #[inline(always)]
    fn finish(self, value: T) -> T {
        value.flushed()
    }
}

/// The smaller; NaN if either is.
#[derive(Clone, Copy)]
pub struct Smaller;

impl<T: Ordered> Fold<T> for Smaller {
    fn identity(self) -> T {
        T::GREATEST
    }
    #[inline(always)]
    fn fold(self, a: T, b: T) -> T {
        a.nan_min(b)
    }
    #[inline(always)]
    fn finish(self, value: T) -> T {
        value.flushed()
    }
}

/// Whether both are true.
#[derive(Clone, Copy)]
pub struct And;

impl Fold<bool> for And {
    fn identity(self) -> bool {
        true
    }
    #[inline(always)]
    fn fold(self, a: bool, b: bool) -> bool {
        a & b
    }
}

/// Whether either is true.
#[derive(Clone, Copy)]
pub struct Or;

impl Fold<bool> for Or {
    fn identity(self) -> bool {
        false
    }
    #[inline(always)]
    fn fold(self, a: bool, b: bool) -> bool {
        a | b
    }
}

/// The sums of the elements of a tensor along axes; dimensions of such axes are gone.
///
/// # Errors
/// `Unimplemented` for elements that have no sum; `ResourceExhausted`.
pub fn sum(ctx: &KernelContext<'_>, input: &Tensor, axes: &[i64]) -> Result<Tensor> {
    let shape = Shape::new(&reduce::dims_of(input.dims(), axes, false)?)?;
    dispatch!(
        unsigned(input.dtype()),
        [
            Half, Bfloat16, Float, Double, Complex64, Complex128, Uint8, Uint16, Uint32, Uint64
        ],
        |T| reduced(ctx, &Folded::<T, _>::by(Plus), input, axes, shape)
    )
}

/// The reducer of a function. Half-precision floats are widened.
pub struct Folded<T, F>(F, PhantomData<T>);

impl<T, F> Folded<T, F> {
    /// By that function.
    pub const fn by(f: F) -> Self {
        Self(f, PhantomData)
    }
}

macro_rules! folded {
    ($($t:ty, $lanes:literal;)*) => {$(
        impl<F: Fold<$t>> Reducer for Folded<$t, F> {
            type Item = $t;
            type Total = $t;

            fn identity(&self) -> $t {
                self.0.identity()
            }
            fn join(&self, totals: &mut [$t], others: &[$t]) {
                join(self.0, totals, others);
            }
            fn row(&self, row: &[$t]) -> $t {
                fold(self.0, Lanes::<$lanes>, row)
            }
            fn columns(&self, totals: &mut [$t], source: &[$t], stride: usize, rows: usize) {
                columns(self.0, totals, source, stride, rows);
            }
            fn result(&self, total: $t, _: usize) -> $t {
                self.0.finish(total)
            }
            fn rows<'a>(
                &self,
                dst: &'a mut [MaybeUninit<$t>],
                source: &[$t],
                len: usize,
            ) -> &'a mut [$t] {
                rows(self.0, Lanes::<$lanes>, dst, source, len)
            }
        }
    )*};
}
// Lanes: as many elements as 32 bytes hold.
folded! {
    f32, 8; f64, 4; Complex64, 4; Complex128, 2; bool, 32;
    i8, 32; u8, 32; i16, 16; u16, 16; i32, 8; u32, 8; i64, 4; u64, 4;
}

/// Halves that are widened at a time.
const BLOCK: usize = 1024;

macro_rules! folded_halves {
    ($($t:ty),*) => {$(
        impl<F: Fold<f32>> Reducer for Folded<$t, F> {
            type Item = $t;
            type Total = f32;

            fn identity(&self) -> f32 {
                self.0.identity()
            }
            fn join(&self, totals: &mut [f32], others: &[f32]) {
                join(self.0, totals, others);
            }
            fn row(&self, row: &[$t]) -> f32 {
                let mut wide = [MaybeUninit::uninit(); BLOCK];
                let blocks = row.chunks(BLOCK);
                let totals = blocks.map(|b| {
                    fold(self.0, Lanes::<8>, Half::to_f32s(b, &mut wide[..b.len()]))
                });
                totals.fold(self.0.identity(), |a, b| self.0.fold(a, b))
            }
            fn columns(&self, totals: &mut [f32], source: &[$t], stride: usize, rows: usize) {
                let mut wide = [MaybeUninit::uninit(); BLOCK];
                for row in source.chunks(stride).take(rows) {
                    for (totals, row) in totals.chunks_mut(BLOCK).zip(row.chunks(BLOCK)) {
                        let n = totals.len();
                        let wide = Half::to_f32s(&row[..n], &mut wide[..n]);
                        columns(self.0, totals, wide, n, 1);
                    }
                }
            }
            fn result(&self, total: f32, _: usize) -> $t {
                Half::of_f32(self.0.finish(total))
            }
        }
    )*};
}
folded_halves!(f16, bf16);

/// Elements that are folded in lanes; longer rows are halved until they are as short, so that rounding errors do not
/// pile up.
const LEAF: usize = 1024;

/// How many lanes a vector has, as a value: so that functions of it need not be told twice.
#[derive(Clone, Copy)]
struct Lanes<const N: usize>;

fn join<T: Copy, F: Fold<T>>(f: F, totals: &mut [T], others: &[T]) {
    let pairs = totals.iter_mut().zip(others);
    pairs.for_each(|(a, &b)| *a = f.fold(*a, b));
}

fn fold<T: Plain, F: Fold<T>, const LANES: usize>(f: F, lanes: Lanes<LANES>, row: &[T]) -> T {
    if row.len() <= LEAF {
        return leaf(f, lanes, row);
    }
    let (a, b) = row.split_at(row.len().div_ceil(2 * LANES) * LANES);
    f.fold(fold(f, lanes, a), fold(f, lanes, b))
}

levels! {
    fn leaf[T: Plain, F: Fold<T>, const LANES: usize](f: F, lanes: Lanes<LANES>, row: &[T]) -> T {
        in_lanes(f, lanes, row)
    }
}

levels! {
    fn rows['a, T: Plain, F: Fold<T>, const LANES: usize](
        f: F, lanes: Lanes<LANES>, dst: &'a mut [MaybeUninit<T>], source: &[T], len: usize
    ) -> &'a mut [T] {
        match len {
            2 => return short::<T, F, 2>(f, dst, source),
            3 => return short::<T, F, 3>(f, dst, source),
            4 => return short::<T, F, 4>(f, dst, source),
            _ => {}
        }
        if len > LEAF {
            return loops::tabulate(dst, |i| {
                f.finish(fold(f, lanes, &source[i * len..(i + 1) * len]))
            });
        }
        loops::tabulate(dst, |i| {
            f.finish(in_lanes(f, lanes, &source[i * len..(i + 1) * len]))
        })
    }
}

/// The results of rows that are not worth a loop each.
#[inline(always)]
fn short<'a, T: Plain, F: Fold<T>, const LEN: usize>(
    f: F,
    dst: &'a mut [MaybeUninit<T>],
    source: &[T],
) -> &'a mut [T] {
    let rows = &source.as_chunks::<LEN>().0[..dst.len()];
    loops::map(dst, rows, |row| {
        let folded = row.iter().fold(f.identity(), |a, &b| f.fold(a, b));
        f.finish(folded)
    })
}

/// A row folded in four vectors of lanes. The order is TensorFlow's: where the terms of a sum cancel, so do the errors.
#[inline(always)]
fn in_lanes<T: Plain, F: Fold<T>, const LANES: usize>(f: F, _: Lanes<LANES>, row: &[T]) -> T {
    let (vectors, rest) = row.as_chunks::<LANES>();
    let rest = rest.iter().fold(f.identity(), |a, &b| f.fold(a, b));
    if vectors.is_empty() {
        return rest;
    }
    let both = |a: [T; LANES], b: &[T; LANES]| -> [T; LANES] {
        std::array::from_fn(|i| f.fold(a[i], b[i]))
    };
    let mut four = [[f.identity(); LANES]; 4];
    let (fours, singles) = vectors.as_chunks::<4>();
    for vectors in fours {
        for (lanes, vector) in four.iter_mut().zip(vectors) {
            *lanes = both(*lanes, vector);
        }
    }
    let [mut lanes, others @ ..] = four;
    for vector in others.iter().chain(singles) {
        lanes = both(lanes, vector);
    }
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = f.fold(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    f.fold(rest, lanes[0])
}

levels! {
    fn columns[T: Plain, F: Fold<T>](f: F, totals: &mut [T], source: &[T], stride: usize, rows: usize) {
        let n = totals.len();
        let mut row = 0;
        while row + 4 <= rows {
            let [a, b, c, d] = std::array::from_fn(|i| &source[(row + i) * stride..][..n]);
            for i in 0..n {
                totals[i] = f.fold(f.fold(f.fold(f.fold(totals[i], a[i]), b[i]), c[i]), d[i]);
            }
            row += 4;
        }
        for row in row..rows {
            for (total, &x) in totals.iter_mut().zip(&source[row * stride..][..n]) {
                *total = f.fold(*total, x);
            }
        }
    }
}
