//! Means, as reducers. Integers are added up in 64 bits, half-precision floats are widened.
#![expect(
    trivial_numeric_casts,
    reason = "a macro casts integers of 64 bits to every type, to their own too"
)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, Plain, bf16, f16};

use crate::accumulate::{Folded, Plus};
use crate::loops;
use crate::number::Half;
use crate::reduce::Reducer;

/// Sums, divided by the count in the end.
pub struct Mean<T>(Folded<T, Plus>);

impl<T> Default for Mean<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Mean<T> {
    /// The only one.
    pub const fn new() -> Self {
        Self(Folded::by(Plus))
    }
}

/// A type that totals of `A` are divided to.
pub trait Average<A>: Plain {
    /// The mean of `count` elements.
    fn average(total: A, count: usize) -> Self;
}

macro_rules! averages {
    ($($t:ty: $total:ty, |$x:ident, $n:ident| $average:expr;)*) => {$(
        impl Average<$total> for $t {
            fn average($x: $total, $n: usize) -> $t {
                $average
            }
        }
    )*};
}
// The mean of nothing is NaN, but 0 for types that have no NaN, and for complex numbers.
averages! {
    f32: f32, |x, n| x / n as f32;
    f64: f64, |x, n| x / n as f64;
    f16: f32, |x, n| Half::of_f32(x / n as f32);
    bf16: f32, |x, n| Half::of_f32(x / n as f32);
    Complex64: Complex64, |x, n| x / n.max(1) as f32;
    Complex128: Complex128, |x, n| x / n.max(1) as f64;
}

impl<T> Reducer for Mean<T>
where
    Folded<T, Plus>: Reducer<Item = T>,
    T: Average<<Folded<T, Plus> as Reducer>::Total>,
{
    type Item = T;
    type Total = <Folded<T, Plus> as Reducer>::Total;

    fn identity(&self) -> Self::Total {
        self.0.identity()
    }
    fn join(&self, totals: &mut [Self::Total], others: &[Self::Total]) {
        self.0.join(totals, others);
    }
    fn row(&self, row: &[T]) -> Self::Total {
        self.0.row(row)
    }
    fn columns(&self, totals: &mut [Self::Total], source: &[T], stride: usize, rows: usize) {
        self.0.columns(totals, source, stride, rows);
    }
    fn result(&self, total: Self::Total, count: usize) -> T {
        T::average(total, count)
    }
}

/// Means of integers: their sums are made in 64 bits, block by block.
pub struct IntegerMean<T>(PhantomData<T>);

impl<T> Default for IntegerMean<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> IntegerMean<T> {
    /// The only one.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// Integers that are widened at a time.
const BLOCK: usize = 1024;

macro_rules! integer_means {
    ($($t:ty: $wide:ty;)*) => {$(
        impl Reducer for IntegerMean<$t> {
            type Item = $t;
            type Total = $wide;

            fn identity(&self) -> $wide {
                0
            }
            fn join(&self, totals: &mut [$wide], others: &[$wide]) {
                Folded::<$wide, _>::by(Plus).join(totals, others);
            }
            fn row(&self, row: &[$t]) -> $wide {
                let mut wide = [MaybeUninit::uninit(); BLOCK];
                let sums = row.chunks(BLOCK).map(|block| {
                    let wide = loops::map(&mut wide[..block.len()], block, |x| <$wide>::from(x));
                    Folded::<$wide, _>::by(Plus).row(wide)
                });
                sums.fold(0, <$wide>::wrapping_add)
            }
            fn columns(&self, totals: &mut [$wide], source: &[$t], stride: usize, rows: usize) {
                for row in source.chunks(stride).take(rows) {
                    for (total, &x) in totals.iter_mut().zip(row) {
                        *total = total.wrapping_add(<$wide>::from(x));
                    }
                }
            }
            fn result(&self, total: $wide, count: usize) -> $t {
                // Between the least and the greatest of them. The mean of nothing is 0.
                (total / count.max(1) as $wide) as $t
            }
        }
    )*};
}
integer_means! {
    i8: i64; i16: i64; i32: i64; i64: i64; u8: u64; u16: u64; u32: u64; u64: u64;
}
