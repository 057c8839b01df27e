//! `Bincount` and `DenseBincount`: how often each number below a size occurs, or what weights it has together.

use tfe_core::{DTypeSet, DataType, Result, Tensor, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::number::Number;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", WEIGHTS)],
        host_inputs: &["size"],
        ..KernelDef::host(ops::BINCOUNT, rule, build)
    },
    KernelDef {
        types: &[("T", WEIGHTS), ("Tidx", DTypeSet::INDEX)],
        host_inputs: &["size"],
        ..KernelDef::host(ops::DENSE_BINCOUNT, dense_rule, build_dense)
    },
];

const WEIGHTS: DTypeSet = DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Float, DataType::Double]));

/// As many bins as `size`.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, size, weights] = op.inputs(["arr", "size", "weights"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let counts = [weights, input].map(|i| call.num_elements(i));
        ensure!(
            matches!(counts, [None | Some(0), _] | [_, None]) || counts[0] == counts[1],
            InvalidArgument,
            "Input indices and weights must have the same size."
        );
        let bins = bins(call, size)?;
        call.set(0, &[bins])
    }))
}

/// As many bins as `size`, for each row of a matrix.
fn dense_rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, size, weights] = op.inputs(["input", "size", "weights"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let rank = call.rank(input);
        ensure!(
            rank.is_none_or(|rank| rank <= 2),
            InvalidArgument,
            "Shape must be at most rank 2 but is rank {}",
            rank.unwrap_or_default()
        );
        ensure!(
            matches!(call.num_elements(weights), None | Some(0))
                || call.may_be_equal(weights, input),
            InvalidArgument,
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal to 1. Received {}",
            call.shown(weights)
        );
        let bins = bins(call, size)?;
        match call.dims(input) {
            Some(&[rows, _]) => call.set(0, &[rows, bins]),
            Some(_) => call.set(0, &[bins]),
            None => Ok(()),
        }
    }))
}

/// How many bins there are.
fn bins(call: &Inference<'_>, size: usize) -> Result<i64> {
    call.of_rank(size, 0, || {
        err!(
            InvalidArgument,
            "Shape must be rank 0 but is rank {}",
            call.rank(size).unwrap_or_default()
        )
    })?;
    let bins = call.integer(size)?;
    ensure!(
        bins.is_none_or(|bins| bins >= 0),
        InvalidArgument,
        "size ({}) must be non-negative",
        bins.unwrap_or_default()
    );
    Ok(bins.unwrap_or(dim::UNKNOWN))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(init, init.inputs(["arr", "weights"])?, false)
}

fn build_dense(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let binary = init.attrs.bool("binary_output")?;
    kernel(init, init.inputs(["input", "weights"])?, binary)
}

/// Fills the bins of all numbers, or those of each row of them, with how often a number is there, or with weights.
/// `binary`: only with whether a number is there.
fn kernel(init: &KernelInit<'_>, inputs: [usize; 2], binary: bool) -> Result<Box<dyn Kernel>> {
    dispatch!(init.attrs.dtype("T")?, [Int32, Int64, Float, Double], |T| {
        Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
            let out = count::<T>(ctx, inputs, binary)?;
            ctx.set_output(0, out);
            Ok(())
        }))
    })
}

fn count<T: Number>(
    ctx: &KernelContext<'_>,
    [input, weights]: [usize; 2],
    binary: bool,
) -> Result<Tensor> {
    let numbers = axes::integers(ctx.input(input))?;
    let weights = ctx.input(weights).as_slice::<T>()?;
    ensure!(
        numbers.iter().all(|&n| n >= 0),
        InvalidArgument,
        "Input arr must be non-negative!"
    );
    let mut totals = ctx.output(0)?.zeroed();
    let bins = totals.shape().dim(totals.rank() - 1);
    let row = match totals.rank() {
        2 => numbers.len() / totals.shape().dim(0).max(1),
        _ => numbers.len(),
    };
    if let Some(totals) = totals.as_mut_slice::<T>() {
        for (i, &number) in numbers.iter().enumerate() {
            if number >= bins as i64 {
                continue;
            }
            let total = &mut totals[i / row * bins + number as usize];
            *total = if binary {
                T::from_u8(1)
            } else {
                total.plus(weights.get(i).copied().unwrap_or(T::from_u8(1)))
            };
        }
    }
    Ok(totals)
}
