//! `EuclideanNorm`: the square root of the sum of squares along axes. Integers wrap, half-precision floats are widened.

use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, DTypeSet, Plain, Result, bf16, dispatch, f16};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Plus};
use tfe_host::bits::unsigned;
use tfe_host::number::{Half, Number};
use tfe_host::reduce::{self, Reducer};
use tfe_host::{loops, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["reduction_indices"],
    ..KernelDef::host(ops::EUCLIDEAN_NORM, rules::reduction, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let is_signed = unsigned(dtype) != dtype;
    dispatch!(
        unsigned(dtype),
        [
            Half, Bfloat16, Float, Double, Complex64, Complex128, Uint8, Uint16, Uint32, Uint64
        ],
        |T| reduce::kernel(
            init,
            Norm::<T> {
                sum: Folded::by(Plus),
                is_signed
            }
        )
    )
}

/// A type with squares, which are added up in another.
trait Squared: Plain {
    type Total: Plain;

    /// Writes the squares of elements: for complex numbers, of their distance from zero.
    fn squares<'a>(
        dst: &'a mut [MaybeUninit<Self::Total>],
        elements: &[Self],
    ) -> &'a mut [Self::Total];
    /// The square root, of a signed integer perhaps.
    fn root(total: Self::Total, is_signed: bool) -> Self;
}

macro_rules! squared {
    ($($t:ty: |$x:ident, $signed:ident| $root:expr;)*) => {$(
        impl Squared for $t {
            type Total = $t;

            fn squares<'a>(dst: &'a mut [MaybeUninit<$t>], elements: &[$t]) -> &'a mut [$t] {
                loops::map(dst, elements, |x| x.times(x.conjugate()))
            }
            fn root($x: $t, $signed: bool) -> $t {
                $root
            }
        }
    )*};
}
squared! {
    f32: |x, _signed| x.sqrt();
    f64: |x, _signed| x.sqrt();
    Complex64: |x, _signed| x.re.sqrt().into();
    Complex128: |x, _signed| x.re.sqrt().into();
    u8: |x, signed| if signed { f64::from(x as i8).sqrt() as u8 } else { f64::from(x).sqrt() as u8 };
    u16: |x, signed| if signed { f64::from(x as i16).sqrt() as u16 } else { f64::from(x).sqrt() as u16 };
    u32: |x, signed| if signed { f64::from(x as i32).sqrt() as u32 } else { f64::from(x).sqrt() as u32 };
    u64: |x, signed| if signed { (x as i64 as f64).sqrt() as u64 } else { (x as f64).sqrt() as u64 };
}

macro_rules! squared_halves {
    ($($t:ty),*) => {$(
        impl Squared for $t {
            type Total = f32;

            fn squares<'a>(dst: &'a mut [MaybeUninit<f32>], elements: &[$t]) -> &'a mut [f32] {
                let wide = Half::to_f32s(elements, dst);
                wide.iter_mut().for_each(|x| *x *= *x);
                wide
            }
            fn root(total: f32, _: bool) -> $t {
                Half::of_f32(total.sqrt())
            }
        }
    )*};
}
squared_halves!(f16, bf16);

/// Sums of squares, and in the end the root.
struct Norm<T: Squared> {
    sum: Folded<T::Total, Plus>,
    is_signed: bool,
}

/// Squares that are made at a time.
const BLOCK: usize = 512;

impl<T: Squared> Reducer for Norm<T>
where
    Folded<T::Total, Plus>: Reducer<Item = T::Total, Total = T::Total>,
{
    type Item = T;
    type Total = T::Total;

    /// The norm of one number is how far it is from zero.
    fn keeps_one(&self) -> bool {
        false
    }
    fn identity(&self) -> T::Total {
        self.sum.identity()
    }
    fn join(&self, totals: &mut [T::Total], others: &[T::Total]) {
        self.sum.join(totals, others);
    }
    fn row(&self, row: &[T]) -> T::Total {
        let mut squares = [MaybeUninit::uninit(); BLOCK];
        let mut total = [self.identity()];
        for block in row.chunks(BLOCK) {
            let squares = T::squares(&mut squares[..block.len()], block);
            self.join(&mut total, &[self.sum.row(squares)]);
        }
        total[0]
    }
    fn columns(&self, totals: &mut [T::Total], source: &[T], stride: usize, rows: usize) {
        let mut squares = [MaybeUninit::uninit(); BLOCK];
        for row in source.chunks(stride).take(rows) {
            for (totals, block) in totals.chunks_mut(BLOCK).zip(row.chunks(BLOCK)) {
                let n = totals.len();
                let squares = T::squares(&mut squares[..n], &block[..n]);
                self.sum.columns(totals, squares, n, 1);
            }
        }
    }
    fn result(&self, total: T::Total, _: usize) -> T {
        T::root(total, self.is_signed)
    }
}
