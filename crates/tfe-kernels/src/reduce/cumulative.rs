//! `Cumsum` and `Cumprod`: the sums and products of all elements up to each one along an axis. Half-precision floats are
//! widened.

use std::mem::MaybeUninit;

use tfe_core::{Complex64, Complex128, DTypeSet, Plain, Result, Tensor, bf16, dispatch, f16};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::accumulate::{Fold, Plus, Times};
use tfe_host::bits::unsigned;
use tfe_host::number::Half;
use tfe_host::{axes, cost, fill, loops, parallel, rules, scratch_of};

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

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: TYPES,
        host_inputs: &["axis"],
        ..KernelDef::host(ops::CUMPROD, rule, |init| scan!(init, Times))
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["axis"],
        ..KernelDef::host(ops::CUMSUM, rule, |init| scan!(init, Plus))
    },
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)];

/// The shape of the input, which has the axis.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let inputs @ [_, x] = op.inputs(["axis", "x"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        rules::axis_of(
            call,
            inputs,
            "ScanOp: axis must be a scalar, not",
            "ScanOp: Expected scan axis",
        )?;
        call.set_like(0, x);
        Ok(())
    }))
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
    let [x, axis] = init.inputs(["x", "axis"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let x = ctx.input(x);
        let axis = axes::from_start(ctx.integer(axis)?, x.rank());
        let [_, len, inner] = axes::around(x.dims(), axis);
        let order = Order {
            sizes: [len, inner],
            exclusive,
            reverse,
        };
        let out = scan(ctx, x, order)?;
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
        let ns = cost::DIVISION;
        parallel::try_write(ctx.device(), dst, block, ns, &|start, dst| {
            blocks(dst, &source[start..], order, f)
        })
    })
}

/// Writes the results of some blocks, each of which has all indices of the axis.
fn blocks<'a, T: Scanned, F: Fold<T::Total>>(
    dst: &'a mut [MaybeUninit<T>],
    source: &[T],
    order: Order,
    f: F,
) -> Result<&'a mut [T]> {
    let [len, inner] = order.sizes;
    let block = (len * inner).max(1);
    let step = |total: &mut T::Total, x: T| {
        let next = f.fold(*total, x.widen());
        let now = std::mem::replace(total, next);
        T::narrow(if order.exclusive { now } else { next })
    };
    let row = |k: usize| if order.reverse { len - 1 - k } else { k };
    // One a column; those of single columns stay in a register.
    let mut totals = scratch_of(
        f.identity(),
        if inner == 1 {
            0
        } else {
            inner.min(source.len())
        },
    )?;
    let dst = loops::repeat(dst, T::default());
    for (dst, source) in dst.chunks_exact_mut(block).zip(source.chunks_exact(block)) {
        if inner == 1 {
            let mut total = f.identity();
            for k in 0..len {
                dst[row(k)] = step(&mut total, source[row(k)]);
            }
            continue;
        }
        totals.fill(f.identity());
        for k in 0..len {
            let at = row(k) * inner;
            let pairs = dst[at..][..inner].iter_mut().zip(&source[at..][..inner]);
            for ((dst, &x), total) in pairs.zip(&mut totals) {
                *dst = step(total, x);
            }
        }
    }
    Ok(dst)
}

#[cfg(test)]
mod tests {
    use tfe_core::{Code, DataType};

    use super::*;
    use crate::testing::run;

    /// Along every axis of tensors that have no elements, but many dimensions' worth of rows or columns.
    #[test]
    fn time_and_memory_do_not_follow_sizes_without_elements() {
        let many = 1 << 40;
        for dims in [[many, 0], [0, many]] {
            for axis in 0..2 {
                let input = |dtype| {
                    let shape = tfe_core::Shape::new(&dims)?;
                    Ok(vec![Tensor::zeros(dtype, shape)?, Tensor::scalar(axis)?])
                };
                for op in ["Cumsum", "Cumprod"] {
                    let out = input(DataType::Half).and_then(|inputs| run(op, &[], inputs));
                    assert_eq!(out.expect("nothing")[0].dims(), dims);
                }
                let out = input(DataType::Float).and_then(|inputs| run("ArgMax", &[], inputs));
                match dims[axis as usize] {
                    0 => assert_eq!(out.expect_err("empty").code(), Code::InvalidArgument),
                    _ => assert_eq!(out.expect("nothing")[0].dims(), [0]),
                }
                let out = input(DataType::Float).and_then(|inputs| run("Mean", &[], inputs));
                match dims[axis as usize] {
                    0 => assert_eq!(out.expect_err("much").code(), Code::ResourceExhausted),
                    _ => assert_eq!(out.expect("nothing")[0].dims(), [0]),
                }
            }
            for dtype in [DataType::Half, DataType::Float] {
                let logits = tfe_core::Shape::new(&dims).and_then(|s| Tensor::zeros(dtype, s));
                let out = run("Softmax", &[], vec![logits.expect("a tensor")]);
                assert_eq!(out.expect("nothing")[0].dims(), dims);
            }
        }
    }

    #[test]
    fn axes_are_checked() {
        let x = || Tensor::from_slice(&[2, 2], &[1i32, 2, 3, 4]).expect("a tensor");
        let scan = |axis: Result<Tensor>| run("Cumsum", &[], vec![x(), axis?]);
        let sums = scan(Tensor::scalar(-2i64)).expect("sums");
        assert_eq!(sums[0].as_slice::<i32>().expect("ints"), [1, 2, 4, 6]);
        for (axis, message) in [
            (
                Tensor::scalar(2i32),
                "ScanOp: Expected scan axis in the range [-2, 2), but got 2",
            ),
            (
                Tensor::vector(&[0i32]),
                "ScanOp: axis must be a scalar, not [1]",
            ),
        ] {
            assert_eq!(scan(axis).expect_err("refused").message(), message);
        }
    }
}
