//! `Range` and `LinSpace`: numbers at equal distances, given the distance or the count.

use std::fmt::Display;

use num_traits::AsPrimitive;
use tfe_core::{DTypeSet, DataType, Plain, Result, bf16, dispatch, ensure, err, f16};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("Tidx", RANGE)],
        host_inputs: &["start", "limit", "delta"],
        ..KernelDef::host(ops::RANGE, rule_range, build_range)
    },
    KernelDef {
        types: &[
            ("T", DTypeSet::of(&[DataType::Float, DataType::Double])),
            ("Tidx", DTypeSet::INDEX),
        ],
        host_inputs: &["start", "stop", "num"],
        ..KernelDef::host(ops::LIN_SPACE, rule_lin_space, build_lin_space)
    },
];

const RANGE: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::INDEX);

fn rule_range(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let inputs = op.inputs(["start", "limit", "delta"])?;
    dispatch!(
        op.attrs.dtype("Tidx")?,
        [Half, Bfloat16, Float, Double, Int32, Int64],
        |T| Ok(Box::new(move |call: &mut Inference<'_>| {
            let n = length::<T>(call, inputs)?;
            call.set(0, &[n.unwrap_or(dim::UNKNOWN)])
        }))
    )
}

fn build_range(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [start, delta] = init.inputs(["start", "delta"])?;
    dispatch!(
        init.attrs.dtype("Tidx")?,
        [Half, Bfloat16, Float, Double, Int32, Int64],
        |T| Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
            let [start, delta] = [start, delta].map(|i| ctx.input(i).scalar_value::<T>());
            let (start, delta, n) = (start?, delta?, ctx.output_shape(0)?.num_elements() as i64);
            let out = ctx
                .output(0)?
                .fill_from((0..n).map(|i| T::after(start, i, delta)))?;
            ctx.set_output(0, out);
            Ok(())
        }))
    )
}

fn rule_lin_space(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let inputs @ [_, _, num] = op.inputs(["start", "stop", "num"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        for (i, name) in inputs.into_iter().zip(["start", "stop", "num"]) {
            call.scalar(i, name)?;
        }
        let n = call.integer(num)?;
        ensure!(
            n.is_none_or(|n| n > 0),
            InvalidArgument,
            "Requires num > 0: {}",
            n.unwrap_or_default()
        );
        call.set(0, &[n.unwrap_or(dim::UNKNOWN)])
    }))
}

fn build_lin_space(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [start, stop] = init.inputs(["start", "stop"])?;
    dispatch!(init.attrs.dtype("T")?, [Float, Double], |T| Ok(Box::new(
        move |ctx: &mut KernelContext<'_>| {
            let [start, stop] = [start, stop].map(|i| ctx.input(i).scalar_value::<T>());
            let (start, stop, n) = (start?, stop?, ctx.output_shape(0)?.num_elements());
            let step = (stop - start) / (n - 1) as T;
            // The last is `stop` itself, whatever the steps add up to; one number is `start`.
            let at = |i: usize| match i {
                _ if i > 0 && i == n - 1 => stop,
                0 => start,
                i => start + step * i as T,
            };
            let out = ctx.output(0)?.fill_from((0..n).map(at))?;
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

/// How many numbers there are from `start` to before `limit`, if all three are known.
fn length<T: Steps>(call: &Inference<'_>, inputs: [usize; 3]) -> Result<Option<i64>> {
    let mut values = [None; 3];
    for (k, name) in ["start", "limit", "delta"].into_iter().enumerate() {
        let i = inputs[k];
        ensure!(
            matches!(call.dims(i), None | Some([] | [1 | dim::UNKNOWN])),
            InvalidArgument,
            "{name} must be a scalar, not shape {}",
            call.shown(i)
        );
        values[k] = call.value(i).map(|v| v.scalar_value::<T>()).transpose()?;
    }
    let [Some(start), Some(limit), Some(delta)] = values else {
        return Ok(None);
    };
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
    let count = T::count(start, limit, delta).ok_or_else(|| {
        err!(
            InvalidArgument,
            "Requires ((limit - start) / delta) <= {}",
            i64::MAX
        )
    })?;
    Ok(Some(count))
}
