//! `Bincount` and `DenseBincount`: how often each number below a size occurs, or what weights it has together.

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::number::Number;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", WEIGHTS)],
        host_inputs: &["size"],
        ..KernelDef::cpu(ops::BINCOUNT, build)
    },
    KernelDef {
        types: &[("T", WEIGHTS), ("Tidx", DTypeSet::INDEX)],
        host_inputs: &["size"],
        ..KernelDef::cpu(ops::DENSE_BINCOUNT, build_dense)
    },
];

const WEIGHTS: DTypeSet = DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Float, DataType::Double]));

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let count = counter(init)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, weights) = (ctx.input(0), ctx.input(2));
        ensure!(
            weights.num_elements() == 0 || weights.num_elements() == input.num_elements(),
            InvalidArgument,
            "Input indices and weights must have the same size."
        );
        let size = size(ctx)?;
        let out = count(ctx, Shape::new(&[size])?, false)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_dense(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let count = counter(init)?;
    let binary = init.attrs.bool("binary_output")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, weights) = (ctx.input(0), ctx.input(2));
        ensure!(
            input.rank() <= 2,
            InvalidArgument,
            "Shape must be at most rank 2 but is rank {}",
            input.rank()
        );
        ensure!(
            weights.num_elements() == 0 || weights.shape() == input.shape(),
            InvalidArgument,
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal to 1. Received {}",
            weights.shape()
        );
        let size = size(ctx)?;
        let shape = match input.dims() {
            &[rows, _] => Shape::new(&[rows, size]),
            _ => Shape::new(&[size]),
        };
        let out = count(ctx, shape?, binary)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// How many bins there are.
fn size(ctx: &KernelContext<'_>) -> Result<i64> {
    let size = ctx.input(1);
    ensure!(
        size.rank() == 0,
        InvalidArgument,
        "Shape must be rank 0 but is rank {}",
        size.rank()
    );
    let size = axes::integers(size)?[0];
    ensure!(
        size >= 0,
        InvalidArgument,
        "size ({size}) must be non-negative"
    );
    Ok(size)
}

/// Fills bins of a shape: those of all numbers, or those of each row of them. With weights or without, or only whether
/// a number is there.
type Count = fn(&KernelContext<'_>, Shape, bool) -> Result<Tensor>;

fn counter(init: &KernelInit<'_>) -> Result<Count> {
    dispatch!(init.attrs.dtype("T")?, [Int32, Int64, Float, Double], |T| {
        Ok(count::<T> as Count)
    })
}

fn count<T: Number>(ctx: &KernelContext<'_>, shape: Shape, binary: bool) -> Result<Tensor> {
    let (numbers, weights) = (axes::integers(ctx.input(0))?, ctx.input(2).as_slice::<T>()?);
    ensure!(
        numbers.iter().all(|&n| n >= 0),
        InvalidArgument,
        "Input arr must be non-negative!"
    );
    let bins = shape.dim(shape.rank() - 1);
    let row = match shape.rank() {
        2 => numbers.len() / shape.dim(0).max(1),
        _ => numbers.len(),
    };
    let mut totals = ctx.allocate(T::DTYPE, shape)?.zeroed();
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
