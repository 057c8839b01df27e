//! `Softmax` and `LogSoftmax` along the last dimension. Half-precision floats are widened.

use std::mem::MaybeUninit;
use std::ops::Sub;

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Plain, Result, Tensor, bail, bf16, dispatch, f16};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Larger, Plus};
use tfe_host::number::Half;
use tfe_host::reduce::Reducer;
use tfe_host::{elementary, fill, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        ..KernelDef::cpu(ops::LOG_SOFTMAX, build_log)
    },
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        ..KernelDef::cpu(ops::SOFTMAX, build)
    },
];

/// What an element costs, in nanoseconds: an exponential.
const ELEMENT_NS: f64 = 2.0;

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(init.attrs.dtype("T")?, false)
}

fn build_log(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(init.attrs.dtype("T")?, true)
}

fn kernel(dtype: DataType, log: bool) -> Result<Box<dyn Kernel>> {
    dispatch!(dtype, Float, |T| Ok(Box::new(
        move |ctx: &mut KernelContext<'_>| {
            let out = softmax::<T>(ctx, log)?;
            ctx.set_output(0, out);
            Ok(())
        }
    )))
}

fn softmax<T: Logit>(ctx: &KernelContext<'_>, log: bool) -> Result<Tensor> {
    let input = ctx.input(0);
    let Some(&len) = input.dims().last() else {
        bail!(
            InvalidArgument,
            "logits must have >= 1 dimension, got {}",
            input.shape()
        );
    };
    let source = input.as_slice::<T>()?;
    let out = ctx.allocate(T::DTYPE, input.shape().clone())?;
    let len = (len as usize).max(1);
    fill(out, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            len,
            ELEMENT_NS,
            &|start, dst| {
                loops::by_blocks(dst, len, |dst, range| {
                    let row = &source[start + range.start..][..range.len()];
                    T::row(dst, row, log)
                })
            },
        ))
    })
}

/// An element of a row.
trait Logit: Plain {
    /// Writes the results of a row.
    fn row<'a>(dst: &'a mut [MaybeUninit<Self>], row: &[Self], log: bool) -> &'a mut [Self];
}

macro_rules! logits {
    ($($t:ty, $exp:expr;)*) => {$(
        impl Logit for $t {
            fn row<'a>(dst: &'a mut [MaybeUninit<$t>], row: &[$t], log: bool) -> &'a mut [$t] {
                // Less the largest, no exponential overflows.
                let largest = Folded::<$t, _>::by(Larger).row(row);
                let out = exponentials(dst, row, largest, $exp);
                let sum = Folded::<$t, _>::by(Plus).row(out);
                if log {
                    let ln = sum.ln();
                    out.iter_mut().zip(row).for_each(|(out, &x)| *out = x - largest - ln);
                } else {
                    out.iter_mut().for_each(|out| *out /= sum);
                }
                out
            }
        }
    )*};
}
logits! {
    f32, elementary::exp;
    f64, f64::exp;
}

macro_rules! half_logits {
    ($($t:ty),*) => {$(
        impl Logit for $t {
            fn row<'a>(dst: &'a mut [MaybeUninit<$t>], row: &[$t], log: bool) -> &'a mut [$t] {
                let mut buffers: [SmallVec<[_; 256]>; 2] = Default::default();
                let [wide, out] = &mut buffers;
                wide.resize(row.len(), MaybeUninit::uninit());
                out.resize(row.len(), MaybeUninit::uninit());
                let wide = Half::to_f32s(row, wide);
                Half::of_f32s(f32::row(out, wide, log), dst)
            }
        }
    )*};
}
half_logits!(f16, bf16);

levels! {
    /// Writes the exponentials of a row less a number.
    fn exponentials['a, T: Plain + Sub<Output = T>, F: Fn(T) -> T](
        dst: &'a mut [MaybeUninit<T>], row: &[T], less: T, exp: F
    ) -> &'a mut [T] {
        loops::map(dst, row, |x| exp(x - less))
    }
}
