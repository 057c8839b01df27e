//! `Softmax` and `LogSoftmax` along the last dimension. Half-precision floats are widened.

use std::mem::MaybeUninit;

use tfe_core::{DTypeSet, Plain, Result, Tensor, bf16, dispatch, err, f16};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Larger, Plus};
use tfe_host::number::Half;
use tfe_host::reduce::Reducer;
use tfe_host::{cost, elementary, fill, function, loops, parallel, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        ..KernelDef::host(ops::LOG_SOFTMAX, rule, |init| kernel(init, true))
    },
    KernelDef {
        types: &[("T", DTypeSet::FLOAT)],
        ..KernelDef::host(ops::SOFTMAX, rule, |init| kernel(init, false))
    },
];

/// The shape of the logits, which have a last dimension.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        call.at_least_rank(0, 1, || {
            err!(
                InvalidArgument,
                "logits must have >= 1 dimension, got {}",
                call.shown(0)
            )
        })?;
        call.set_like(0, 0);
        Ok(())
    }))
}

fn kernel(init: &KernelInit<'_>, log: bool) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, Float, |T| Ok(Box::new(
        move |ctx: &mut KernelContext<'_>| {
            let out = softmax::<T>(ctx, log)?;
            ctx.set_output(0, out);
            Ok(())
        }
    )))
}

fn softmax<T: Logit>(ctx: &KernelContext<'_>, log: bool) -> Result<Tensor> {
    let input = ctx.input(0);
    let source = input.as_slice::<T>()?;
    // No more than there are: a tensor without rows may claim any number of columns.
    let len = input.shape().dim(input.rank() - 1).min(source.len()).max(1);
    fill(ctx.output(0)?, |dst| {
        let ns = cost::ELEMENTARY;
        parallel::try_write(ctx.device(), dst, len, ns, &|start, dst| {
            let mut room = T::room(len)?;
            Ok(loops::by_blocks(dst, len, |dst, range| {
                let row = &source[start + range.start..][..range.len()];
                T::row(dst, row, log, &mut room)
            }))
        })
    })
}

/// An element of a row.
trait Logit: Plain {
    /// What a row is worked on in.
    type Room;

    /// Room for a row of that length.
    fn room(len: usize) -> Result<Self::Room>;
    /// Writes the results of a row.
    fn row<'a>(
        dst: &'a mut [MaybeUninit<Self>],
        row: &[Self],
        log: bool,
        room: &mut Self::Room,
    ) -> &'a mut [Self];
}

macro_rules! logits {
    ($($t:ty, $exp:expr;)*) => {$(
        impl Logit for $t {
            type Room = ();

            fn room(_: usize) -> Result<()> {
                Ok(())
            }
            fn row<'a>(
                dst: &'a mut [MaybeUninit<$t>],
                row: &[$t],
                log: bool,
                (): &mut (),
            ) -> &'a mut [$t] {
                // Less the largest, no exponential overflows.
                let largest = Folded::<$t, _>::by(Larger).row(row);
                let out = function::exponentials(dst, row, largest, $exp);
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
            /// A row in single precision, and its results.
            type Room = [Vec<MaybeUninit<f32>>; 2];

            fn room(len: usize) -> Result<Self::Room> {
                let room = || scratch_of(MaybeUninit::uninit(), len);
                Ok([room()?, room()?])
            }
            fn row<'a>(
                dst: &'a mut [MaybeUninit<$t>],
                row: &[$t],
                log: bool,
                [wide, out]: &mut Self::Room,
            ) -> &'a mut [$t] {
                let wide = Half::to_f32s(row, &mut wide[..row.len()]);
                Half::of_f32s(f32::row(&mut out[..row.len()], wide, log, &mut ()), dst)
            }
        }
    )*};
}
half_logits!(f16, bf16);
