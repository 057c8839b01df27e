//! `Cumsum` and `Cumprod`: the sums and products of all elements up to each one along an axis. Half-precision floats are
//! widened.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{
    Complex64, Complex128, DTypeSet, Plain, Result, Tensor, bf16, dispatch, ensure, err, f16,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::accumulate::{Fold, Plus, Times};
use tfe_host::bits::unsigned;
use tfe_host::number::Half;
use tfe_host::{axes, fill, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: TYPES,
        host_inputs: &["axis"],
        ..KernelDef::cpu(ops::CUMPROD, build_prod)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["axis"],
        ..KernelDef::cpu(ops::CUMSUM, build_sum)
    },
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)];

macro_rules! scan {
    ($init:expr, $function:expr) => {
        dispatch!(
            unsigned($init.attrs.dtype("T")?),
            [
                Half, Bfloat16, Float, Double, Complex64, Complex128, Uint8, Uint16, Uint32, Uint64
            ],
            |T| kernel($init, |ctx, input, order| scanned::<T, _>(
                ctx, input, order, $function
            ))
        )
    };
}

fn build_sum(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    scan!(init, Plus)
}

fn build_prod(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    scan!(init, Times)
}

/// How a tensor is gone through.
#[derive(Clone, Copy)]
struct Order {
    /// The size of the axis and that of all dimensions behind it.
    sizes: [usize; 2],
    /// Whether an element is left out of its own result.
    exclusive: bool,
    /// Whether the last comes first.
    reverse: bool,
}

type Scan = fn(&KernelContext<'_>, &Tensor, Order) -> Result<Tensor>;

fn kernel(init: &KernelInit<'_>, scan: Scan) -> Result<Box<dyn Kernel>> {
    let exclusive = init.attrs.bool("exclusive")?;
    let reverse = init.attrs.bool("reverse")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, axis) = (ctx.input(0), ctx.input(1));
        ensure!(
            axis.rank() == 0,
            InvalidArgument,
            "ScanOp: axis must be a scalar, not {}",
            axis.shape()
        );
        let (given, rank) = (axes::integers(axis)?[0], input.rank());
        let axis = axes::normalize(given, rank).ok_or_else(|| {
            err!(
                InvalidArgument,
                "ScanOp: Expected scan axis in the range [{}, {rank}), but got {given}",
                -(rank as i64)
            )
        })?;
        let inner = input.dims()[axis + 1..].iter().product::<i64>() as usize;
        let order = Order {
            sizes: [input.shape().dim(axis), inner],
            exclusive,
            reverse,
        };
        let out = scan(ctx, input, order)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// An element, and what it is added up in.
trait Scanned: Plain {
    type Total: Plain;

    fn widen(self) -> Self::Total;
    fn narrow(total: Self::Total) -> Self;
}

macro_rules! scanned {
    ($($t:ty),*; $total:ty, $widen:expr, $narrow:expr) => {$(
        impl Scanned for $t {
            type Total = $total;

            #[inline(always)]
            fn widen(self) -> Self::Total {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(total: Self::Total) -> Self {
                $narrow(total)
            }
        }
    )*};
}
use std::convert::identity;
scanned!(f32, f64, Complex64, Complex128, u8, u16, u32, u64; Self, identity, identity);
scanned!(f16, bf16; f32, Half::to_f32, Half::of_f32);

fn scanned<T: Scanned, F: Fold<T::Total>>(
    ctx: &KernelContext<'_>,
    input: &Tensor,
    order: Order,
    f: F,
) -> Result<Tensor> {
    if input.dtype() != T::DTYPE {
        let bits = input.bitcast(T::DTYPE)?;
        return scanned::<T, F>(ctx, &bits, order, f)?.bitcast(input.dtype());
    }
    let source = input.as_slice::<T>()?;
    let out = ctx.allocate(T::DTYPE, input.shape().clone())?;
    let block = order.sizes[0] * order.sizes[1];
    fill(out, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            block,
            1.0,
            &|start, dst| blocks(dst, &source[start..], order, f),
        ))
    })
}

/// Writes the results of some blocks, each of which has all indices of the axis.
fn blocks<'a, T: Scanned, F: Fold<T::Total>>(
    dst: &'a mut [MaybeUninit<T>],
    source: &[T],
    order: Order,
    f: F,
) -> &'a mut [T] {
    let dst = loops::repeat(dst, T::default());
    let [len, inner] = order.sizes;
    let block = (len * inner).max(1);
    let step = |total: &mut T::Total, x: T| {
        let next = f.fold(*total, x.widen());
        let now = std::mem::replace(total, next);
        T::narrow(if order.exclusive { now } else { next })
    };
    let row = |k: usize| if order.reverse { len - 1 - k } else { k };
    let mut totals: SmallVec<[T::Total; 64]> = SmallVec::new();
    for (dst, source) in dst.chunks_exact_mut(block).zip(source.chunks_exact(block)) {
        if inner == 1 {
            let mut total = f.identity();
            for k in 0..len {
                dst[row(k)] = step(&mut total, source[row(k)]);
            }
            continue;
        }
        totals.clear();
        totals.resize(inner, f.identity());
        for k in 0..len {
            let at = row(k) * inner;
            let pairs = dst[at..][..inner].iter_mut().zip(&source[at..][..inner]);
            for ((dst, &x), total) in pairs.zip(&mut totals) {
                *dst = step(total, x);
            }
        }
    }
    dst
}
