//! Sum: adds up elements along axes.

use smallvec::SmallVec;
use tfe_core::{
    Complex, Complex64, Complex128, DTypeSet, Plain, Result, Shape, bail, bf16, dispatch, f16,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use crate::host::{axes, fill, loops};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["reduction_indices"],
    ..KernelDef::cpu(ops::SUM, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let keep_dims = init.attrs.bool("keep_dims")?;
    let dtype = init.attrs.dtype("T")?;
    dispatch!(dtype, Number, |T| Ok(Box::new(
        move |ctx: &mut KernelContext<'_>| sum::<T>(ctx, keep_dims)
    )))
}

fn sum<T: Summand>(ctx: &mut KernelContext<'_>, keep_dims: bool) -> Result<()> {
    let (input, axes) = (ctx.input(0), ctx.input(1));
    let geometry = Geometry::new(input.shape(), &axes::integers(axes)?, keep_dims)?;
    let source = input.as_slice::<T>()?;
    let mut totals: SmallVec<[T::Total; 4]> = SmallVec::new();
    totals.resize(geometry.result.num_elements(), T::Total::default());
    if !source.is_empty() {
        add_up(source, &geometry.dims, &mut totals);
    }
    let out = ctx.allocate(T::DTYPE, geometry.result)?;
    let out = fill(out, |dst| Ok(loops::map(dst, &totals, T::of_total)))?;
    ctx.set_output(0, out);
    Ok(())
}

/// What is reduced: neighbouring dimensions that are both kept or both reduced are one, and those of size 1 are gone.
struct Geometry {
    dims: SmallVec<[Dim; 4]>,
    result: Shape,
}

#[derive(Clone, Copy)]
struct Dim {
    len: usize,
    reduced: bool,
}

impl Geometry {
    fn new(shape: &Shape, axes: &[i64], keep_dims: bool) -> Result<Self> {
        let rank = shape.rank();
        let mut reduced: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
        for &given in axes {
            let Some(axis) = axes::normalize(given, rank) else {
                bail!(
                    InvalidArgument,
                    "Invalid reduction dimension ({given} for input with {rank} dimension(s)"
                );
            };
            if std::mem::replace(&mut reduced[axis], true) {
                bail!(
                    InvalidArgument,
                    "Invalid reduction arguments: Axes contains duplicate dimension: {axis}"
                );
            }
        }
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
        let mut result: SmallVec<[i64; 8]> = SmallVec::new();
        for (&d, &reduced) in shape.dims().iter().zip(&reduced) {
            match (reduced, keep_dims) {
                (false, _) => result.push(d),
                (true, true) => result.push(1),
                (true, false) => {}
            }
            let len = d as usize;
            match dims.last_mut() {
                _ if len == 1 => {}
                Some(last) if last.reduced == reduced => last.len *= len,
                _ => dims.push(Dim { len, reduced }),
            }
        }
        Ok(Self {
            dims,
            result: Shape::new(&result)?,
        })
    }
}

/// Adds the elements of `source`, of shape `dims`, to the totals that they belong to.
fn add_up<T: Summand>(source: &[T], dims: &[Dim], totals: &mut [T::Total]) {
    let Some((&dim, inner)) = dims.split_first() else {
        totals[0] = T::add(totals[0], T::row(source));
        return;
    };
    match (dim.reduced, inner.is_empty()) {
        (true, true) => totals[0] = T::add(totals[0], T::row(source)),
        (false, true) => T::add_each(totals, source),
        (true, false) => {
            for part in source.chunks_exact(source.len() / dim.len) {
                add_up(part, inner, totals);
            }
        }
        (false, false) => {
            let parts = source.chunks_exact(source.len() / dim.len);
            let totals = totals.chunks_exact_mut(totals.len() / dim.len);
            for (part, totals) in parts.zip(totals) {
                add_up(part, inner, totals);
            }
        }
    }
}

/// An element type that can be summed. Totals of single precision are kept in double precision, so that the order in
/// which a long sum is taken does not show; those of half precision in single precision; integers wrap.
trait Summand: Plain {
    type Total: Plain + Default;

    fn add(a: Self::Total, b: Self::Total) -> Self::Total;
    fn total(self) -> Self::Total;
    fn of_total(total: Self::Total) -> Self;

    /// The sum of a row.
    fn row(row: &[Self]) -> Self::Total {
        // Four sums, so that an addition need not wait for the one before.
        let mut sums = [Self::Total::default(); 4];
        let (quads, rest) = row.as_chunks::<4>();
        for quad in quads {
            for (sum, &x) in sums.iter_mut().zip(quad) {
                *sum = Self::add(*sum, x.total());
            }
        }
        let sums = [Self::add(sums[0], sums[2]), Self::add(sums[1], sums[3])];
        let sum = Self::add(sums[0], sums[1]);
        rest.iter().fold(sum, |sum, &x| Self::add(sum, x.total()))
    }

    /// Adds each element to its own total.
    fn add_each(totals: &mut [Self::Total], row: &[Self]) {
        for (total, &x) in totals.iter_mut().zip(row) {
            *total = Self::add(*total, x.total());
        }
    }
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Summand for $t {
            type Total = $t;
            fn add(a: $t, b: $t) -> $t {
                a.wrapping_add(b)
            }
            fn total(self) -> $t {
                self
            }
            fn of_total(total: $t) -> $t {
                total
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

levels! {
    /// The sum of a row: single precision in short blocks of eight lanes, the blocks in double precision.
    fn row_of_f32(row: &[f32]) -> f64 {
        let mut sum = 0.0;
        for block in row.chunks(256) {
            let mut lanes = [0.0f32; 8];
            let (eights, rest) = block.as_chunks::<8>();
            for eight in eights {
                for (lane, &x) in lanes.iter_mut().zip(eight) {
                    *lane += x;
                }
            }
            sum += lanes.iter().map(|&x| f64::from(x)).sum::<f64>();
            sum += rest.iter().map(|&x| f64::from(x)).sum::<f64>();
        }
        sum
    }
}
levels! {
    fn add_each_f32(totals: &mut [f64], row: &[f32]) {
        for (total, &x) in totals.iter_mut().zip(row) {
            *total += f64::from(x);
        }
    }
}

impl Summand for f32 {
    type Total = f64;
    fn add(a: f64, b: f64) -> f64 {
        a + b
    }
    fn total(self) -> f64 {
        self.into()
    }
    fn of_total(total: f64) -> f32 {
        total as f32
    }
    fn row(row: &[f32]) -> f64 {
        row_of_f32(row)
    }
    fn add_each(totals: &mut [f64], row: &[f32]) {
        add_each_f32(totals, row);
    }
}

macro_rules! floats {
    ($($t:ty, $total:ty, |$x:ident| $widen:expr, |$sum:ident| $narrow:expr;)*) => {$(
        impl Summand for $t {
            type Total = $total;
            fn add(a: $total, b: $total) -> $total {
                a + b
            }
            fn total(self) -> $total {
                let $x = self;
                $widen
            }
            fn of_total($sum: $total) -> $t {
                $narrow
            }
        }
    )*};
}
floats! {
    f64, f64, |x| x, |sum| sum;
    f16, f32, |x| x.to_f32(), |sum| f16::from_f32(sum);
    bf16, f32, |x| x.to_f32(), |sum| bf16::from_f32(sum);
    Complex64, Complex128, |x| Complex::new(x.re.into(), x.im.into()), |sum| Complex::new(sum.re as f32, sum.im as f32);
    Complex128, Complex128, |x| x, |sum| sum;
}

#[cfg(test)]
mod tests {
    use tfe_core::{DataType, Tensor};

    use super::*;
    use crate::testing::run;

    fn sum(dims: &[i64], axes: &[i32], keep: bool) -> Result<Tensor> {
        let n = dims.iter().product::<i64>();
        let x: Vec<i64> = (0..n).map(|i| 1 << (i % 60)).collect();
        let inputs = vec![Tensor::from_slice(dims, &x)?, Tensor::vector(axes)?];
        Ok(run("Sum", &[("keep_dims", keep.into())], inputs)?.remove(0))
    }

    #[test]
    fn every_choice_of_axes_agrees_with_counting() {
        let dims = [2i64, 3, 1, 4];
        for mask in 0..16u32 {
            let axes: Vec<i32> = (0..4).filter(|a| mask >> a & 1 == 1).collect();
            let got = sum(&dims, &axes, false).expect("a sum");
            let mut want = vec![0i64; got.num_elements()];
            for i in 0..24i64 {
                let index = [i / 12, i / 4 % 3, 0, i % 4];
                let kept = (0..4).filter(|a| mask >> a & 1 == 0);
                let at = kept.fold(0, |at, a| at * dims[a as usize] + index[a as usize]);
                want[at as usize] += 1 << i;
            }
            assert_eq!(got.as_slice::<i64>().expect("ints"), want, "{axes:?}");
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
