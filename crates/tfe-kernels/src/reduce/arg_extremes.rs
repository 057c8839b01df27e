//! `ArgMax` and `ArgMin`: where along an axis the largest and the smallest elements are, the first of equal ones. NaN is
//! passed over.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Plain, Result, Tensor, dispatch, ensure};
use tfe_device::{Device, Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::{axes, cost, parallel, rules, scratch_of};

macro_rules! find {
    ($init:expr, $better:expr) => {
        dispatch!(
            $init.attrs.dtype("T")?,
            [
                Half, Bfloat16, Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32,
                Uint64, Bool
            ],
            |T| kernel($init, |device, input, sizes| find::<T>(
                device, input, sizes, $better
            ))
        )
    };
}

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[
            ("T", TYPES),
            (
                "output_type",
                DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Int16, DataType::Uint16])),
            ),
        ],
        host_inputs: &["dimension"],
        ..KernelDef::host(ops::ARG_MAX, rule, |init| {
            find!(init, |a, b| PartialOrd::gt(&a, &b))
        })
    },
    KernelDef {
        types: &[("T", TYPES), ("output_type", DTypeSet::INDEX)],
        host_inputs: &["dimension"],
        ..KernelDef::host(ops::ARG_MIN, rule, |init| {
            find!(init, |a, b| PartialOrd::lt(&a, &b))
        })
    },
];

const TYPES: DTypeSet = DTypeSet::REAL.union(DTypeSet::of(&[DataType::Bool]));

/// The shape of the input without the axis, which has an element at least.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let inputs @ [_, input] = op.inputs(["dimension", "input"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let axis = rules::axis_of(
            call,
            inputs,
            "dim must be a scalar, but received tensor of shape:",
            "Expected dimension",
        )?;
        match (call.dims(input), axis) {
            (Some(dims), Some(axis)) => {
                ensure!(
                    dims[axis] != 0,
                    InvalidArgument,
                    "Reduction axis {axis} is empty in shape {}",
                    call.shown(input)
                );
                let mut dims = SmallVec::<[i64; 8]>::from_slice(dims);
                dims.remove(axis);
                call.set(0, &dims)
            }
            (Some(dims), None) => {
                call.set_rank(0, dims.len().saturating_sub(1));
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }))
}

/// Finds indices along the middle one of three dimensions.
type Find = fn(&dyn Device, &Tensor, [usize; 3]) -> Result<Vec<i64>>;

fn kernel(init: &KernelInit<'_>, find: Find) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("output_type")?;
    let [input, axis] = init.inputs(["input", "dimension"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(input);
        let axis = axes::from_start(ctx.integer(axis)?, input.rank());
        let found = find(ctx.device(), input, axes::around(input.dims(), axis))?;
        let out = axes::tensor(ctx, dtype, ctx.output_shape(0)?.clone(), &found)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn find<T: Plain + PartialOrd>(
    device: &dyn Device,
    input: &Tensor,
    [_, middle, inner]: [usize; 3],
    better: impl Fn(T, T) -> bool + Sync,
) -> Result<Vec<i64>> {
    let source = input.as_slice::<T>()?;
    let mut found = scratch_of(0, source.len() / middle)?;
    // Columns are taken a piece at a time, so that their best elements stay in the first-level cache.
    let width = inner.clamp(1, 512);
    let ns = cost::DIVISION * middle as f64;
    let piece = parallel::piece_len(device, found.len(), ns);
    parallel::for_pieces(device, &mut found, piece, &|start, found| {
        if inner == 1 {
            for (i, found) in found.iter_mut().enumerate() {
                *found = best(&source[(start + i) * middle..][..middle], &better) as i64;
            }
            return;
        }
        let mut done = 0;
        while done < found.len() {
            let (outer, column) = ((start + done) / inner, (start + done) % inner);
            let n = width.min(inner - column).min(found.len() - done);
            let columns = &source[outer * middle * inner + column..];
            best_of_columns(
                &mut found[done..done + n],
                columns,
                [middle, inner],
                &better,
            );
            done += n;
        }
    });
    Ok(found)
}

/// Whether a value has a place in the order.
fn is_ordered<T: PartialOrd>(x: &T) -> bool {
    x.partial_cmp(x).is_some()
}

fn best<T: Copy + PartialOrd>(row: &[T], better: impl Fn(T, T) -> bool) -> usize {
    let mut best = row.iter().position(is_ordered).unwrap_or(0);
    for (i, &x) in row.iter().enumerate().skip(best + 1) {
        if better(x, row[best]) {
            best = i;
        }
    }
    best
}

/// The best rows of some columns of a matrix of that many rows, of which `source` begins with the first. Rows begin
/// `stride` elements apart.
fn best_of_columns<T: Copy + PartialOrd>(
    found: &mut [i64],
    source: &[T],
    [rows, stride]: [usize; 2],
    better: impl Fn(T, T) -> bool,
) {
    let n = found.len();
    let mut values: SmallVec<[T; 512]> = SmallVec::from_slice(&source[..n]);
    for i in 1..rows {
        let row = &source[i * stride..][..n];
        for ((found, best), &x) in found.iter_mut().zip(&mut values).zip(row) {
            if better(x, *best) || (!is_ordered(best) && is_ordered(&x)) {
                *best = x;
                *found = i as i64;
            }
        }
    }
}
