//! Sum: adds up elements along axes. Integers wrap, half-precision floats are added up in `f32`.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use tfe_core::{DTypeSet, Result, bf16, dispatch, f16};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use crate::host::loops;
use crate::host::number::{Half, Number};
use crate::host::reduce::{self, Reducer};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["reduction_indices"],
    ..KernelDef::cpu(ops::SUM, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let keep_dims = init.attrs.bool("keep_dims")?;
    dispatch!(init.attrs.dtype("T")?, Number, |T| Ok(Box::new(
        move |ctx: &mut KernelContext<'_>| reduce::compute::<Sum<T>>(ctx, keep_dims)
    )))
}

struct Sum<T>(PhantomData<T>);

macro_rules! sums {
    ($($t:ty, $lanes:literal;)*) => {$(
        impl Reducer for Sum<$t> {
            type Item = $t;
            type Total = $t;

            fn nothing() -> $t {
                <$t>::default()
            }
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t {
                a.plus(b)
            }
            fn row(row: &[$t]) -> $t {
                sum::<$t, $lanes>(row)
            }
            fn columns(totals: &mut [$t], source: &[$t], stride: usize, rows: usize) {
                add_columns(totals, source, stride, rows);
            }
            fn finish(total: $t) -> $t {
                total
            }
            fn rows<'a>(dst: &'a mut [MaybeUninit<$t>], source: &[$t], len: usize) -> &'a mut [$t] {
                sums(Lanes::<$lanes>, dst, source, len)
            }
        }
    )*};
}
// Lanes: as many elements as 32 bytes hold.
sums! {
    f32, 8; f64, 4; tfe_core::Complex64, 4; tfe_core::Complex128, 2;
    i8, 32; u8, 32; i16, 16; u16, 16; i32, 8; u32, 8; i64, 4; u64, 4;
}

/// Halves that are widened at a time.
const BLOCK: usize = 1024;

macro_rules! half_sums {
    ($($t:ty),*) => {$(
        impl Reducer for Sum<$t> {
            type Item = $t;
            type Total = f32;

            fn nothing() -> f32 {
                0.0
            }
            fn join(a: f32, b: f32) -> f32 {
                a + b
            }
            fn row(row: &[$t]) -> f32 {
                let mut wide = [MaybeUninit::uninit(); BLOCK];
                let blocks = row.chunks(BLOCK);
                blocks.map(|b| sum::<f32, 8>(Half::to_f32s(b, &mut wide[..b.len()]))).sum()
            }
            fn columns(totals: &mut [f32], source: &[$t], stride: usize, rows: usize) {
                let mut wide = [MaybeUninit::uninit(); BLOCK];
                for row in source.chunks(stride).take(rows) {
                    for (totals, row) in totals.chunks_mut(BLOCK).zip(row.chunks(BLOCK)) {
                        let n = totals.len();
                        add_columns(totals, Half::to_f32s(&row[..n], &mut wide[..n]), n, 1);
                    }
                }
            }
            fn finish(total: f32) -> $t {
                Half::of_f32(total)
            }
        }
    )*};
}
half_sums!(f16, bf16);

/// Elements that are summed in lanes; longer rows are halved until they are as short, so that rounding errors do not
/// pile up.
const LEAF: usize = 1024;

/// How many lanes a vector has, as a value: so that functions of it need not be told twice.
#[derive(Clone, Copy)]
struct Lanes<const N: usize>;

fn sum<T: Number, const LANES: usize>(row: &[T]) -> T {
    if row.len() <= LEAF {
        return leaf(Lanes::<LANES>, row);
    }
    let (a, b) = row.split_at(row.len().div_ceil(2 * LANES) * LANES);
    sum::<T, LANES>(a).plus(sum::<T, LANES>(b))
}

levels! {
    fn leaf[T: Number, const LANES: usize](lanes: Lanes<LANES>, row: &[T]) -> T {
        in_lanes(lanes, row)
    }
}

levels! {
    fn sums['a, T: Number, const LANES: usize](
        lanes: Lanes<LANES>, dst: &'a mut [MaybeUninit<T>], source: &[T], len: usize
    ) -> &'a mut [T] {
        match len {
            2 => return short::<T, 2>(dst, source),
            3 => return short::<T, 3>(dst, source),
            4 => return short::<T, 4>(dst, source),
            _ => {}
        }
        if len > LEAF {
            return loops::tabulate(dst, |i| sum::<T, LANES>(&source[i * len..(i + 1) * len]));
        }
        loops::tabulate(dst, |i| in_lanes(lanes, &source[i * len..(i + 1) * len]))
    }
}

/// The sums of rows that are not worth a loop each.
#[inline(always)]
fn short<'a, T: Number, const LEN: usize>(
    dst: &'a mut [MaybeUninit<T>],
    source: &[T],
) -> &'a mut [T] {
    let rows = &source.as_chunks::<LEN>().0[..dst.len()];
    loops::map(dst, rows, |row| {
        row[1..].iter().fold(row[0], |sum, &x| sum.plus(x))
    })
}

