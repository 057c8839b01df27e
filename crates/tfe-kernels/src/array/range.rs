//! `Range` and `LinSpace`: numbers at equal distances, given the distance or the count.

use std::fmt::Display;

use num_traits::AsPrimitive;
use tfe_core::{
    DTypeSet, DataType, Element, Plain, Result, Shape, bf16, dispatch, ensure, err, f16,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("Tidx", RANGE)],
        host_inputs: &["start", "limit", "delta"],
        ..KernelDef::cpu(ops::RANGE, build_range)
    },
    KernelDef {
        types: &[
            ("T", DTypeSet::of(&[DataType::Float, DataType::Double])),
            ("Tidx", DTypeSet::INDEX),
        ],
        host_inputs: &["start", "stop", "num"],
        ..KernelDef::cpu(ops::LIN_SPACE, build_lin_space)
    },
];

const RANGE: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::INDEX);

fn build_range(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(
        init.attrs.dtype("Tidx")?,
        [Half, Bfloat16, Float, Double, Int32, Int64],
        |T| Ok(Box::new(range::<T>))
    )
}

fn build_lin_space(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, [Float, Double], |T| Ok(Box::new(
        |ctx: &mut KernelContext<'_>| {
            for (i, name) in ["start", "stop", "num"].into_iter().enumerate() {
                let shape = ctx.input(i).shape();
                ensure!(
                    shape.rank() == 0,
                    InvalidArgument,
                    "{name} must be a scalar, not shape {shape}"
                );
            }
            let [start, stop] = [0, 1].map(|i| ctx.input(i).scalar_value::<T>());
            let (start, stop) = (start?, stop?);
            let n = axes::integers(ctx.input(2))?[0];
            ensure!(n > 0, InvalidArgument, "Requires num > 0: {n}");
            let out = ctx.allocate(T::DTYPE, Shape::vector(n as usize))?;
            let step = (stop - start) / (n - 1) as T;
            // The last is `stop` itself, whatever the steps add up to; one number is `start`.
            let at = |i: i64| match i {
                _ if i > 0 && i == n - 1 => stop,
                0 => start,
                i => start + step * i as T,
            };
            let out = out.fill_from((0..n).map(at))?;
            ctx.set_output(0, out);
            Ok(())
        }
    )))
}

/// A type that ranges can be of.
trait Steps: Plain + Display + PartialOrd {
    /// How many steps of `delta` lead from one number to before another; `None` when `i64` cannot say.
    fn count(start: Self, limit: Self, delta: Self) -> Option<i64>;
    /// The number `i` steps after `start`.
    fn after(start: Self, i: i64, delta: Self) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Steps for $t {
            fn count(start: $t, limit: $t, delta: $t) -> Option<i64> {
                let distance = limit.abs_diff(start);
                i64::try_from(distance.div_ceil(delta.unsigned_abs())).ok()
            }
            fn after(start: $t, i: i64, delta: $t) -> $t {
                start.wrapping_add(delta.wrapping_mul(i.as_()))
            }
        }
    )*};
}
integers!(i32, i64);

macro_rules! floats {
    ($($t:ty, $of:expr;)*) => {$(
        impl Steps for $t {
            fn count(start: $t, limit: $t, delta: $t) -> Option<i64> {
                let steps = f64::from((limit - start) / delta).abs().ceil();
                // The largest `f64` below 2^63, which is what `i64::MAX` would round to.
                (steps < i64::MAX as f64).then_some(steps as i64)
            }
            fn after(start: $t, i: i64, delta: $t) -> $t {
                start + $of(i) * delta
            }
        }
    )*};
}
floats! {
    f32, |i| i as f32;
    f64, |i| i as f64;
    f16, |i| f16::from_f32(i as f32);
    bf16, |i| bf16::from_f32(i as f32);
}

fn range<T: Steps>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let start = scalar::<T>(ctx, 0, "start")?;
    let limit = scalar::<T>(ctx, 1, "limit")?;
    let delta = scalar::<T>(ctx, 2, "delta")?;
    let zero = T::default();
    ensure!(
        delta != zero,
        InvalidArgument,
        "Requires delta != 0: {delta}"
    );
    if delta > zero {
        ensure!(
            start <= limit,
            InvalidArgument,
            "Requires start <= limit when delta > 0: {start}/{limit}"
        );
    } else {
        ensure!(
            start >= limit,
            InvalidArgument,
            "Requires start >= limit when delta < 0: {start}/{limit}"
        );
    }
    let count = T::count(start, limit, delta);
    let count = count.ok_or_else(|| {
        err!(
            InvalidArgument,
            "Requires ((limit - start) / delta) <= {}",
            i64::MAX
        )
    })?;
    let out = ctx.allocate(T::DTYPE, Shape::vector(count as usize))?;
    let out = out.fill_from((0..count).map(|i| T::after(start, i, delta)))?;
    ctx.set_output(0, out);
    Ok(())
}

/// The value of an input that is a scalar, or a vector of one element.
fn scalar<T: Plain>(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<T> {
    let input = ctx.input(i);
    ensure!(
        input.num_elements() == 1 && input.rank() <= 1,
        InvalidArgument,
        "{name} must be a scalar, not shape {}",
        input.shape()
    );
    input.scalar_value::<T>()
}
