//! `Mean`: the mean of elements along axes. Integers are added up in 64 bits, half-precision floats are widened.

use tfe_core::{
    Complex64, Complex128, DTypeSet, DataType, Plain, Result, Tensor, bf16, dispatch, f16,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Plus};
use tfe_host::axes;
use tfe_host::number::Half;
use tfe_host::reduce::{self, DynReducer, Reducer};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["reduction_indices"],
    ..KernelDef::cpu(ops::MEAN, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, keep_dims) = (init.attrs.dtype("T")?, init.attrs.bool("keep_dims")?);
    if DTypeSet::INT.contains(dtype) {
        return Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
            let axes = axes::integers(ctx.input(1))?;
            let out = of_integers(
                ctx,
                ctx.input(0),
                |mean, input| reduce::reduced(ctx, mean, input, &axes, keep_dims),
                |mean, input| reduce::reduced(ctx, mean, input, &axes, keep_dims),
            )?;
            ctx.set_output(0, out);
            Ok(())
        }));
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
    i64: i64, |x, n| x / n.max(1) as i64;
    u64: u64, |x, n| x / n.max(1) as u64;
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

/// Means of integers of any width, taken of as many of 64 bits, whose sums do not overflow.
pub(super) fn of_integers(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    signed: impl Fn(&DynReducer<i64, i64>, &Tensor) -> Result<Tensor>,
    unsigned: impl Fn(&DynReducer<u64, u64>, &Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let shape = input.shape().clone();
    let dtype = input.dtype();
    match dtype {
        DataType::Int64 => signed(&Mean::<i64>::new(), input),
        DataType::Uint64 => unsigned(&Mean::<u64>::new(), input),
        DataType::Int8 | DataType::Int16 | DataType::Int32 => {
            dispatch!(dtype, [Int8, Int16, Int32], |T| {
                let source = input.as_slice::<T>()?.iter();
                let wide = ctx.allocate(DataType::Int64, shape)?;
                let wide = wide.fill_from(source.map(|&x| i64::from(x)))?;
                let means = signed(&Mean::<i64>::new(), &wide)?;
                let out = ctx.allocate(dtype, means.shape().clone())?;
                out.fill_from(means.as_slice::<i64>()?.iter().map(|&x| x as T))
            })
        }
        _ => dispatch!(dtype, [Uint8, Uint16, Uint32], |T| {
            let source = input.as_slice::<T>()?.iter();
            let wide = ctx.allocate(DataType::Uint64, shape)?;
            let wide = wide.fill_from(source.map(|&x| u64::from(x)))?;
            let means = unsigned(&Mean::<u64>::new(), &wide)?;
            let out = ctx.allocate(dtype, means.shape().clone())?;
            out.fill_from(means.as_slice::<u64>()?.iter().map(|&x| x as T))
        }),
    }
}