/// The sum of a row in four vectors of lanes. The order is TensorFlow's: where terms cancel, so do the errors.
#[inline(always)]
fn in_lanes<T: Number, const LANES: usize>(_: Lanes<LANES>, row: &[T]) -> T {
    let (vectors, rest) = row.as_chunks::<LANES>();
    let rest = rest.iter().fold(T::default(), |sum, &x| sum.plus(x));
    if vectors.is_empty() {
        return rest;
    }
    let add =
        |a: [T; LANES], b: &[T; LANES]| -> [T; LANES] { std::array::from_fn(|i| a[i].plus(b[i])) };
    let mut sums = [[T::default(); LANES]; 4];
    let (fours, singles) = vectors.as_chunks::<4>();
    for four in fours {
        for (sum, vector) in sums.iter_mut().zip(four) {
            *sum = add(*sum, vector);
        }
    }
    let [mut lanes, others @ ..] = sums;
    for vector in others.iter().chain(singles) {
        lanes = add(lanes, vector);
    }
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = lanes[i].plus(lanes[i + half]);
        }
        half /= 2;
    }
    rest.plus(lanes[0])
}

levels! {
    fn add_columns[T: Number](totals: &mut [T], source: &[T], stride: usize, rows: usize) {
        let n = totals.len();
        let mut row = 0;
        while row + 4 <= rows {
            let [a, b, c, d] = std::array::from_fn(|i| &source[(row + i) * stride..][..n]);
            for i in 0..n {
                totals[i] = totals[i].plus(a[i]).plus(b[i]).plus(c[i]).plus(d[i]);
            }
            row += 4;
        }
        for row in row..rows {
            for (total, &x) in totals.iter_mut().zip(&source[row * stride..][..n]) {
                *total = total.plus(x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::{DataType, Tensor};

    use super::*;
    use crate::host::axes;
    use crate::testing::run;

    fn sum(dims: &[i64], axes: &[i32], keep: bool) -> Result<Tensor> {
        let n = dims.iter().product::<i64>();
        let x: Vec<i64> = (0..n).map(|i| 1 << (i % 40)).collect();
        let inputs = vec![Tensor::from_slice(dims, &x)?, Tensor::vector(axes)?];
        Ok(run("Sum", &[("keep_dims", keep.into())], inputs)?.remove(0))
    }

    #[test]
    fn every_choice_of_axes_agrees_with_counting() {
        // Among them rows too short for a vector, more rows and columns than are taken at a time, enough for threads.
        let all: &[&[i64]] = &[
            &[],
            &[2, 3, 1, 4],
            &[9, 5, 66],
            &[600, 3],
            &[3, 2100],
            &[300, 40],
            &[1400, 500],
        ];
        for &dims in all {
            for mask in 0..1u32 << dims.len() {
                let axes: Vec<i32> = (0..dims.len() as i32)
                    .filter(|a| mask >> a & 1 == 1)
                    .collect();
                let got = sum(dims, &axes, false).expect("a sum");
                let mut want = vec![0i64; got.num_elements()];
                let mut index = vec![0; dims.len()];
                for i in 0..dims.iter().product::<i64>() {
                    axes::index_of(i as usize, dims, &mut index);
                    let kept = (0..dims.len()).filter(|a| mask >> a & 1 == 0);
                    let at = kept.fold(0, |at, a| at * dims[a] + index[a]);
                    want[at as usize] += 1 << (i % 40);
                }
                assert_eq!(
                    got.as_slice::<i64>().expect("ints"),
                    want,
                    "{dims:?} {axes:?}"
                );
            }
        }
    }

    #[test]
    fn halves_are_added_up_in_single_precision() {
        let x = Tensor::from_iter(&[3000, 2], vec![bf16::from_f32(1.0); 6000]).expect("a tensor");
        for (axis, want) in [(0, 3000.0), (1, 2.0)] {
            let axis = Tensor::scalar(axis).expect("a tensor");
            let out = run("Sum", &[], vec![x.clone(), axis]).expect("a sum");
            let want = bf16::from_f32(want);
            assert!(
                out[0]
                    .as_slice::<bf16>()
                    .expect("bf16")
                    .iter()
                    .all(|&x| x == want)
            );
        }
    }

    #[test]
    fn odd_shapes_and_axes() {
        assert_eq!(sum(&[2, 3], &[-1], true).expect("a sum").dims(), [2, 1]);
        let empty = sum(&[0, 3], &[0], false).expect("a sum");
        assert_eq!(empty.as_slice::<i64>().expect("ints"), [0; 3]);
        assert_eq!(sum(&[0, 3], &[1], false).expect("a sum").dims(), [0]);
        for axes in [&[2][..], &[-3], &[0, 0], &[1, -1]] {
            let e = sum(&[2, 3], axes, false).expect_err("refused");
            assert_eq!(e.code(), tfe_core::Code::InvalidArgument);
        }
        assert_eq!(DataType::Int64, empty.dtype());
    }

    #[test]
    fn long_sums_keep_their_digits() {
        let x = Tensor::vector(&vec![0.1f32; 1_000_003]).expect("a tensor");
        let axes = Tensor::scalar(0i64).expect("a tensor");
        let out = run("Sum", &[], vec![x, axes]).expect("a sum");
        let got = out[0].scalar_value::<f32>().expect("a float");
        assert!((got / 100_000.3 - 1.0).abs() < 1e-6, "{got}");
    }
}
