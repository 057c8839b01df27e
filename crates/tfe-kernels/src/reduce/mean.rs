//! `Mean`: the mean of elements along axes. Integers are added up in 64 bits, half-precision floats are widened.
#![expect(
    trivial_numeric_casts,
    reason = "a macro casts integers of 64 bits to every type, to their own too"
)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, DTypeSet, Plain, Result, bf16, dispatch, f16};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Plus};
use tfe_host::loops;
use tfe_host::number::Half;
use tfe_host::reduce::{self, Reducer};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["reduction_indices"],
    ..KernelDef::cpu(ops::MEAN, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, keep_dims) = (init.attrs.dtype("T")?, init.attrs.bool("keep_dims")?);
    if DTypeSet::INT.contains(dtype) {
        return dispatch!(dtype, Int, |T| Ok(reduce::kernel(
            IntegerMean::<T>::new(),
            keep_dims
        )));
    }
    dispatch!(
        dtype,
        [Half, Bfloat16, Float, Double, Complex64, Complex128],
        |T| Ok(reduce::kernel(Mean::<T>::new(), keep_dims))
    )
}

/// Sums, divided by the count in the end.
pub(super) struct Mean<T>(Folded<T, Plus>);

impl<T> Mean<T> {
    pub(super) const fn new() -> Self {
        Self(Folded::by(Plus))
    }
}

/// A type that totals of `A` are divided to.
pub(super) trait Average<A>: Plain {
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
pub(super) struct IntegerMean<T>(PhantomData<T>);

impl<T> IntegerMean<T> {
    pub(super) const fn new() -> Self {
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

#[cfg(test)]
mod tests {
    use tfe_core::Tensor;

    use crate::testing::run;

    /// More than fit a block, whose sum fits neither their type nor the one of blocks.
    #[test]
    fn integers_are_added_up_in_64_bits() {
        let (rows, cols) = (2, 5000);
        let values = (0..rows * cols).map(|i| {
            if i % 4 == 0 {
                i8::MIN
            } else {
                i8::MAX - (i % 3) as i8
            }
        });
        let values: Vec<i8> = values.collect();
        let x = Tensor::from_slice(&[rows.into(), cols.into()], &values).expect("a tensor");
        let mean = |axis: i32| -> Vec<i8> {
            let axes = Tensor::vector(&[axis]).expect("a tensor");
            let means = run("Mean", &[], vec![x.clone(), axes]).expect("means");
            means[0].as_slice::<i8>().expect("means").to_vec()
        };
        let of = |each: &mut dyn Iterator<Item = &i8>| -> i8 {
            let (mut sum, mut n) = (0i64, 0);
            for &value in each {
                sum += i64::from(value);
                n += 1;
            }
            (sum / n) as i8
        };
        let wanted: Vec<i8> = values
            .chunks(cols as usize)
            .map(|row| of(&mut row.iter()))
            .collect();
        assert_eq!(mean(1), wanted);
        let wanted: Vec<i8> = (0..cols as usize)
            .map(|i| of(&mut values.iter().skip(i).step_by(cols as usize)))
            .collect();
        assert_eq!(mean(0), wanted);
        let segments = Tensor::vector(&[0i32, 0]).expect("a tensor");
        let means = run("SegmentMean", &[], vec![x.clone(), segments]).expect("means");
        assert_eq!(means[0].as_slice::<i8>().expect("means"), wanted);
    }
}
